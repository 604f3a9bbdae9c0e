"""Draw the pictures of the panel, the shared page and the plots that docs/ shows.

    python -m benchmarks.panel_views FOLDER

Wants Chromium, PyAV is not needed.
"""

from __future__ import annotations

import sys
import tempfile
import threading
import time
from pathlib import Path

from footfall.recording.reader import read_recording
from footfall.scenarios.walking.outputs import write_walk
from footfall.viewer.chromium import operated_page
from footfall.viewer.page_link import PageLink
from footfall.viewer.plots import plot_signals
from footfall.viewer.shared_page import write_shared
from footfall.viewer.stage import Stage
from footfall.viewer.walk_panel import WalkPanel
from footfall.walking.session import WalkSession
from footfall.walking.walk import Walk, summarise

_CLOSE = "[...document.querySelectorAll('.mantine-Notification-closeButton')].forEach(each => each.click())"


def draw_panel(folder: Path) -> WalkSession:
    """The panel with a way that is planned, and on it."""
    session = WalkSession(scene="obstacles")
    session.run(1e-3)
    link, over = PageLink(), threading.Event()
    stage = Stage(port=0, link=link)
    panel = WalkPanel(stage, session, link=link)
    thread = threading.Thread(target=lambda: panel.run(over.is_set))
    thread.start()
    try:
        with operated_page(stage.address, width=1280, height=800) as page:
            page.wait_for("(document.querySelector('#ff-state') || {}).textContent === 'standing'")
            page.evaluate(_CLOSE)
            panel.aim(4.5, 0.0)
            page.wait_for("document.querySelector('#ff-message').textContent.includes('planned in')")
            time.sleep(8.0)
            page.evaluate(_CLOSE)
            (folder / "panel-plan.png").write_bytes(page.picture())
            panel.walk_there()
            page.wait_for("document.querySelector('#ff-state').textContent === 'walking'")
            at = panel.session.time
            while panel.session.time < at + 3.5:
                time.sleep(0.1)
            panel.paused = True
            time.sleep(8.0)
            (folder / "walk-panel.png").write_bytes(page.picture())
    finally:
        over.set()
        thread.join()
        stage.close()
    return panel.session


def main(folder: Path) -> None:
    """Write all pictures into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    session = draw_panel(folder)
    with tempfile.TemporaryDirectory() as place:
        written = write_walk(Walk(session, summarise(session)), Path(place), name="obstacles", plots=False)
        recording = read_recording(written[0])
        plot_signals([recording], ["ground", "zmp", "dcm_error"], folder / "plot-ground.png")
        write_shared([recording], Path(place) / "shared.html")
        with operated_page((Path(place) / "shared.html").as_uri(), width=1280, height=760) as page:
            page.wait_for("window.footfall && window.footfall.ready === true")
            page.evaluate("document.getElementById('play').click()")
            middle = 0.8 * session.time
            go = f"s.value = {middle}; s.oninput(); window.footfall.at({middle});"
            page.evaluate(f"(s => {{ {go} }})(document.getElementById('time'))")
            (folder / "shared-page.png").write_bytes(page.picture())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
