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
from footfall.dynamics.kinematics import forward_kinematics
from footfall.math.rotations import matrix_from_quaternion
from footfall.viewer.chromium import OperatedPage, find_chromium, operated_page
from footfall.viewer.held_drive import STANDING, Velocity
from footfall.viewer.loop_event import LoopEvent
from footfall.viewer.page_link import PageLink
from footfall.viewer.stage import Stage
from footfall.viewer.uploads import MOST_BYTES
from footfall.viewer.walk_panel import WalkPanel
from footfall.viewer.walk_scene import LAYERS, q_of
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
CLOCK = "parseFloat((document.querySelector('#ff-clock') || {}).textContent)"
MESSAGE = "(document.querySelector('#ff-message') || {textContent: ''}).textContent"

PATIENCE = 300.0  # s: browsers draw on processors that other programs have too
PICTURES = "new Promise(drawn => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true))))"
LET_GO = """navigator.getGamepads = () => []; window.dispatchEvent(new Event('blur'));
  (document.querySelector('#ff-drawer.open #ff-plots') || {click: () => 0}).click()"""


class Running:
    """A panel that walks in a thread of its own, and a page of it."""

    def __init__(self, panel: WalkPanel, page: OperatedPage, stage: Stage) -> None:
        self.panel, self.page, self.stage = panel, page, stage
        self._asked = panel.session.asked

    def wait(self, condition: Callable[[], Any], timeout: float = PATIENCE) -> None:
        deadline = time.monotonic() + timeout
        while not condition():
            assert time.monotonic() < deadline, (self.panel.message, self.panel.session.sent[-5:])
            time.sleep(0.05)

    def words(self) -> list[str]:
        return [signal.word for signal in self.panel.session.sent]

    def begin_again(self) -> None:
        """Let all be as it was at first, whatever an earlier test has left."""
        panel, page = self.panel, self.page
        is_there = page.evaluate("document.querySelector('#ff-state') !== null")
        if is_there:
            page.evaluate(LET_GO)
        panel.paused, panel.speed, panel.tool = False, 1.0, "goal"
        for name, shown in LAYERS.items():
            panel.scene.set_layer(name, shown)
        panel.scene.aside, panel.scene.chosen = 0.0, None
        panel.scene.version = panel.scene.poses = None
        self.wait(lambda: panel.held.wanted(time.monotonic()) == STANDING)  # or the next walk began with it
        before = panel.session
        panel.reset(self._asked)
        self.wait(lambda: panel.session is not before and panel.session.time > 0.05)
        if not is_there:
            page.call("Page.navigate", url=self.stage.address)
            self.open()
        page.wait_for(f"{STATE} === 'standing'")
        self.place_camera()

    def open(self) -> None:
        """Wait until a page that was called shows a robot that stands."""
        page = self.page
        page.wait_for(f"!!({STATE}) && {STATE} !== '...'")
        page.wait_for("document.querySelector('canvas') !== null")
        page.evaluate(NO_NOTICES)
        # The robot is drawn after the state row, and can be taken then.
        self.wait(lambda: count(page, robot_blue) >= 100)

    def place_camera(self) -> None:
        """Look from where pages look at first: a drag that misses what it should take turns the camera."""
        placed = threading.Event()

        def place(_: WalkSession) -> None:  # in the thread that moves it otherwise
            for client in self.stage.server.get_clients().values():
                with client.atomic():
                    client.camera.position, client.camera.look_at = self.stage.view.position, self.stage.focus
            placed.set()

        def is_placed() -> bool:
            wanted = self.stage.view.position - self.stage.focus
            cameras = [client.camera for client in self.stage.server.get_clients().values()]
            return all(np.abs(each.position - each.look_at - wanted).max() < 0.02 for each in cameras)

        # A page tells where its camera is, also where it was before it heard of this: until it says so no more.
        agreed, deadline = 0, time.monotonic() + PATIENCE
        while agreed < 3:
            assert time.monotonic() < deadline, "the camera does not come to its place"
            if is_placed():
                agreed += 1
                self.page.evaluate("1")  # it has told all that it had to tell
                time.sleep(0.1)
            else:
                agreed = 0
                placed.clear()
                self.panel.wish(place)
                self.wait(placed.is_set)
                self.page.evaluate(PICTURES)

    def click_until(self, point: Callable[[], Any], condition: Callable[[], Any]) -> None:
        """Click at a place, (3,) m, again after a while if nothing came of it: a busy page may lose a click."""
        deadline = time.monotonic() + PATIENCE
        while not condition():
            assert time.monotonic() < deadline, (self.panel.message, self.panel.session.sent[-5:])
            self.page.click(*self.seen_at(point()))
            self.wait_some(condition, 20.0)

    def wait_some(self, condition: Callable[[], Any], seconds: float) -> bool:
        """Whether something comes true within a while, s."""
        end = time.monotonic() + seconds
        while not (found := bool(condition())) and time.monotonic() < end:
            time.sleep(0.05)
        return found

    def hold_still(self) -> None:
        """Pause, and wait until the camera rests: what changes then is what a test changes."""
        self.panel.paused = True
        self.page.wait_for(f"{STATE} === 'paused'")
        before, deadline = pixels(self.page), time.monotonic() + PATIENCE
        while True:
            assert time.monotonic() < deadline, "the picture does not come to rest"
            time.sleep(0.5)
            now = pixels(self.page)
            if int(np.count_nonzero(np.abs(now - before).max(axis=2) > 24)) < 20:
                return
            before = now

    def seen_at(self, point: Any) -> tuple[float, float]:
        """Where on the page a place (3,), m, is seen."""
        view = self.stage.view
        across, down, ahead = matrix_from_quaternion(view.wxyz).T @ (np.asarray(point) - view.position)
        left, top, wide, high = self.page.evaluate(
            "(b => [b.x, b.y, b.width, b.height])(document.querySelector('canvas').getBoundingClientRect())"
        )
        scale = 0.5 * high / np.tan(0.5 * view.fov) / ahead
        return float(left + 0.5 * wide + scale * across), float(top + 0.5 * high + scale * down)

    def place_of(self, body: str) -> Any:
        """Where the origin of a body is, (3,) m."""
        robot = self.panel.session.code.body.robot
        poses = forward_kinematics(robot, np.ascontiguousarray(q_of(self.panel.session)[: robot.nq]))
        return np.array(poses.position[[each.name for each in robot.bodies].index(body)])


