"""The panel in a real browser: keys, buttons and the mouse of a page move the robot; pages come, go and come back."""

from __future__ import annotations

import io
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

import footfall
from footfall.viewer.chromium import OperatedPage, find_chromium, operated_page
from footfall.viewer.held_drive import Velocity
from footfall.viewer.page_link import PageLink
from footfall.viewer.stage import Stage
from footfall.viewer.uploads import MOST_BYTES
from footfall.viewer.walk_panel import WalkPanel
from footfall.walking.activity import activity
from footfall.walking.body import walking_body
from footfall.walking.session import WalkSession
from footfall.walking.walker import WalkingCode
from tests.viewer.test_uploads import MESH, SOLID, URDF, packed

pytestmark = pytest.mark.skipif(
    find_chromium() is None, reason="Chromium is not installed: pages are not opened"
)
MIDDLE = "node => (b => [b.x + b.width / 2, b.y + b.height / 2])(node.getBoundingClientRect())"
# viser says that it draws slowly, on top of buttons of a small page.
NO_NOTICES = """document.head.insertAdjacentHTML('beforeend',
  '<style>.mantine-Notifications-root { display: none }</style>')"""
STATE = "(document.querySelector('#ff-state') || {}).textContent"


class Running:
    """A panel that walks in a thread of its own, and a page of it."""

    def __init__(self, panel: WalkPanel, page: OperatedPage, stage: Stage) -> None:
        self.panel, self.page, self.stage = panel, page, stage

    def wait(self, condition: Callable[[], Any], timeout: float = 60.0) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, (self.panel.message, self.panel.session.sent[-5:])
            time.sleep(0.05)

    def words(self) -> list[str]:
        return [signal.word for signal in self.panel.session.sent]


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    session = WalkSession(code=WalkingCode(walking_body(footfall.load("lola"))), scene="flat")
    session.run(1e-3)
    link, over = PageLink(), threading.Event()
    stage = Stage(port=0, link=link, uploads=MOST_BYTES)
    panel = WalkPanel(stage, session, link=link)
    thread = threading.Thread(target=lambda: panel.run(over.is_set))
    thread.start()
    try:
        # Small: all of it is drawn by the processor.
        with operated_page(stage.address, width=1000, height=560) as page:
            page.wait_for(f"{STATE} === 'standing'")
            page.wait_for("document.querySelector('canvas') !== null")
            page.evaluate(NO_NOTICES)
            yield Running(panel, page, stage)
    finally:
        over.set()
        thread.join()
        stage.close()


def test_a_held_key_walks_and_letting_go_stops(running: Running) -> None:
    running.page.key("w", "keyDown")
    running.wait(lambda: "drive" in running.words())
    drives = [signal for signal in running.panel.session.sent if signal.word == "drive"]
    assert getattr(drives[-1], "forward", None) == 0.4
    running.page.wait_for(f"{STATE} === 'walking'")
    running.page.key("w", "keyUp")
    running.wait(lambda: running.words()[-1:] == ["stop"])
    assert running.panel.held.said == (0.0, 0.0, 0.0)


def test_typing_into_a_field_does_not_walk(running: Running) -> None:
    before = len(running.panel.session.sent)
    press = """(place) => { for (const kind of ['keydown', 'keyup'])
      place.dispatchEvent(new KeyboardEvent(kind, {key: 'w', bubbles: true})) }"""
    running.page.wait_for("document.querySelector('input') !== null")
    running.page.evaluate(f"({press})(document.querySelector('input'))")
    time.sleep(0.5)
    assert len(running.panel.session.sent) == before
    only_down = press.replace(", 'keyup'", "")
    running.page.evaluate(f"({only_down})(document.body)")  # elsewhere it does
    running.wait(lambda: len(running.panel.session.sent) > before)
    running.page.evaluate("window.dispatchEvent(new Event('blur'))")  # another window is chosen
    running.wait(lambda: running.words()[-1:] == ["stop"])


