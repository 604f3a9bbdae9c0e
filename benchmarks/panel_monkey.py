"""Click, type and pull at random in the panel, in a real browser, and see that nothing gets stuck.

    python -m benchmarks.panel_monkey [--minutes 10] [--seed 0]

Prints every half minute the minutes, simulated time, memory of this process, processor time of the thread that walks
and draws and of the whole process for a second of the clock, signals of the walk and walks that ended. Ends with status
1 if the walk stands still, a fall cannot be reset, memory grows by more than a tenth in the last four tenths, or a page
loses its connection for good.
"""

from __future__ import annotations

import argparse
import random
import sys
import threading
import time
from functools import partial
from pathlib import Path
from typing import NamedTuple

from footfall.errors import FootfallError
from footfall.viewer.chromium import OperatedPage, operated_page
from footfall.viewer.page_link import PageLink
from footfall.viewer.stage import Stage
from footfall.viewer.walk_panel import WalkPanel
from footfall.walking.session import WalkSession

_SIZE = (1000, 600)
_STUCK = 20.0  # s in which simulated time must pass, while it does not pause
_GROWTH = 1.1
_LOG = 64e6  # bytes, as `footfall panel` has it: 30 s of a walk, after which nothing grows


class Look(NamedTuple):
    """minutes: of the clock. simulated: s. memory: MB. walking, whole: processor seconds of the thread that walks and
    draws, and of the process, a second of the clock since the look before."""

    minutes: float
    simulated: float
    memory: float
    walking: float
    whole: float
    signals: int
    walks: int


def memory() -> float:
    """Of this process, MB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * 4096 / 1e6


def act(page: OperatedPage, rng: random.Random) -> None:
    """Something that a person may do."""
    x, y = rng.uniform(60, 600), rng.uniform(180, 560)
    match rng.randrange(10):
        case 0 | 1:
            key = rng.choice("wasdqe")
            page.key(key, "keyDown")
            time.sleep(rng.uniform(0.1, 2.0))
            page.key(key, "keyUp")
        case 2:
            page.key(rng.choice([" ", "Enter", "Escape", "Delete", "p", "p", "."]), "keyDown")
        case 3 | 4:
            page.click(x, y)
        case 5 | 6:
            page.drag([(300, 300), (300 + rng.uniform(-150, 150), 300 + rng.uniform(-150, 150)), (x, y)])
        case 7:
            page.click_on(rng.choice(["[data-tool=goal]", "[data-tool=box]", "#ff-stop", "#ff-pause"]))
        case 8:
            page.click_on(f'[data-speed="{rng.choice(["0.1", "0.5", "1", "1"])}"]')
        case _:
            page.click(rng.uniform(670, 990), rng.uniform(20, 590))  # controls of viser


def run(minutes: float, seed: int) -> int:
    """The status."""
    session = WalkSession(scene="flat", log_memory=_LOG)
    session.run(1e-3)
    link, over, walks = PageLink(), threading.Event(), [0]
    stage = Stage(port=0, link=link)
    make = partial(WalkSession, log_memory=_LOG)
    panel = WalkPanel(
        stage, session, link=link, make=make, ended=lambda _: walks.__setitem__(0, walks[0] + 1)
    )
    busy = [0.0]

    def walk() -> None:
        panel.run(lambda: busy.__setitem__(0, time.thread_time()) or over.is_set())

    thread = threading.Thread(target=walk, name="walk")
    thread.start()
    rng, looks, problems = random.Random(seed), list[Look](), list[str]()
    begin = last = time.monotonic()
    before = 0.0, time.process_time()
    moved: tuple[float, WalkSession, float] = (0.0, session, begin)
    try:
        with operated_page(stage.address, width=_SIZE[0], height=_SIZE[1]) as page:
            page.wait_for("(document.querySelector('#ff-state') || {}).textContent === 'standing'")
            while time.monotonic() - begin < 60.0 * minutes and not problems:
                try:
                    act(page, rng)
                except FootfallError as problem:
                    problems.append(f"the page: {problem}")
                now, current = time.monotonic(), panel.session
                if current.fallen or panel.failed is not None:
                    if panel.failed is not None:
                        problems.append(f"failed: {panel.failed}")
                    page.key("Backspace", "keyDown")
                    moved = (0.0, current, now)
                elif panel.paused or panel.looks_back or current is not moved[1] or current.time > moved[0]:
                    moved = (current.time, current, now)
                elif now - moved[2] > _STUCK:
                    problems.append(f"stuck at {current.time:.2f} s: {panel.message}")
                if panel.paused and rng.random() < 0.5:
                    panel.paused = False
                if panel.looks_back and rng.random() < 0.5:
                    page.click_on("#ff-live")
                if now - last > 30.0:
                    looks.append(
                        Look(
                            (now - begin) / 60,
                            current.time,
                            memory(),
                            (busy[0] - before[0]) / (now - last),
                            (time.process_time() - before[1]) / (now - last),
                            len(current.sent),
                            walks[0],
                        )
                    )
                    print(*(f"{value:.3g}" for value in looks[-1]), sep="\t", flush=True)
                    last, before = now, (busy[0], time.process_time())
            if link.pages != 1:
                problems.append(f"{link.pages} pages are connected")
    finally:
        over.set()
        thread.join()
        stage.close()
    settled = [look.memory for look in looks if look.minutes > 0.6 * minutes]  # the log is full by then
    if settled and settled[-1] > _GROWTH * settled[0]:
        problems.append(f"memory grew from {settled[0]:.0f} to {settled[-1]:.0f} MB")
    print("\n".join(problems) or "nothing stuck")
    return 1 if problems else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    sys.exit(run(options.minutes, options.seed))
