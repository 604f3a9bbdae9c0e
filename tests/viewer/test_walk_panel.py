"""The control panel of a walk: wishes of pages become signals, and a walk by hand replays to the same bits."""

from __future__ import annotations

import gc
import time
import weakref
from collections.abc import Iterator
from typing import Any

import msgspec
import numpy as np
import pytest

import footfall
from footfall.dynamics.kinematics import frame_pose
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scene.model import Material, SceneObject
from footfall.viewer.docks.ground import histogram
from footfall.viewer.docks.robot_state import SignalsDock
from footfall.viewer.docks.setting import changed_request
from footfall.viewer.docks.signal_form import send_form
from footfall.viewer.held_drive import DEAD_MAN, STANDING, HeldDrive, Velocity
from footfall.viewer.limb_forces import Ground
from footfall.viewer.page_link import Choose, Hold, Press, Seek, Speed, read_message
from footfall.viewer.parameter_limits import describe_parameter
from footfall.viewer.pointing import object_at, on_level
from footfall.viewer.stage import Stage
from footfall.viewer.walk_panel import WalkPanel, heading_of
from footfall.viewer.walk_scene import Drag, q_of
from footfall.walking.activity import activity
from footfall.walking.body import walking_body
from footfall.walking.session import WalkSession
from footfall.walking.signals import WORDS
from footfall.walking.walker import WalkingCode


@pytest.fixture(scope="module")
def code() -> WalkingCode:
    return WalkingCode(walking_body(footfall.load("lola")))


@pytest.fixture
def ended() -> list[WalkSession]:
    return []


@pytest.fixture
def panel(code: WalkingCode, ended: list[WalkSession]) -> Iterator[WalkPanel]:
    stage = Stage(port=0)
    yield WalkPanel(stage, WalkSession(code=code, scene="flat"), ended=ended.append)
    stage.close()


def walk(panel: WalkPanel, until: float) -> None:
    while panel.session.time < until - 1e-9 and not panel.session.fallen:
        panel.step()


def words(session: WalkSession) -> list[str]:
    return [signal.word for signal in session.sent]


def test_controls_drive_the_robot_and_it_replays(panel: WalkPanel, code: WalkingCode) -> None:
    session = panel.session
    panel.docks.walk.forward.value = 0.3  # as a page would set it
    panel.docks.walk.drive()
    panel.docks.disturb.kick()
    walk(panel, 1.5)
    assert words(session) == ["drive", "push"]
    assert "drive 0.30" in activity(session).about
    assert activity(session).doing == "walking"
    assert activity(session).steps > 0
    panel.stop()
    panel.docks.walk.motion.value = "bow"
    panel.docks.walk.perform()
    panel.step()
    assert words(session)[2:] == ["stop", "bow"]
    assert_replays(session, code)


def test_a_kick_goes_in_any_direction_and_replays(panel: WalkPanel, code: WalkingCode) -> None:
    session, dock = panel.session, panel.docks.disturb
    panel.step()
    heading = heading_of(session)
    dock.impulse.value = 6
    dock.direction.value = -37.5  # as a page would set it
    dock.kick()
    walk(panel, 0.3)
    dock._choose_side("right")  # the push goes to the left
    dock.kick()
    walk(panel, 0.6)
    pushes = [np.array(signal.force) for signal in session.sent if signal.word == "push"]
    assert [float(np.linalg.norm(each)) for each in pushes] == pytest.approx([60.0, 60.0])
    ways = [np.degrees(np.arctan2(each[1], each[0]) - heading) for each in pushes]
    assert ways == pytest.approx([-37.5, 90.0], abs=1.0)  # a kick turns the robot a little
    assert_replays(session, code)


def assert_replays(session: WalkSession, code: WalkingCode) -> None:
    again = WalkSession(session.request, code=code)
    again.run_until(session.time)
    assert again.walker.arrays[0].q.tobytes() == session.walker.arrays[0].q.tobytes()