def test_buttons_pause_and_stop(running: Running) -> None:
    running.page.click_on("#ff-pause")
    running.page.wait_for(f"{STATE} === 'paused'")
    at = running.panel.session.time
    running.page.click_on("#ff-step")
    running.wait(lambda: running.panel.session.time > at)
    assert running.panel.session.time == pytest.approx(at + 0.02, abs=1e-6)
    running.page.click_on("#ff-pause")
    running.wait(lambda: running.panel.session.time > at + 0.1)
    running.page.click_on("#ff-stop")
    running.wait(lambda: running.words()[-1:] == ["stop"])


def test_the_stick_turns_and_lost_pages_stop_the_robot(running: Running) -> None:
    with operated_page(running.stage.address, width=500, height=400) as second:
        second.wait_for(f"!!({STATE}) && {STATE} !== '...'")
        assert running.panel._link.pages == 2
        second.wait_for("document.querySelector('#ff-stick') !== null")
        press = """(kind, x, y) => { const node = document.querySelector('#ff-stick');
          const box = node.getBoundingClientRect(); node.setPointerCapture = () => 0;
          node.hasPointerCapture = () => true;
          node.dispatchEvent(new PointerEvent(kind, {clientX: box.x + box.width / 2 + x,
            clientY: box.y + box.height / 2 + y, pointerId: 1, bubbles: true})) }"""
        second.evaluate(f"({press})('pointerdown', -60, 0)")
        running.wait(lambda: running.panel.held.said.turn == pytest.approx(0.35))
    running.wait(lambda: running.panel.held.said.turn == 0.0)  # the page is gone
    assert running.words()[-1:] == ["stop"]
    running.wait(lambda: running.panel._link.pages == 1)


def test_a_click_on_the_ground_plans_a_way(running: Running) -> None:
    running.page.key("Escape", "keyDown")
    running.page.click(600, 480)  # the ground beside the robot
    running.wait(lambda: running.panel.preview is not None or running.panel.message[1])
    assert running.panel.preview is not None, running.panel.message
    text = running.page.wait_for("(document.querySelector('#ff-message') || {}).textContent")
    assert "planned in" in text
    running.page.key("Enter", "keyDown")
    running.wait(lambda: "walk_to" in running.words())


def test_a_gamepad_walks_and_is_named(running: Running) -> None:
    page = running.page
    page.evaluate(
        """window.ffPad = {id: 'Test pad', connected: true, axes: [0, -1, 0, 0],
          buttons: [...Array(12)].map(() => ({value: 0}))};
        navigator.getGamepads = () => [window.ffPad]; 1"""
    )
    running.wait(lambda: running.panel.held.said.forward == pytest.approx(0.4))
    page.wait_for("document.querySelector('#ff-pad').textContent === 'Gamepad: Test pad'")
    page.evaluate("window.ffPad.axes = [0, 0, 0.05, 0]; 1")  # within the dead zone
    running.wait(lambda: running.panel.held.said == (0.0, 0.0, 0.0))
    stops = running.words().count("stop")
    page.evaluate("window.ffPad.buttons[1].value = 1; 1")
    running.wait(lambda: running.words().count("stop") > stops)
    page.evaluate("navigator.getGamepads = () => []; 1")
    page.wait_for("document.querySelector('#ff-pad').textContent === ''")


# What is drawn and plotted: looked for in the pixels of the page.


def pixels(page: OperatedPage) -> Any:
    """Colours (rows, columns, 3) of the view, without cards and docks."""
    content = matplotlib.image.imread(io.BytesIO(page.picture()))[..., :3]
    return (255.0 * content).astype(np.int16)[150:420, 180:650]


def count(page: OperatedPage, matches: Callable[[Any], Any]) -> int:
    return int(np.count_nonzero(matches(np.moveaxis(pixels(page), 2, 0))))


def wait_for_pixels(
    running: Running, matches: Callable[[Any], Any], enough: Callable[[int], bool], timeout: float = 40.0
) -> int:
    deadline = time.monotonic() + timeout
    while not enough(found := count(running.page, matches)):
        assert time.monotonic() < deadline, found
        time.sleep(0.3)
    return found


def greenish(colors: Any) -> Any:
    """Of cones that hold: (70, 160, 90) over something bright."""
    red, green, blue = colors
    return (green > red + 14) & (green > blue + 8)


