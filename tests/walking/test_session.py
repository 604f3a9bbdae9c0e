"""Walks that are commanded while they run, in closed loop."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from footfall.errors import InvalidInput, UnknownName
from footfall.gait.poses import mean_foot_frame
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform
from footfall.scene.load import load_scene, save_scene
from footfall.simulation.joint_control import actuated_velocities
from footfall.walking.request import Push, WalkRequest, read_request, write_request
from footfall.walking.session import WalkSession
from footfall.walking.signals import Drive
from footfall.walking.start import require_within_limits
from footfall.walking.walk import walk
from footfall.walking.walker import WalkingCode


def middle(session: WalkSession) -> np.ndarray:
    """Where the plan ends, m."""
    return np.array(mean_foot_frame(*session.pilot.motion.given.end.feet)[0])


def test_a_driven_walk_replays_to_the_same_bits(code: WalkingCode, tmp_path: Path) -> None:
    session = WalkSession(code=code, scene="flat", noise=True, seed=3)
    session.drive(0.3)
    assert session.run(1.5)
    session.send(Drive(forward=0.2, turn=0.2))  # its time has passed: it holds from now on
    assert session.sent[-1].time == session.time
    for _ in range(3):  # in pieces, which must not count
        assert session.run(0.4)
    session.happen("push", body="torso", force=(0.0, 60.0, 0.0))
    assert session.run(0.3)
    assert session.walker.log.q[-1, 0] - session.walker.log.q[0, 0] > 0.3
    path = tmp_path / "drive.walk.json"
    write_request(session.request, path)
    assert path.stat().st_size < 4000
    again = WalkSession(read_request(path), code=code)
    again.run_until(session.time)
    assert again.walker.log.q.tobytes() == session.walker.log.q.tobytes()
    assert again.walker.log.signals.tobytes() == session.walker.log.signals.tobytes()
    # Without the push the bits are others: the comparison can fail.
    request = session.request
    fewer = WalkRequest(scene="flat", noise=True, seed=3, seconds=session.time, signals=request.signals[:-1])
    other = WalkSession(fewer, code=code)
    other.run_until(session.time)
    assert other.walker.log.q.tobytes() != session.walker.log.q.tobytes()


def test_pieces_of_time_do_not_count_beside_walls(code: WalkingCode) -> None:
    # Arms yield to walls: they are looked for at times that do not depend on how often `run` is called.
    whole = WalkSession(code=code, scene="right-wall", noise=True, seed=3, goal=(2.0, 0.0, 0.0))
    assert whole.run(4.0)
    cut = WalkSession(whole.request, code=code)
    while cut.time < whole.time - 1e-9:
        assert cut.run(min(1.0 / 30.0, whole.time - cut.time))
    assert np.abs(whole.walker.brain.state.walls).max() > 0.0  # it knows of the wall
    assert cut.walker.log.q.tobytes() == whole.walker.log.q.tobytes()


def test_a_goal_is_changed_on_the_way(code: WalkingCode) -> None:
    session = WalkSession(code=code, scene="flat", goal=(1.5, 0.0, 0.0))
    assert session.run(1.6)
    assert not session.succeeded
    session.walk_to(0.8, 0.3)
    assert session.run_to_rest()
    assert session.succeeded
    np.testing.assert_allclose(middle(session)[:2], [0.8, 0.3], atol=0.06)
    # The plan on the way was there after the latency, and not before.
    plan = session.pilot.versions[-1]
    assert plan.ready == pytest.approx(plan.asked + session.pilot.settings.planning.goal_latency_s)


def test_a_box_in_the_way_is_walked_around(code: WalkingCode) -> None:
    session = WalkSession(code=code, scene="flat", goal=(2.6, 0.0, 0.0))
    assert session.run(1.6)
    low, high = np.array([1.5, -0.5]), np.array([1.8, 0.4])
    size, place = (0.3, 0.9, 0.6), (1.65, -0.05, 0.3)
    feet = np.array([pose.stance_foot.position[:2] for pose in session.pilot.versions[0].poses])
    way = [(1 - share) * feet[:-1] + share * feet[1:] for share in np.linspace(0.0, 1.0, 20)]
    assert any(((low <= at) & (at <= high)).all() for at in np.concatenate(way))  # it went through there
    session.happen("add", name="box", size=size, position=place)
    assert session.run_to_rest()
    assert session.succeeded
    assert len(session.pilot.versions) > 1
    for version in session.pilot.versions[1:]:
        for pose in version.poses[1:]:
            foot = np.array(pose.stance_foot.position[:2])
            assert not ((low <= foot) & (foot <= high)).all()
    # What it came to believe: the ground at the start, then the box where it stands.
    first, second = [data for _, name, data in session.happened if name == "environment"]
    assert first["terrain"]["highest"] == first["terrain"]["lowest"] == 0.0
    assert first["terrain"]["seen_area"] > 2.6
    box = next(each for each in second["changed"] if each["id"] == "box")
    np.testing.assert_allclose(box["upper"], np.array(place) + 0.5 * np.array(size), atol=1e-9)
    assert "signal" in [name for _, name, _ in session.happened]


def test_events_change_the_plant(code: WalkingCode) -> None:
    session = WalkSession(code=code, scene="flat", drop=0.02)
    assert session.run(1.0)  # set down from 2 cm
    weight = code.body.model.mass * 9.81
    feet = session.walker.log.signals["right_foot"][:, 2] + session.walker.log.signals["left_foot"][:, 2]
    assert feet[10] == 0.0
    # Free fall of 2 cm takes sqrt(2 h / g) = 64 ms; feet that look for the ground (v = 0.12 m/s) meet it after 53 ms at
    # the earliest: g t^2 / 2 + v t = h.
    assert 52 <= int(np.flatnonzero(feet)[0]) <= 65
    assert feet[-1] == pytest.approx(weight, rel=0.01)
    session.happen("load", body="torso", mass=10.0)
    session.happen("surface", object="all", stiffness=2e4)
    assert session.run(1.0)
    feet = session.walker.log.signals["right_foot"][:, 2] + session.walker.log.signals["left_foot"][:, 2]
    assert feet[-1] == pytest.approx(weight + 98.1, rel=0.01)
    floor = session.walker.scene.objects[0]
    assert floor.material.stiffness == 2e4
    session.set("gains.step_share", 0.0)
    assert session.walker.brain.gains.step_share == 0.0
    # Those that native code has copies of are set there, too.
    for name, value in (("task_rate", 12.0), ("momentum_weight", 0.25), ("feed_forward", 0.5)):
        session.set(f"gains.{name}", value)
    brain = session.walker.brain
    assert (brain.tasks.gain, brain.tasks.momentum_weight, brain.feed.shares.mean()) == (12.0, 0.25, 0.5)


def test_wrong_names_are_refused(code: WalkingCode) -> None:
    with pytest.raises(UnknownName, match="no body 'nobody'"):
        WalkSession(code=code, pushes=(Push("nobody", (0.0, 100.0, 0.0), 1.0, 0.1),))
    session = WalkSession(code=code)
    with pytest.raises(UnknownName, match="torso"):
        session.happen("push", body="torsoo", force=(1.0, 0.0, 0.0))
    with pytest.raises(UnknownName, match="bow"):
        session.perform("bwo")
    with pytest.raises(UnknownName, match="hold"):
        session.perform("bow", hodl=1.0)
    with pytest.raises(UnknownName, match="move"):
        session.happen("mov", object="box")
    with pytest.raises(UnknownName, match=r"floor|ground"):
        session.happen("remove", object="grund")
    with pytest.raises(InvalidInput, match="request or fields"):
        WalkSession(WalkRequest(), scene="flat")
    assert session.sent == []


def test_a_script_without_an_end_is_refused() -> None:
    from footfall.walking.signals import Drive

    with pytest.raises(InvalidInput, match="seconds"):
        walk(WalkRequest(scene="flat", signals=(Drive(forward=0.3),)))


def test_it_sees_by_its_camera(code: WalkingCode) -> None:
    session = WalkSession(code=code, scene="flat", goal=(0.7, 0.0, 0.0), sight="camera")
    assert session.run_to_rest(20.0)
    assert session.succeeded
    terrain = session.pilot.environment.terrain
    assert terrain.patches
    np.testing.assert_allclose(middle(session)[:2], [0.7, 0.0], atol=0.06)


def test_it_begins_where_the_scene_says(code: WalkingCode, tmp_path: Path) -> None:
    scene = replace(load_scene("flat"), start=Transform(rotation_z(1.0), np.array([0.5, -0.4, 0.0])))
    path = tmp_path / "elsewhere.toml"
    save_scene(scene, path)
    session = WalkSession(code=code, scene=str(path))
    assert session.run(0.2)
    np.testing.assert_allclose(middle(session), [0.5, -0.4, 0.0], atol=1e-9)
    heading = session.pilot.motion.given.end.upper_body
    assert 2.0 * np.arctan2(heading[3], heading[0]) == pytest.approx(1.0)


def test_it_stands_the_same_way_whichever_way_it_faces(code: WalkingCode, tmp_path: Path) -> None:
    """Turned by half a turn, all joints are as before: legs are not wound up below a base that has not turned."""
    joints, path = [], tmp_path / "turned.toml"
    for yaw in (0.0, np.pi):
        start = Transform(rotation_z(yaw), np.array([0.5, -0.4, 0.0]))
        save_scene(replace(load_scene("flat"), start=start), path)
        joints.append(np.array(WalkSession(code=code, scene=str(path)).walker.brain.state.q[7:]))
    np.testing.assert_allclose(joints[1], joints[0], atol=1e-6)


def test_a_start_beyond_limits_is_refused(code: WalkingCode) -> None:
    """A knee that would have to bend the wrong way by 100 degrees."""
    q = np.array(code.body.comfort)
    require_within_limits(code.body, q)
    at, _ = actuated_velocities(code.body.robot)[code.body.joint_names.index("kfr")]
    q[at] = code.body.robot.upper_limits[at] + np.deg2rad(100.0)
    with pytest.raises(InvalidInput, match=r"'kfr' would be at .* degrees, its limits are"):
        require_within_limits(code.body, q)


def test_a_robot_at_its_goal_stands(code: WalkingCode) -> None:
    """There is nothing to plan, and it has arrived."""
    session = WalkSession(code=code, scene="flat", goal=(0.0, 0.0, 0.0))
    assert session.run_to_rest(3.0)
    assert session.succeeded
    assert len(session.pilot.versions) == 1