def test_a_mouse_that_pulls_is_signals_and_replays(panel: WalkPanel, code: WalkingCode) -> None:
    session = panel.session
    body = code.body.body_of("UB")
    panel.step()
    there = np.array(session.walker.log.signals[-1]["center"]) + np.array([0.0, 0.0, 0.2])
    panel._on_drag("body", Drag("start", body, there, there, there + np.array([3.0, 0.0, 1.0]), 1))
    panel._on_drag("body", Drag("update", body, there, there + np.array([0.0, 0.08, 0.0]), there, 1))
    walk(panel, 0.5)
    pushes = [signal for signal in session.sent if signal.word == "push"]
    assert len(pushes) > 10
    assert pushes[0].force[1] > 20.0  # 12 N/m/kg times 0.08 m times 63 kg
    assert np.linalg.norm(pushes[0].torque) > 1.0  # it is not taken at its origin
    panel._on_leave(2)
    assert panel._pull is not None  # another page has left
    panel._on_leave(1)
    count = len(session.sent)
    walk(panel, 0.8)
    assert len(session.sent) == count
    assert_replays(session, code)


def test_a_fall_is_told_and_reset_puts_the_robot_on_its_feet(
    panel: WalkPanel, ended: list[WalkSession]
) -> None:
    first = panel.session
    panel.kick(60.0, 1.5)
    walk(panel, 10.0)
    assert first.fallen
    panel.step()
    assert "fallen, because" in panel.message[1]
    assert ended == [first]
    panel.review()
    panel.step()
    assert panel._review is not None
    panel._on_message(1, Press("reset"))
    panel.step()
    assert panel.session is not first
    assert not panel.session.fallen
    assert panel.session.request.signals == ()
    walk(panel, 0.2)
    assert activity(panel.session).doing == "standing"
    assert ended == [first]  # written once
    panel.finish()
    panel.finish()
    assert len(ended) == 2


def test_a_walk_that_is_over_leaves_no_memory_behind(panel: WalkPanel) -> None:
    """Its log was kept until somebody looked for cycles: 16 MB with every reset."""
    panel.drive(Velocity(0.2))
    panel.step()
    gc.disable()
    try:
        known = [weakref.ref(each) for each in (panel.session, panel.session.walker, panel.history)]
        panel._ended = lambda _: None
        panel.reset()
        panel.step()
        assert [each() for each in known] == [None, None, None]
    finally:
        gc.enable()


def test_errors_while_walking_are_told_on_the_page(
    panel: WalkPanel, monkeypatch: pytest.MonkeyPatch, ended: list[WalkSession]
) -> None:
    def broken(_: float) -> bool:
        raise ZeroDivisionError("a controller of one's own")

    monkeypatch.setattr(panel.session, "run", broken)
    panel.step()
    panel.step()
    assert "ZeroDivisionError: a controller of one's own" in panel.message[1]
    assert ended == [panel.session]
    panel.reset()
    panel.step()
    assert panel.failed is None
    assert panel.session.time > 0.0


def test_a_click_plans_and_a_second_one_walks(panel: WalkPanel) -> None:
    camera = np.array([3.0, -3.0, 2.0])
    panel.wish(lambda session: panel._point(session, camera, np.array([1.5, 0.2, 0.0]) - camera))
    panel.step()
    assert panel.preview is not None
    assert panel.preview.text.split(",")[0].endswith("steps")
    assert (panel.preview.x, panel.preview.y) == (1.5, 0.2)
    assert words(panel.session) == []
    to = np.array([1.5, 1.2, 0.0])
    panel._on_drag("goal", Drag("end", "goal", to, to, camera, 1))  # the arrow to the left
    panel.step()
    assert panel.preview.yaw == pytest.approx(np.pi / 2, abs=0.01)
    panel._on_message(1, Press("undo"))
    panel.step()
    assert panel.preview is None
    panel.aim(1.5, 0.2)
    panel.walk_there()
    walk(panel, 2.0)
    assert words(panel.session) == ["walk_to"]
    assert activity(panel.session).doing == "walking"


def test_where_there_is_no_way_it_says_why(panel: WalkPanel) -> None:
    for k, (size, place) in enumerate(
        [
            ((0.2, 3.0, 1.0), (1.2, 0.0)),
            ((0.2, 3.0, 1.0), (-1.2, 0.0)),
            ((2.6, 0.2, 1.0), (0.0, 1.4)),
            ((2.6, 0.2, 1.0), (0.0, -1.4)),
        ]
    ):
        options: dict[str, Any] = {"size": size, "position": (*place, 0.5)}
        panel.wish(lambda session, k=k, options=options: session.happen("add", name=f"wall-{k}", **options))
    panel.aim(3.0, 0.0, 0.0)
    panel.step()
    assert panel.preview is None
    assert "no way to x = 3 m" in panel.message[1]