@pytest.fixture(scope="module")
def started() -> Iterator[Running]:
    session = WalkSession(code=WalkingCode(walking_body(footfall.load("lola"))), scene="flat")
    session.run(1e-3)
    link, over = PageLink(), threading.Event()
    stage = Stage(port=0, link=link, uploads=MOST_BYTES)
    # Shadows take more than half of the time of a processor that draws.
    stage.server.scene.add_light_directional(
        "/light/sun", intensity=1.8, position=(3.0, -1.5, 5.0), cast_shadow=False
    )
    panel = WalkPanel(stage, session, link=link)
    thread = threading.Thread(target=lambda: panel.run(over.is_set))
    thread.start()
    try:
        # Small: all of it is drawn by the processor.
        with operated_page(stage.address, width=1000, height=560, timeout=PATIENCE) as page:
            running = Running(panel, page, stage)
            running.open()
            yield running
    finally:
        over.set()
        thread.join()
        stage.close()


@pytest.fixture
def running(started: Running) -> Running:
    """The panel as it is at first: no test sees what another one has left."""
    started.begin_again()
    return started


def test_a_held_key_walks_and_letting_go_stops(running: Running) -> None:
    running.page.key("w", "keyDown")
    running.wait(lambda: "drive" in running.words())
    drives = [signal for signal in running.panel.session.sent if signal.word == "drive"]
    assert getattr(drives[-1], "forward", None) == 0.4
    running.page.wait_for(f"{STATE} === 'walking'")
    running.page.key("w", "keyUp")
    running.wait(lambda: running.words()[-1:] == ["stop"] and running.panel.held.said == STANDING)