def bluish(colors: Any) -> Any:
    """Of the ghost, (64, 128, 242), more than the sky and the robot's hands."""
    red, _, blue = colors
    return (blue > red + 40) & (blue > 160)


def test_cones_are_drawn_and_hidden(running: Running) -> None:
    for name in ("Forces", "Plan", "Balance"):
        running.panel.scene.set_layer(name, False)
    before = count(running.page, greenish)
    running.panel.scene.set_layer("Friction cones", True)
    shown = wait_for_pixels(running, greenish, lambda found: found > before + 150)
    running.panel.scene.set_layer("Friction cones", False)
    wait_for_pixels(running, greenish, lambda found: found < before + (shown - before) // 3)


def test_the_ghost_stands_beside_the_robot(running: Running) -> None:
    running.panel.scene.aside = 0.6
    before = count(running.page, bluish)
    running.panel.scene.set_layer("Ghost: set points", True)
    wait_for_pixels(running, bluish, lambda found: found > before + 1500)
    running.panel.scene.set_layer("Ghost: set points", False)
    wait_for_pixels(running, bluish, lambda found: found < before + 500)
    running.panel.scene.aside = 0.0


def test_plots_show_signals_and_a_click_looks_back(running: Running) -> None:
    page = running.page
    page.click_on("#ff-plots")
    page.wait_for("document.querySelectorAll('#ff-plot-list canvas').length === 3")
    told = "[...document.querySelectorAll('#ff-plot-list .head i')].map(each => each.textContent)"
    drawn = f"{told}.length >= 8 && {told}.every(each => /[xyz] -?[0-9]/.test(each))"  # values at the cursor
    page.wait_for(drawn)
    page.evaluate(
        """(field => { field.value = 'right_foot'; field.onchange() })(document.querySelector('#ff-plot-list input'))"""
    )
    page.wait_for(
        "[...document.querySelectorAll('#ff-plot-list b')].some(each => each.textContent.startsWith('right_foot'))"
    )
    box = page.evaluate(f"({MIDDLE})(document.querySelector('#ff-plot-list canvas'))")
    page.click(*box)
    page.wait_for(f"{STATE} === 'looking back'")
    begin, end = running.panel.history.range
    assert running.panel._review is not None
    assert begin < running.panel._review < end
    at = running.panel.session.time
    time.sleep(0.3)
    assert running.panel.session.time == at  # nothing is simulated meanwhile
    page.click_on("#ff-live")
    running.wait(lambda: running.panel.session.time > at)
    page.click_on("#ff-plots")


def test_what_the_robot_believes_is_drawn(running: Running) -> None:
    session = running.panel.session
    running.wait(lambda: activity(session).doing == "standing")
    x, y, _ = session.walker.plant.state.q[:3]  # wherever earlier tests have left it, the box is beside it
    running.panel.wish(
        lambda now: now.happen("add", name="seen", size=(0.3, 0.3, 0.2), position=(x + 1.0, y + 0.6, 0.1))
    )
    running.panel.wish(lambda now: now.walk_to(x + 0.2, y - 0.2))
    running.wait(lambda: session.pilot.environment.version > 0)
    running.wait(lambda: activity(session).doing == "standing")
    before = pixels(running.page)

    def changed(colors: Any) -> Any:
        return np.abs(colors - np.moveaxis(before, 2, 0)).max(axis=0) > 24

    deadline = time.monotonic() + 40.0
    while True:  # until the camera has come to rest
        time.sleep(1.0)
        quiet = count(running.page, changed)
        if quiet < 200 or time.monotonic() > deadline:
            break
        before = pixels(running.page)
    running.panel.scene.set_layer("Believed heights", True)
    shown = wait_for_pixels(running, changed, lambda found: found > quiet + 4000)
    running.panel.scene.set_layer("Believed heights", False)
    wait_for_pixels(running, changed, lambda found: found < quiet + shown // 4)


def choose_tab(page: OperatedPage, title: str) -> None:
    found = f"[...document.querySelectorAll('[role=tab]')].find(each => each.textContent === '{title}')"
    page.wait_for(f"!!{found}")
    page.click(*page.evaluate(f"({MIDDLE})({found})"))


def test_a_joint_is_moved_by_the_slider_of_its_tab(running: Running) -> None:
    page, session = running.page, running.panel.session
    running.wait(lambda: activity(session).doing == "standing")
    choose_tab(page, "Joints")
    page.wait_for("document.body.textContent.includes('beside its set point')")
    joints = running.panel.docks.joints
    joints.name.value = "vp"
    joints._choose()
    slider = (
        "[...document.querySelectorAll('[role=slider]')].filter(each => each.offsetParent !== null).pop()"
    )
    page.wait_for(f"!!{slider}")
    page.evaluate(f"{slider}.focus()")
    for _ in range(4):
        page.key("ArrowRight", "keyDown")
        page.key("ArrowRight", "keyUp")
    running.wait(lambda: "joint" in running.words())
    running.wait(lambda: session.operator.moved_by_hand == ("vp",))
    buttons = "[...document.querySelectorAll('button')].find(each => each.textContent === 'Give all back')"
    page.evaluate(f"{buttons}.click()")
    running.wait(lambda: session.operator.moved_by_hand == ())


def test_a_zip_with_meshes_is_taken_from_the_page_and_nonsense_refused(
    running: Running, tmp_path: Path
) -> None:
    page, dock = running.page, running.panel.docks.scene
    choose_tab(page, "Scene")
    page.wait_for("document.querySelector('input[type=file]') !== null")

    def upload(name: str, content: bytes) -> None:
        (tmp_path / name).write_bytes(content)
        root = page.call("DOM.getDocument")["root"]["nodeId"]
        node = page.call("DOM.querySelector", nodeId=root, selector="input[type=file]")["nodeId"]
        page.call("DOM.setFileInputFiles", files=[str(tmp_path / name)], nodeId=node)

    mesh = URDF.format(visual=MESH.format("../meshes/tip.stl")).encode()
    upload("arm.zip", packed(**{"urdf__arm.urdf": mesh, "meshes__tip.stl": SOLID}))
    running.wait(lambda: str(dock.robot.value).endswith("arm.urdf"))
    page.wait_for("document.querySelector('#ff-message').textContent.includes('arm.zip is here')")
    upload("broken.zip", b"no zip at all")
    page.wait_for("document.querySelector('#ff-message').textContent.includes('no zip')")
    before = running.panel.session
    buttons = "[...document.querySelectorAll('button')].find(each => each.textContent === 'Begin')"
    page.evaluate(f"{buttons}.click()")  # an arm cannot walk
    page.wait_for("document.querySelector('#ff-message').className.includes('bad')")
    assert running.panel.session is before  # which walks on
    dock.robot.value, dock.scene.value = before.asked.robot, "stairs"
    page.evaluate(f"{buttons}.click()")
    running.wait(lambda: running.panel.session is not before)
    assert running.panel.session.asked.scene == "stairs"
    page.wait_for(f"{STATE} === 'standing'")


def test_a_fall_is_on_the_page_and_reset_begins_again(running: Running) -> None:
    first = running.panel.session
    running.panel.kick(80.0, 1.57)
    running.page.wait_for(f"{STATE} === 'fallen'")
    detail = running.page.evaluate("document.querySelector('#ff-detail').textContent")
    assert detail.startswith("because ")
    assert "fallen, because" in running.page.wait_for("document.querySelector('#ff-message').textContent")
    running.page.wait_for("document.querySelectorAll('#ff-marks .fallen').length >= 1")
    assert "it was pushed with 800 N" in running.panel.message[1]
    running.page.click_on("#ff-reset")
    running.wait(lambda: running.panel.session is not first)
    running.page.wait_for(f"{STATE} === 'standing'")


def test_nothing_is_drawn_after_the_last_page(running: Running) -> None:
    running.page.call("Page.navigate", url="about:blank")
    running.wait(lambda: not running.stage.is_open)
    drawn = running.panel.scene._version
    before = running.panel.session.time
    running.panel.drive(Velocity(0.2))
    running.wait(lambda: running.panel.session.time > before + 1.0)
    assert running.panel.scene._version == drawn  # plans came and were not drawn
    running.panel.stop()
    running.page.call("Page.navigate", url=running.stage.address)  # for tests that follow
    running.page.wait_for(f"['standing', 'stopping', 'walking'].includes({STATE})")
