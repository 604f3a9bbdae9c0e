"""Measuring footfall, against its peers where they are installed: races of contestants in one process.

result = race({"mine": Contestant(mine, 1), "theirs": Contestant(theirs, 1)})
result.ratio("theirs", "mine").median
"""

from typing import TYPE_CHECKING

from footfall.public_names import open_to_users

if TYPE_CHECKING:
    from footfall.bench.measure import Contestant as Contestant
    from footfall.bench.measure import Race as Race
    from footfall.bench.measure import Spread as Spread
    from footfall.bench.measure import race as race
    from footfall.bench.measure import sweep as sweep
    from footfall.bench.robots import load_measured as load_measured

open_to_users(__name__)
