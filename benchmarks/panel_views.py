"""Draw the pictures of the panel, the shared page, the plots and the robots that docs/ shows.

    python -m benchmarks.panel_views FOLDER [NAME ...]

All ten, or those that are named: panel-standing, panel-plan, walk-panel, panel-beliefs, panel-fallen, panel-identify,
shared-page, plot-ground, lola-portrait, lola-platform. Wants Chromium and Matplotlib, PyAV is not needed.
"""

from __future__ import annotations

import base64
import math
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from footfall.recording.reader import Recording, read_recording
from footfall.scenarios.walk_outputs import write_walk
from footfall.viewer.chromium import OperatedPage, operated_page
from footfall.viewer.page_link import PageLink
from footfall.viewer.plots import plot_signals
from footfall.viewer.shared_page import shared_page, write_shared
from footfall.viewer.stage import Stage
from footfall.viewer.walk_panel import WalkPanel
from footfall.walking.session import WalkSession
from footfall.walking.walk import Walk, summarise

_CLOSE = "[...document.querySelectorAll('.mantine-Notification-closeButton')].forEach(each => each.click())"
_STATE = "(document.querySelector('#ff-state') || {}).textContent"
_SETTLING = 6.0  # s, in which a page that is drawn by a processor comes to rest
_MIDDLE = "node => (b => [b.x + b.width / 2, b.y + b.height / 2])(node.getBoundingClientRect())"
_READY = "window.footfall && window.footfall.ready === true"


class Drawn:
    """A panel that walks, and its page."""

    def __init__(self, panel: WalkPanel, page: OperatedPage, folder: Path, wanted: set[str]) -> None:
        self.panel, self.page, self._folder, self._wanted = panel, page, folder, wanted

    def draw(self, name: str) -> None:
        """Take a picture, if it is wanted."""
        if name in self._wanted:
            time.sleep(_SETTLING)
            self.page.evaluate(_CLOSE)
            time.sleep(0.5)
            (self._folder / f"{name}.png").write_bytes(self.page.picture())
            print("drawn:", name, flush=True)

    def wait(self, condition: Callable[[], bool], most: float = 600.0) -> None:
        deadline = time.monotonic() + most
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(self.panel.message)
            time.sleep(0.1)

    def walk_for(self, seconds: float) -> None:
        at = self.panel.session.time
        self.wait(lambda: self.panel.session.time > at + seconds or self.panel.session.fallen)

    def choose_tab(self, title: str) -> None:
        found = f"[...document.querySelectorAll('[role=tab]')].find(each => each.textContent === '{title}')"
        self.page.wait_for(f"!!{found}", 400.0)
        while not self.page.evaluate(
            f"{found}.ariaSelected === 'true'"
        ):  # docks move while a page is laid out
            self.page.click(*self.page.evaluate(f"({_MIDDLE})({found})"))
            time.sleep(1.0)


@contextmanager
def shown_panel(session: WalkSession, folder: Path, wanted: set[str]) -> Iterator[Drawn]:
    """A panel in a browser of 1280 x 800."""
    session.run(1e-3)
    link, over = PageLink(), threading.Event()
    stage = Stage(port=0, link=link)
    panel = WalkPanel(stage, session, link=link)
    thread = threading.Thread(target=lambda: panel.run(over.is_set))
    thread.start()
    try:
        with operated_page(stage.address, width=1280, height=800, timeout=600.0) as page:
            page.wait_for(f"{_STATE} === 'standing'", 400.0)
            yield Drawn(panel, page, folder, wanted)
    finally:
        over.set()
        thread.join()
        stage.close()


def draw_panel(folder: Path, wanted: set[str]) -> WalkSession:
    """The panel: standing, with a way that is planned, on it, with beliefs, and fallen."""
    with shown_panel(WalkSession(scene="obstacles"), folder, wanted) as shown:
        panel, page = shown.panel, shown.page
        shown.draw("panel-standing")
        panel.aim(4.5, 0.0)
        page.wait_for("document.querySelector('#ff-message').textContent.includes('planned in')", 400.0)
        shown.draw("panel-plan")
        panel.walk_there()
        page.wait_for(f"{_STATE} === 'walking'", 400.0)
        shown.walk_for(3.5)
        panel.paused = True
        shown.draw("walk-panel")
        walked = panel.session
        if "panel-beliefs" in wanted:
            shown.choose_tab("Show")
            layers = panel.docks.show.layers
            for name in ("Believed heights", "Ghost: set points", "Friction cones", "Traces"):
                layers[name].value = True
                panel.scene.set_layer(name, True)
            panel.scene.aside = 0.8
            panel.paused = False
            shown.walk_for(2.0)
            panel.paused = True
            shown.draw("panel-beliefs")
            for name in ("Believed heights", "Ghost: set points", "Friction cones", "Traces"):
                panel.scene.set_layer(name, False)
        if "panel-fallen" in wanted:
            panel.paused = False
            page.click_on("#ff-plots")
            panel.kick(70.0, 1.57)
            page.wait_for(f"{_STATE} === 'fallen'", 400.0)
            shown.draw("panel-fallen")
    return walked