def test_a_held_key_stops_before_a_box_and_says_so(running: Running) -> None:
    page, panel = running.page, running.panel
    panel.wish(lambda now: now.happen("add", name="crate", size=(0.3, 0.5, 0.2), position=(0.55, 0.0, 0.1)))
    running.wait(lambda: "add" in running.words())
    page.key("w", "keyDown")
    # A page that is late lets go of its keys for a moment, and what is said of them goes too.
    page.wait_for(f"{MESSAGE}.includes('keys stop before it')")
    assert running.words() == ["add"]
    page.key("w", "keyUp")
    page.wait_for("document.querySelector('#ff-message').style.display === 'none'")


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
    running.wait(lambda: running.panel.session.time > at + 0.02 - 1e-6)  # all of its periods
    running.page.wait_for(f"{CLOCK} >= {at + 0.0099}")
    assert running.panel.session.time == pytest.approx(at + 0.02, abs=1e-6)
    running.page.click_on("#ff-pause")
    running.wait(lambda: running.panel.session.time > at + 0.1)
    running.page.click_on("#ff-stop")
    running.wait(lambda: running.words()[-1:] == ["stop"])


def test_the_stick_turns_and_lost_pages_stop_the_robot(running: Running) -> None:
    with operated_page(running.stage.address, width=500, height=400, timeout=PATIENCE) as second:
        second.wait_for(f"!!({STATE}) && {STATE} !== '...'")
        running.wait(lambda: running.panel._link.pages == 2)
        second.wait_for("document.querySelector('#ff-stick') !== null")
        press = """(kind, x, y) => { const node = document.querySelector('#ff-stick');
          const box = node.getBoundingClientRect(); node.setPointerCapture = () => 0;
          node.hasPointerCapture = () => true;
          node.dispatchEvent(new PointerEvent(kind, {clientX: box.x + box.width / 2 + x,
            clientY: box.y + box.height / 2 + y, pointerId: 1, bubbles: true})) }"""
        second.evaluate(f"({press})('pointerdown', -60, 0)")
        running.wait(lambda: running.panel.held.said.turn == pytest.approx(0.35))
    # The page is gone.
    running.wait(lambda: running.panel.held.said == STANDING and running.words()[-1:] == ["stop"])
    running.wait(lambda: running.panel._link.pages == 1)


def test_a_click_on_the_ground_plans_a_way(running: Running) -> None:
    panel = running.panel
    running.click_until(lambda: (0.5, 0.8, 0.0), lambda: panel.preview is not None or panel.message[1])
    assert panel.preview is not None, panel.message
    running.page.wait_for(f"{MESSAGE}.includes('planned in')")
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
    running: Running, matches: Callable[[Any], Any], enough: Callable[[int], bool], timeout: float = PATIENCE
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


def robot_blue(colors: Any) -> Any:
    """Of LOLA's toes, in light and in shade."""
    red, green, blue = colors
    return (blue > red + 70) & (blue > green + 35)


def bluish(colors: Any) -> Any:
    """Of the ghost, (64, 128, 242), more than the sky and the robot's hands."""
    red, _, blue = colors
    return (blue > red + 40) & (blue > 160)