def test_boxes_are_put_dragged_and_removed(panel: WalkPanel) -> None:
    panel.tool = "box"
    camera = np.array([3.0, -3.0, 2.0])
    panel.wish(lambda session: panel._point(session, camera, np.array([1.5, 0.2, 0.0]) - camera))
    panel.step()
    box = panel.session.walker.scene.object("box-1")
    assert box.placement.translation[:2] == pytest.approx([1.5, 0.2], abs=1e-3)
    top = np.array([1.5, 0.2, 0.12])
    panel._on_drag("object", Drag("update", "box-1", top, top + np.array([0.0, 0.5, 0.0]), camera, 1))
    panel.step()
    moved = panel.session.walker.scene.object("box-1").placement.translation
    assert moved[:2] == pytest.approx([1.5, 0.7], abs=0.01)
    # The page has not drawn that yet as the mouse goes on: the box went as far as the mouse once more.
    panel._on_drag("object", Drag("update", "box-1", top, top + np.array([0.0, 0.6, 0.0]), camera, 1))
    panel._on_drag("object", Drag("end", "box-1", top, top + np.array([0.0, 0.6, 0.0]), camera, 1))
    panel.step()
    moved = panel.session.walker.scene.object("box-1").placement.translation
    assert moved[:2] == pytest.approx([1.5, 0.8], abs=0.01)
    panel._on_message(1, Press("remove"))
    panel.step()
    assert words(panel.session) == ["add", "move", "move", "remove"]
    assert "box-1" not in panel.scene.object_names


def test_scenes_with_things_are_drawn_again_after_a_reset(panel: WalkPanel) -> None:
    """Scenes were compared by their arrays, which has no truth value."""
    panel.tool = "box"
    camera = np.array([3.0, -3.0, 2.0])
    panel.wish(lambda session: panel._point(session, camera, np.array([1.5, 0.2, 0.0]) - camera))
    panel.step()
    panel.scene.show(panel.session)
    assert panel.scene.object_names == {"box-1"}
    panel.reset()
    panel.step()
    panel.scene.show(panel.session)
    assert panel.scene.object_names == set()
    assert panel.message == ("", "")


def test_a_paused_walk_stands_still_and_refusals_are_shown(panel: WalkPanel) -> None:
    panel._on_message(1, Press("pause"))
    panel.step()
    assert panel.paused
    assert panel.session.time == 0.0
    panel._on_message(1, Press("step"))
    panel.step()
    assert panel.session.time == pytest.approx(0.02)
    panel.step()
    assert panel.session.time == pytest.approx(0.02)
    panel.wish(lambda session: session.set("gains.step_shar", 1.0))
    panel.step()
    assert "step_share" in panel.message[1]
    for _ in range(300):  # more than are kept
        panel.docks.walk.drive()
    assert "too many" in panel.message[1]
    panel._on_message(1, Press("pause"))
    panel.run(lambda: False, most=0.1)
    assert panel.session.time == pytest.approx(0.1, abs=0.034)


