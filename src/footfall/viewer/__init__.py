"""The viewer in the browser, pictures and plots; `footfall` itself has `view`."""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.viewer.plan_plots import plot_motion as plot_motion
    from footfall.viewer.screenshot import take_screenshot as take_screenshot
    from footfall.viewer.show import View as View

open_to_users(__name__)