def test_cones_are_drawn_and_hidden(running: Running) -> None:
    for name in ("Forces", "Plan", "Balance"):
        running.panel.scene.set_layer(name, False)
    running.hold_still()
    before = count(running.page, greenish)
    running.panel.scene.set_layer("Friction cones", True)
    shown = wait_for_pixels(running, greenish, lambda found: found > before + 150)
    running.panel.scene.set_layer("Friction cones", False)
    wait_for_pixels(running, greenish, lambda found: found < before + (shown - before) // 3)


def test_the_ghost_stands_beside_the_robot(running: Running) -> None:
    running.panel.scene.aside = 0.6
    running.hold_still()
    before = count(running.page, bluish)
    running.panel.scene.set_layer("Ghost: set points", True)
    wait_for_pixels(running, bluish, lambda found: found > before + 1500)
    running.panel.scene.set_layer("Ghost: set points", False)
    wait_for_pixels(running, bluish, lambda found: found < before + 500)


def test_plots_show_signals_and_a_click_looks_back(running: Running) -> None:
    page, panel = running.page, running.panel
    running.wait(lambda: panel.session.time > 1.0)
    panel.paused = True  # a page that is slow would show what is forgotten by then
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
    begin, end = panel.history.range
    assert panel._review is not None
    assert begin < panel._review < end
    at = panel.session.time
    panel.paused = False
    time.sleep(0.3)
    assert panel.session.time == at  # nothing is simulated meanwhile
    page.click_on("#ff-live")
    running.wait(lambda: panel.session.time > at)
    page.click_on("#ff-plots")


def test_what_the_robot_believes_is_drawn(running: Running) -> None:
    session = running.panel.session
    running.panel.wish(
        lambda now: now.happen("add", name="seen", size=(0.3, 0.3, 0.2), position=(1.0, 0.6, 0.1))
    )
    running.panel.wish(lambda now: now.walk_to(0.2, -0.2))
    running.wait(lambda: "walk_to" in running.words() and session.pilot.environment.version > 0)
    running.wait(lambda: activity(session).doing == "standing")
    running.hold_still()
    before = pixels(running.page)

    def changed(colors: Any) -> Any:
        return np.abs(colors - np.moveaxis(before, 2, 0)).max(axis=0) > 24

    quiet = count(running.page, changed)
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
    choose_tab(page, "Joints")
    page.wait_for("document.body.textContent.includes('beside its set point')")
    joints = running.panel.docks.joints
    joints.name.value = "vp"
    joints._choose()
    slider = (
        "[...document.querySelectorAll('[role=slider]')].filter(each => each.offsetParent !== null).pop()"
    )
    page.wait_for(f"!!{slider}")
    deadline = time.monotonic() + PATIENCE
    while session.operator.moved_by_hand != ("vp",):  # the page may make the slider anew as it is focussed
        assert time.monotonic() < deadline, (running.panel.message, session.sent[-5:])
        page.evaluate(f"{slider}.focus()")
        for _ in range(4):
            page.key("ArrowRight", "keyDown")
            page.key("ArrowRight", "keyUp")
        running.wait_some(lambda: session.operator.moved_by_hand == ("vp",), 10.0)
    assert "joint" in running.words()
    press_button(page, "Give all back")
    running.wait(lambda: session.operator.moved_by_hand == ())


def test_slow_motion_is_chosen_and_undo_takes_a_goal_back(running: Running) -> None:
    page, panel = running.page, running.panel
    page.click_on("[data-speed='0.25']")
    running.wait(lambda: panel.speed == 0.25)
    page.wait_for("document.querySelector(\"[data-speed='0.25']\").className.includes('on')")
    running.click_until(lambda: (0.6, 0.7, 0.0), lambda: panel.preview is not None or panel.message[1])
    assert panel.preview is not None, panel.message
    assert panel.scene.goal.frame.visible
    page.wait_for("document.querySelector('[data-press=undo]') !== null")
    page.key("Escape", "keyDown")
    running.wait(lambda: panel.preview is None)
    running.wait(lambda: not panel.scene.goal.frame.visible)
    page.wait_for("document.querySelector('#ff-message').style.display === 'none'")
    assert "walk_to" not in running.words()


def reddish(colors: Any) -> Any:
    """Of what closes a way, (214, 40, 31), in light and in shade."""
    red, green, blue = colors
    return (red > green + 60) & (red > blue + 60)


def test_what_closes_a_way_is_red_and_undo_takes_that_back(running: Running) -> None:
    """A goal inside of a block that stands beside the robot."""
    for name in ("Forces", "Plan", "Balance"):
        running.panel.scene.set_layer(name, False)
    x, y = 0.0, 0.9
    running.panel.wish(
        lambda now: now.happen("add", name="block", size=(0.6, 0.6, 1.0), position=(x, y, 0.5))
    )
    running.wait(lambda: "block" in running.panel.scene.object_names)
    running.hold_still()
    before = count(running.page, reddish)
    running.panel.aim(x, y)
    running.page.wait_for("document.querySelector('#ff-message').className.includes('bad')")
    assert "block" in running.panel.message[1]
    wait_for_pixels(running, reddish, lambda found: found > before + 1500)
    running.page.key("Escape", "keyDown")
    wait_for_pixels(running, reddish, lambda found: found < before + 300)


def test_the_mouse_pulls_the_robot_and_says_with_how_much(running: Running) -> None:
    deadline, told = time.monotonic() + PATIENCE, ""
    while not told:  # the page may be busy when the mouse is pressed
        assert time.monotonic() < deadline, running.panel.message
        place = running.seen_at(running.place_of("torso") + np.array([0.07, 0.0, 0.25]))
        with running.page.held(place, pause=0.1) as move:
            for k in range(1, 6):
                move(place[0] + 8.0 * k, place[1])
            if running.wait_some(lambda: "push" in running.words(), 3.0):
                running.wait(lambda: running.panel.scene._pull_text.text.endswith(" N"))
                told = running.panel.scene._pull_text.text
        if not told:
            running.place_camera()  # which has turned instead
    running.wait(lambda: running.panel._pull is None)
    pulls = [signal for signal in running.panel.session.sent if signal.word == "push"]
    known = {body.name for body in running.panel.session.code.body.robot.bodies}
    assert {str(getattr(each, "body", None)) for each in pulls} <= known
    assert any(np.linalg.norm(getattr(each, "force", (0.0,))) > 1.0 for each in pulls)
    running.wait(lambda: not running.panel.scene._pull_text.visible)


def place_of_box(running: Running, name: str) -> Any:
    return np.array(running.panel.session.walker.scene.object(name).placement.translation)


def test_boxes_are_put_down_dragged_and_taken_away(running: Running) -> None:
    page, panel = running.page, running.panel
    page.click_on("[data-tool=box]")
    running.wait(lambda: panel.tool == "box")
    page.click(*running.seen_at((0.4, 0.8, 0.0)))
    running.wait(lambda: "box-1" in panel.scene.object_names)
    place = panel.session.walker.scene.object("box-1").placement.translation
    assert place[:2] == pytest.approx([0.4, 0.8], abs=0.1)
    panel.tool = "goal"  # a drag that misses puts no other one down
    wanted = np.array([0.55, 1.0])

    def is_there() -> bool:
        return bool(np.abs(place_of_box(running, "box-1")[:2] - wanted).max() < 0.05)

    deadline = time.monotonic() + PATIENCE
    while not is_there():
        assert time.monotonic() < deadline, (place_of_box(running, "box-1"), panel.message)
        begin = np.array(running.seen_at(place_of_box(running, "box-1") + np.array([0.0, 0.0, 0.06])))
        way = np.array(running.seen_at((*wanted, 0.12))) - begin
        page.drag([tuple((begin + share * way).tolist()) for share in np.linspace(0.0, 1.0, 6)], pause=0.1)
        if not running.wait_some(is_there, 10.0):
            running.place_camera()  # the page was busy when the mouse was pressed: that has turned instead
    assert "move" in running.words()
    assert running.words().count("add") == 1
    page.key("Delete", "keyDown")
    running.wait(lambda: "remove" in running.words())
    running.wait(lambda: "box-1" not in panel.scene.object_names)


def test_pages_hear_from_all_threads(running: Running) -> None:
    """An event of viser's that our thread sets while its own iterates lost a picture in ten minutes."""
    handles = [running.stage.server, *running.stage.server.get_clients().values()]
    assert len(handles) >= 2
    for handle in handles:
        running.wait(
            lambda each=handle: isinstance(
                each.scene._websock_interface.get_message_buffer().message_event, LoopEvent
            )
        )


def test_a_click_on_a_foot_tells_its_wrench_on_the_page(running: Running) -> None:
    foot = running.place_of("zfl") + np.array([0.02, 0.0, 0.0])
    running.click_until(lambda: foot, lambda: running.panel.scene.chosen == "left_foot")
    label = running.panel.scene.wrench._label  # drawn into the picture: no text of the page
    running.wait(lambda: label.visible and label.text.startswith("left foot"))
    assert running.panel.preview is None  # no goal behind it


def test_tables_show_wrenches_joints_and_signals(running: Running) -> None:
    page = running.page
    choose_tab(page, "Hardware")
    rows = "[...document.querySelectorAll('table tr')].map(each => each.innerText.split(/\\s+/))"
    for part in ("right foot", "left foot", "right hand", "left hand"):
        page.wait_for(f"{rows}.some(row => row.join(' ').startsWith('{part}') && row.length >= 8)")
    weight = f"""(rows => ['right', 'left'].reduce((sum, side) => sum + Number(
      (rows.find(row => row[0] === side && row[1] === 'foot') || [])[4] || 0), 0))({rows})"""
    gains = running.panel.session.walker.gains
    running.wait(lambda: page.evaluate(weight) == pytest.approx(gains.mass * gains.gravity, rel=0.05))
    page.wait_for(f"{rows}.some(row => row[0] === 'kfr' && row.includes('..'))")
    choose_tab(page, "Signals")
    running.panel.wish(lambda session: session.set("gains.step_share", 0.5))
    page.wait_for("document.body.innerText.includes('gains.step_share')")


def test_a_parameter_is_typed_set_and_given_back(running: Running) -> None:
    page, dock = running.page, running.panel.docks.tune
    choose_tab(page, "Tune")
    usual = running.panel.session.parameters["gains.force_rate"]
    dock.name.value = "gains.force_rate"
    dock.show()
    fields = "[...document.querySelectorAll('input')].filter(each => each.offsetParent !== null)"
    field = f"{fields}.find(each => each.value === JSON.stringify({usual}) || Number(each.value) === {usual})"
    page.wait_for(f"!!{field}")
    page.evaluate(f"(each => {{ each.focus(); each.select() }})({field})")
    page.call("Input.insertText", text="17.5")
    running.wait(lambda: dock.value.value == "17.5")
    press_button(page, "Set")
    running.wait(lambda: running.panel.session.parameters["gains.force_rate"] == 17.5)
    press_button(page, "Default")
    running.wait(lambda: running.panel.session.parameters["gains.force_rate"] == usual)


def press_button(page: OperatedPage, text: str) -> None:
    found = f"[...document.querySelectorAll('button')].find(each => each.textContent === '{text}')"
    page.wait_for(f"!!{found}")
    page.evaluate(f"{found}.click()")


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
    press_button(page, "Begin")  # an arm cannot walk
    running.wait(lambda: running.panel.message[0] == "bad" and "no zip" not in running.panel.message[1])
    assert running.panel.session is before  # which walks on
    dock.robot.value, dock.scene.value = before.asked.robot, "stairs"
    press_button(page, "Begin")
    running.wait(lambda: running.panel.session is not before)
    assert running.panel.session.asked.scene == "stairs"
    page.wait_for(f"{STATE} === 'standing'")


def test_a_fall_is_on_the_page_and_reset_begins_again(running: Running) -> None:
    first = running.panel.session
    running.panel.kick(80.0, 1.57)
    running.page.wait_for(f"{STATE} === 'fallen'")
    detail = running.page.evaluate("document.querySelector('#ff-detail').textContent")
    assert detail.startswith("because ")
    running.page.wait_for(f"{MESSAGE}.includes('fallen, because')")
    running.page.wait_for("document.querySelectorAll('#ff-marks .fallen').length >= 1")
    assert "it was pushed with 800 N" in running.panel.message[1]
    running.panel.paused = True  # or it may be over before a slow page has shown it
    running.page.click_on("[data-press=review]")  # again, slowly
    running.page.wait_for("document.querySelector('#ff-detail').textContent.includes('again, at 0.25x')")
    running.panel.paused = False
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


def test_a_page_that_loses_the_program_says_so_and_finds_it_again() -> None:
    def told(state: str) -> PageLink:
        link = PageLink()
        rest = {"detail": "", "clock": "", "velocity": "", "paused": False, "speed": 1.0, "tool": "goal"}
        link.tell(
            "state", {"state": state, "lamps": [], "message": {"kind": "", "text": "", "buttons": []}} | rest
        )
        return link

    first = Stage(port=0, link=told("standing"))
    try:
        with operated_page(first.address, width=500, height=400, timeout=PATIENCE) as page:
            page.wait_for(f"{STATE} === 'standing'")
            first.close()
            page.wait_for(f"{STATE} === 'lost'")
            assert "trying again" in page.evaluate("document.querySelector('#ff-detail').textContent")
            second = Stage(port=first.port, link=told("walking"))
            try:
                page.wait_for(f"{STATE} === 'walking'")
            finally:
                second.close()
    finally:
        first.close()
