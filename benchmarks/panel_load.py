"""What the panel's server takes while LOLA walks: without a page, with one and with two, in real time.

    python -m benchmarks.panel_load [--seconds 20]

Prints for each the simulated seconds and the pictures that were drawn a second of the clock, and the processor seconds
of the whole process and of the thread that walks and draws. Browsers draw on the same processors: on a machine without
a graphics card they take most of them.
"""

from __future__ import annotations

import argparse
import threading
import time
from contextlib import ExitStack
from typing import Any

from footfall.viewer.chromium import operated_page
from footfall.viewer.page_link import PageLink
from footfall.viewer.stage import Stage
from footfall.viewer.walk_panel import WalkPanel
from footfall.walking.session import WalkSession


def main(seconds: float) -> None:
    """Measure and print."""
    session = WalkSession(scene="flat", log_memory=64e6)
    session.run(1e-3)
    link, over = PageLink(), threading.Event()
    stage = Stage(port=0, link=link)
    panel = WalkPanel(stage, session, link=link)
    pictures, busy = [0], [0.0]
    draw = panel.scene.show

    def counted(*given: Any, **named: Any) -> None:
        pictures[0] += 1
        draw(*given, **named)

    panel.scene.show = counted  # type: ignore[method-assign]
    walk = threading.Thread(
        target=lambda: panel.run(lambda: busy.__setitem__(0, time.thread_time()) or over.is_set())
    )
    walk.start()
    panel.wish(lambda now: now.drive(0.3, turn=0.2))
    print("pages\tsimulated\tpictures\tprocess\tthread", flush=True)
    try:
        with ExitStack() as pages:
            for count in range(3):
                if count > 0:
                    page = pages.enter_context(operated_page(stage.address, width=900, height=600))
                    page.wait_for(
                        "(document.querySelector('#ff-state') || {}).textContent === 'walking'", 300.0
                    )
                time.sleep(5.0)
                before = time.monotonic(), panel.session.time, pictures[0], time.process_time(), busy[0]
                time.sleep(seconds)
                after = time.monotonic(), panel.session.time, pictures[0], time.process_time(), busy[0]
                passed, *rest = (two - one for one, two in zip(before, after, strict=True))
                print(count, *(f"{each / passed:.3g}" for each in rest), sep="\t", flush=True)
    finally:
        over.set()
        walk.join()
        stage.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=20.0)
    main(parser.parse_args().seconds)