def draw_identification(folder: Path, wanted: set[str]) -> None:
    """The tab of a drive that is identified."""
    with shown_panel(WalkSession(scene="flat", mode="full"), folder, wanted) as shown:
        dock = shown.panel.docks.identify
        shown.choose_tab("Identify")
        dock.name.value = "efr"
        dock.optimise()
        shown.wait(lambda: "told" in dock.state.content and "servo is" in dock.state.content, 600.0)
        shown.draw("panel-identify")


def walked(scene: str, place: Path, goal: tuple[float, float, float] | None = None) -> Recording:
    """A recording of a walk from Python."""
    fields = {} if goal is None else {"goal": goal}
    session = WalkSession(scene=scene, route=scene if goal is None else None, **fields)
    session.run_to_rest(60.0)
    written = write_walk(Walk(session, summarise(session)), place, name=scene, plots=False)
    return read_recording(written[0])


def still(
    recording: Recording,
    path: Path,
    moment: float,
    view: tuple[float, float, float],
    *,
    forces: bool = True,
) -> None:
    """A picture without a page around it. view: azimuth and elevation, degrees, and distance, m, of the camera."""
    azimuth, elevation, distance = math.radians(view[0]), math.radians(view[1]), view[2]
    with tempfile.TemporaryDirectory() as place:
        file = Path(place) / "still.html"
        file.write_text(shared_page([recording], pixels=(1280, 800)), encoding="utf-8")
        with operated_page(file.as_uri(), width=1280, height=800, timeout=600.0) as page:
            page.wait_for(_READY)
            page.evaluate(f"window.footfall.look({azimuth}, {elevation}, {distance})")
            if not forces:
                page.evaluate(
                    "(box => box.onchange({target: {checked: false}}))(document.getElementById('forces'))"
                )
            content = base64.b64decode(page.evaluate(f"window.footfall.at({moment})"))
    from PIL import Image

    path.with_suffix(".jpg").write_bytes(content)
    Image.open(path.with_suffix(".jpg")).save(path)
    path.with_suffix(".jpg").unlink()
    print("drawn:", path.stem, flush=True)


def draw_page(recording: Recording, path: Path, moment: float) -> None:
    """The shared page at an instant."""
    with tempfile.TemporaryDirectory() as place:
        write_shared([recording], Path(place) / "shared.html")
        with operated_page((Path(place) / "shared.html").as_uri(), width=1280, height=760) as page:
            page.wait_for(_READY)
            page.evaluate("document.getElementById('play').click()")
            go = f"s.value = {moment}; s.oninput(); window.footfall.at({moment});"
            page.evaluate(f"(s => {{ {go} }})(document.getElementById('time'))")
            path.write_bytes(page.picture())
    print("drawn:", path.stem, flush=True)


PANEL = {"panel-standing", "panel-plan", "walk-panel", "panel-beliefs", "panel-fallen"}
ALL = PANEL | {"panel-identify", "shared-page", "plot-ground", "lola-portrait", "lola-platform"}


def main(folder: Path, wanted: set[str]) -> None:
    """Write pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        if wanted & (PANEL | {"shared-page", "plot-ground", "lola-portrait"}):
            session = draw_panel(folder, wanted)
            files = write_walk(Walk(session, summarise(session)), Path(place), name="obstacles", plots=False)
            recording = read_recording(files[0])
            if "plot-ground" in wanted:
                plot_signals([recording], ["ground", "zmp", "dcm_error"], folder / "plot-ground.png")
            if "shared-page" in wanted:
                draw_page(recording, folder / "shared-page.png", 0.8 * session.time)
            if "lola-portrait" in wanted:
                still(recording, folder / "lola-portrait.png", 0.0, (-35.0, 6.0, 2.9), forces=False)
        if "panel-identify" in wanted:
            draw_identification(folder, wanted)
        if "lola-platform" in wanted:
            recording = walked("platform", Path(place))
            still(
                recording, folder / "lola-platform.png", 0.55 * float(recording.time[-1]), (-50.0, 12.0, 3.6)
            )


if __name__ == "__main__":
    main(Path(sys.argv[1]), set(sys.argv[2:]) & ALL or ALL)