def test_slow_motion_is_slow_and_nothing_is_drawn_without_a_page(
    panel: WalkPanel, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn: list[int] = []
    monkeypatch.setattr(panel.scene, "show", lambda *_, **__: drawn.append(1))
    panel._on_message(1, Speed(0.1))
    for _ in range(30):
        panel.step()
    assert panel.session.time == pytest.approx(0.1, abs=2e-3)
    assert drawn == []


def choose(dock: SignalsDock, word: str) -> None:
    dock.word.value = word
    dock.form.show(word, dock._panel.session)


def test_every_signal_has_controls_with_its_defaults(panel: WalkPanel) -> None:
    """What a form says without a change is a signal whose every option has its default."""
    dock = panel.docks.signals
    panel.wish(lambda session: session.happen("add", name="box", size=(0.3, 0.3, 0.2), position=(3, 0, 0.1)))
    panel.step()
    for word, kind in WORDS.items():
        choose(dock, word)
        fields = {field.name: field for field in msgspec.structs.fields(kind) if field.name != "time"}
        assert list(dock.form.controls) == list(fields)
        if word == "set":  # a parameter's value is typed
            dock.form.controls["value"].value = "1.0"
        signal = dock.form.signal(panel.session)
        for name, field in fields.items():
            if field.required:
                continue
            said = getattr(signal, name)
            wanted = field.default
            if isinstance(wanted, float):
                assert said == pytest.approx(wanted, abs=1e-5), (word, name)  # degrees are rounded
            else:
                assert said == wanted, (word, name)
    choose(dock, "bow")
    dock.form.controls["angle"].value = 20.0  # degrees on the page
    assert dock.form.signal(panel.session).angle == pytest.approx(np.radians(20.0))
    panel.docks.walk.motion.value = "one_leg"
    panel.docks.walk.form.show("one_leg", panel.session)
    panel.docks.walk.form.controls["foot"].value = "LF"
    panel.docks.walk.perform()
    panel.step()
    assert panel.session.sent[-1].foot == "LF"


def test_joints_are_moved_by_hand_and_drives_identified(panel: WalkPanel, code: WalkingCode) -> None:
    joints, identify = panel.docks.joints, panel.docks.identify
    panel.step()
    joints.name.value = "vp"
    joints._choose()
    assert joints.offset.min < -10.0 < 10.0 < joints.offset.max
    joints.offset.value = 8.0
    joints.move()
    walk(panel, 1.0)
    panel.docks.refresh(panel.session)
    assert "vp" in joints.state.content
    assert "8.0" in joints.state.content
    panel.docks.walk.drive()
    panel.step()
    assert "vp moved by hand" in panel.message[1]
    joints.give_back("all")
    identify.sweep()
    walk(panel, 2.0)
    assert "choose mode full" in panel.message[1]
    panel._begin(changed_request(panel.session.asked, {"mode": "full"}))
    identify.name.value, identify.seconds.value = "efl", 2.0
    identify.sweep()
    walk(panel, 2.5)
    assert "polyline" in identify.plot.content
    assert "it lags by" in identify.state.content
    identify.optimise()
    walk(panel, 11.0)
    assert "of its velocity now" in identify.state.content
    assert words(panel.session).count("sweep") == 4


def test_any_parameter_and_any_signal_can_be_sent(panel: WalkPanel) -> None:
    docks = panel.docks
    docks.tune.name.value = "planner.step.forward_m"
    docks.tune.show()
    assert "m; above 0" in docks.tune.about.content
    docks.tune.set("0.3")
    choose(docks.signals, "drive")
    docks.signals.form.controls["forward"].value = 0.2
    send_form(docks.signals.form, panel)
    panel.step()
    assert panel.session.parameters["planner.step.forward_m"] == 0.3
    assert words(panel.session) == ["set", "drive"]
    choose(docks.signals, "set")
    docks.signals.form.controls["value"].value = "no json"
    send_form(docks.signals.form, panel)
    panel.step()
    assert "no JSON" in panel.message[1]
    docks.refresh(panel.session)
    assert "drive" in docks.signals.listed.content
    assert "right foot" in docks.hardware.wrenches.content
    assert "kfr" in docks.hardware.joints.content


def test_every_parameter_is_described(panel: WalkPanel) -> None:
    """Those of hands, by classes of objects, raised an error."""
    settings = panel.session.pilot.settings
    texts = {name: describe_parameter(settings, name) for name in panel.session.parameters}
    assert texts["planner.hand.curvature.rail.convex"] == "above 0, at most 1e+06"
    assert texts["planner.step.forward_m"].startswith("m; ")


def test_stabilisation_is_switched_and_scaled_by_signals(panel: WalkPanel) -> None:
    usual = panel.session.parameters["gains.force_rate"]
    on, factor = panel.docks.balance.switches["gains.force_rate"]
    factor.value = 0.5
    panel.docks.balance.change("gains.force_rate")
    panel.step()
    assert panel.session.parameters["gains.force_rate"] == pytest.approx(0.5 * usual)
    on.value = False
    panel.docks.balance.change("gains.force_rate")
    panel.step()
    assert panel.session.parameters["gains.force_rate"] == 0.0
    assert words(panel.session) == ["set", "set"]
    panel.docks.tune._restore(panel.session)
    assert panel.session.parameters["gains.force_rate"] == usual
    panel.docks.refresh(panel.session)
    assert "divergent" in panel.docks.balance.state.content


def test_a_look_back_shows_the_past_and_simulates_nothing(panel: WalkPanel, code: WalkingCode) -> None:
    session = panel.session
    panel.drive(Velocity(0.3))
    walk(panel, 3.0)
    panel.history.take(session)
    q = np.array(session.walker.log.q)  # every row of 1 ms
    panel._on_message(1, Seek(time=2.0))
    panel.step()
    panel.step()
    assert session.time == pytest.approx(3.0, abs=0.04)
    past, signals = panel.history.at(2.0)
    assert float(signals["time"]) == pytest.approx(2.0, abs=0.021)
    assert past == pytest.approx(q[1999], abs=1e-9)  # row k is of the time k + 1 ms
    between, _ = panel.history.at(2.01)
    assert between == pytest.approx(q[2009], abs=2e-3)  # rows are 20 ms apart
    panel._on_message(1, Choose(names=("zmp", "kfr.position", "no such signal")))
    assert [group.labels for _, group in panel.history.groups("kfr.position")] == [("kfr",)]
    assert panel.history.groups("no such signal") == []
    assert panel.plots.is_seen
    panel.plots.refresh()
    panel._on_message(1, Seek(time=None))
    walk(panel, 3.2)
    assert session.time > 3.1
    assert_replays(session, code)


def test_a_refused_scene_leaves_the_walk_as_it_is(panel: WalkPanel, ended: list[WalkSession]) -> None:
    """It was ended before the next one was made."""
    first = panel.session
    panel.step()
    panel.docks.scene.robot.options = ("no such robot", *panel.docks.scene.robot.options)
    panel.docks.scene.robot.value = "no such robot"
    panel.docks.scene.begin()
    panel.step()
    assert panel.session is first
    assert ended == []
    assert "no such robot" in panel.message[1]
    panel.docks.scene.mode.value = "anything"  # pages may say so
    panel.docks.scene.begin()
    assert "not in the list" in panel.message[1]


def test_who_holds_nothing_for_a_moment_stands() -> None:
    """A dead-man: what a page said counts for 0.3 s."""
    held = HeldDrive()
    held.hear(1, Hold(keys=("w", "q")), 10.0)
    assert held.change(10.05, 1.0) == Velocity(0.4, 0.0, 0.35)
    assert held.change(10.1, 1.05) is None  # it knows
    assert held.change(10.0 + DEAD_MAN + 0.01, 1.1) == STANDING
    held.hear(1, Hold(stick=(0.5, 0.0)), 11.0)
    held.hear(2, Hold(pad=(0.0, -1.0, 0.0)), 11.0)
    assert held.wanted(11.1) == pytest.approx((0.2, -0.12, 0.0))
    held.forget(2)
    assert held.wanted(11.1) == pytest.approx((0.2, 0.0, 0.0))


def test_words_of_pages() -> None:
    assert read_message('{"do": "hold", "keys": ["w"], "stick": [0, 1], "pad": null}') == Hold(
        ("w",), (0.0, 1.0)
    )
    assert read_message(b'{"do": "press", "name": "stop"}') == Press("stop")
    assert read_message('{"do": "seek", "time": null}') == Seek(None)
    assert read_message('{"do": "choose", "names": ["zmp"]}') == Choose(("zmp",))
    for text in (
        '{"do": "seek", "time": -1}',
        '{"do": "choose", "names": ["' + "x" * 101 + '"]}',
        '{"do": "press", "name": "explode"}',
        '{"do": "hold", "keys": ["w", "x"]}',
        '{"do": "hold", "stick": [2, 0]}',
        '{"do": "hold", "stick": [NaN, 0]}',
        '{"do": "speed", "value": 100}',
        '{"do": "speed", "value": 1, "other": 1}',
        "[" * 5000,
        "x" * 10_000,
        "",
    ):
        assert read_message(text) is None
    assert read_message(5) is None


def test_rays_meet_the_ground_and_boxes() -> None:
    down = np.array([0.0, 0.0, -1.0])
    assert on_level(np.array([1.0, 2.0, 3.0]), down, 0.5) == pytest.approx([1.0, 2.0, 0.5])
    assert on_level(np.array([1.0, 2.0, 3.0]), -down, 0.5) is None
    assert on_level(np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, -1e-3]), 0.0) is None  # far away
    objects = footfall.load_scene("obstacles").fixed_objects
    low = min(
        (each for each in objects if each.shape.__class__.__name__ == "Box"), key=lambda each: each.name
    )
    above = low.placement.translation + np.array([0.0, 0.0, 5.0])
    found = object_at(above, down, [low])
    assert found is not None
    assert found[0] == low.name
    assert object_at(above + np.array([50.0, 0.0, 0.0]), down, [low]) is None


def test_the_frame_catches_and_tells_the_robot_to_stop(panel: WalkPanel, code: WalkingCode) -> None:
    panel.docks.frame.change(on=True)
    panel.drive(Velocity(0.3))
    walk(panel, 2.0)
    panel.kick(80.0, 1.57)
    walk(panel, 3.5)
    session = panel.session
    assert not session.fallen
    assert words(session)[:4] == ["frame", "drive", "push", "stop"]
    assert "caught" in panel.message[1]
    panel.docks.refresh(session)
    assert "rope" in panel.docks.frame.state.content
    panel.docks.frame.lift()
    walk(panel, 3.6)
    assert words(session)[-2:] == ["stop", "frame"]
    panel._on_message(1, Press("reset"))
    panel.step()
    assert panel.session is not session
    assert panel.session.walker.frame is not None  # it stays
    assert_replays(session, code)


def test_axes_of_a_gamepad_shape_steps(panel: WalkPanel, code: WalkingCode) -> None:
    session = panel.session
    usual = session.parameters
    shape = panel.docks.gamepad.shape_steps
    panel.step()
    count = len(session.sent)
    shape(session, (1.0, -1.0))
    now = session.parameters
    height, seconds = "motion.foot.step_height_m", "motion.phase.transition_s"
    assert now[height] == pytest.approx(3.0 * usual[height])
    assert now[seconds] == pytest.approx(0.8 * usual[seconds])
    assert now["planner.timing.transition_s"] == now[seconds]  # or it would walk too fast
    shape(session, (0.5, -1.0))
    assert len(session.sent) == count + 3  # not at once again
    session.run(0.6)
    shape(session, (0.0, 0.0))
    assert session.parameters == usual
    assert panel.held.gait(0.0) == (0.0, 0.0)
    panel.held.hear(1, Hold(gait=(0.5, -0.25)), 10.0)
    assert panel.held.gait(10.1) == (0.5, -0.25)
    assert panel.held.gait(10.0 + 2.0 * DEAD_MAN) == (0.0, 0.0)


def test_a_click_on_a_foot_tells_its_wrench(panel: WalkPanel, code: WalkingCode) -> None:
    session, scene = panel.session, panel.scene
    walk(panel, 0.3)
    camera = np.array([2.0, -2.0, 1.5])

    def click(frame: str) -> None:
        body = code.body
        q = np.ascontiguousarray(q_of(session)[: body.robot.nq])
        place = np.array(frame_pose(body.robot, q, frame).translation)
        panel.wish(lambda now: panel._point(now, camera, place - camera))
        panel.step()

    click("RF")
    assert panel.preview is None  # no goal behind it
    assert scene.chosen == "right_foot"
    scene.show(session)
    label = scene.wrench._label
    assert label.visible
    assert label.text.startswith("right foot\nforce")
    assert "pressure at" in label.text
    click("IMU")  # within the upper body, which has no sensor
    scene.show(session)
    assert scene.chosen is None
    assert not label.visible


def test_the_ground_picture_and_the_histogram(panel: WalkPanel) -> None:
    walk(panel, 1.0)
    session = panel.session
    panel.history.take(session)
    panel.docks.ground.refresh(session)
    picture = panel.docks.ground.picture.content
    assert picture.count("<polygon") == 2
    assert picture.count("<circle") == 3
    # Feet are beside each other, the heading up: the right sole is in the right half of 300 pixels, mirrored the left.
    soles = [
        np.array([[float(each) for each in pair.split(",")] for pair in part.split('"')[0].split()])
        for part in picture.split('<polygon points="')[1:]
    ]
    assert soles[0][:, 0].min() > 140.0 > soles[0][:, 0].min() - 50.0
    np.testing.assert_allclose(soles[0][:, 0].mean() + soles[1][:, 0].mean(), 300.0, atol=1.0)
    assert "us of processor time" in panel.docks.ground.periods.content
    counted = histogram([10.0] * 98 + [20.0, 30.0])
    assert counted.count("<rect") == 30
    assert "median 10, largest 30" in counted


def test_cones_of_hands_stand_on_the_nearest_side() -> None:
    wall = SceneObject(
        "wall", Box((0.2, 2.0, 2.0)), Transform(np.eye(3), np.array([1.0, 0.0, 1.0])), Material(friction=0.4)
    )
    ground = Ground([wall])
    for x in (0.85, 0.91):  # before it, and pressed in
        normal, friction = ground.side(np.array([x, 0.3, 1.0]), 0.8)
        np.testing.assert_allclose(normal, [-1.0, 0.0, 0.0])
        assert friction == 0.4
    normal, friction = Ground([]).side(np.zeros(3), 0.8)
    np.testing.assert_allclose(normal, [0.0, 0.0, 1.0])
    assert friction == 0.8


def held(panel: WalkPanel, *keys: str, until: float) -> None:
    """Hold keys for a while."""
    while panel.session.time < until and not panel.session.fallen:
        panel.held.hear(1, Hold(keys=keys), time.monotonic())
        panel.step()


@pytest.mark.parametrize(
    "keys, place", [(("w",), (0.9, 0.1)), (("w", "q"), (0.75, 0.5)), (("a",), (-0.1, 0.8))]
)
def test_held_keys_stop_before_things(
    panel: WalkPanel, keys: tuple[str, ...], place: tuple[float, float]
) -> None:
    session, size = panel.session, (0.31, 0.23, 0.07)
    walk(panel, 0.1)
    session.happen("add", name="plank", size=size, position=(*place, 0.035))
    held(panel, *keys, until=9.0)
    assert not session.fallen
    assert words(session) == ["add", "drive", "stop"]
    assert activity(session).doing == "standing"
    assert "cm above" in panel.message[1]
    # No corner of a sole, by the poses of its own plan, is over the plank.
    rear, front, right, left = session.code.body.model.sole
    half = np.array(size[:2]) / 2
    for name in ("RF", "LF"):
        pose = frame_pose(session.code.body.robot, q_of(session), session.code.body.model.frames[name])
        for x, y in ((rear, right), (rear, left), (front, right), (front, left)):
            corner = pose.apply(np.array([x, y, 0.0]))[:2]
            assert (np.abs(corner - place) > half).any()
    held(panel, "s", until=session.time + 1.0)  # the other way is free
    assert words(session)[-1] == "drive"
    assert panel.message[1] == ""


def test_keys_that_may_go_anywhere_walk_on(panel: WalkPanel) -> None:
    session = panel.session
    panel.docks.gamepad.careful.value = False
    walk(panel, 0.1)
    session.happen("add", name="plank", size=(0.3, 0.3, 0.07), position=(0.7, 0.0, 0.035))
    held(panel, "w", until=1.5)
    assert words(session) == ["add", "drive"]


def test_no_box_is_put_into_the_robot(panel: WalkPanel) -> None:
    session = panel.session
    walk(panel, 0.1)
    panel._put_box(session, np.array([-0.1, 0.15, 0.0]))
    assert "the robot stands there" in panel.message[1]
    assert words(session) == []
    panel._put_box(session, np.array([0.8, 0.15, 0.0]))
    assert words(session) == ["add"]
    camera, there = np.array([3.0, -3.0, 2.0]), np.array([0.8, 0.15, 0.12])
    drag = Drag("start", "box-1", there, there, camera, 1)
    panel._drag_object(session, drag)
    panel._drag_object(session, drag._replace(phase="update", to=np.array([0.0, 0.15, 0.12])))
    assert words(session) == ["add"]
    panel._drag_object(session, drag._replace(phase="end", to=np.array([0.4, 0.15, 0.12])))
    assert words(session) == ["add", "move"]
    walk(panel, 1.0)
    assert not session.fallen


def test_operators_switch_the_robot_and_refusals_are_told(panel: WalkPanel) -> None:
    operator, session = panel.docks.operator, panel.session
    walk(panel, 0.1)
    operator.press("EMERGENCY STOP")
    panel.step()
    operator.refresh(session)
    assert "error" in operator.state.content
    panel.held.hear(1, Hold(keys=("w",)), time.monotonic())
    panel.step()  # a key that is held does not end the panel
    assert "refused" in panel.message[1]
    panel.held.forget()
    for label, stage in (("Reset the error", "off"), ("Power on", "ready"), ("Activate", "active")):
        operator.press(label)
        panel.step()
        operator.refresh(session)
        assert stage in operator.state.content, label
    operator.factor.value = 0.5
    operator.change()
    panel.step()
    assert words(session)[-1] == "force_control"
