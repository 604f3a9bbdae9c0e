"""Samples of what `benchmarks/autonomy.py` studies: a wall beside an arm, a box that appears ahead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from benchmarks.lab.building_walks import building_of
from footfall.gait.poses import FootContact
from footfall.math.rotations import rotation_z
from footfall.math.transform import Transform
from footfall.scene import make_scene
from footfall.scene.buildings import building
from footfall.scene.load import save_scene
from footfall.walking.routes import goal_of_scene
from footfall.walking.session import WalkSession
from footfall.walking.walk import summarise
from footfall.walking.walker import WalkingCode
from footfall.walking.walls import no_walls


@pytest.mark.parametrize("seen", [True, False])
def test_arms_do_not_strike_the_wall_of_a_corridor(
    code: WalkingCode, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seen: bool
) -> None:
    """A hand leaves a wall half a metre beside the way: the elbow swings through it if arms do not know of it."""
    path = tmp_path / "building.toml"
    save_scene(building(floors=1, seed=1), path)
    if not seen:
        monkeypatch.setattr("footfall.walking.session.walls_around", lambda *_: no_walls())
    session = WalkSession(scene=str(path), noise=True, seed=1, code=code)
    session.set("planner.hand.aside_arms", 0.6)  # else hands leave this wall alone
    session.walk_to(15.0, -0.3, 0.0)
    session.run(4.5)
    touched = float(np.max(session.walker.log.signals["other"]))
    assert session.fallen is not seen
    assert (touched == 0.0) is seen
    touches = session.walker.touches()
    assert any(each.planned for each in touches)
    assert all(each.planned for each in touches) is seen


def test_a_box_that_appears_ahead_is_not_touched(code: WalkingCode) -> None:
    session = WalkSession(scene="flat", noise=True, seed=105, goal=(5.0, 0.3, 0.0), code=code)
    session.run(5.97)  # a step has just begun: finished, it would lead into the box
    x, y = session.walker.arrays[0].q[:2].tolist()
    session.happen("add", name="box", size=(0.4, 1.0, 0.8), position=(x + 0.85 + 0.2, y, 0.4))
    session.run(3.0)
    assert not session.fallen
    assert float(np.max(session.walker.log.signals["other"])) == 0.0
    assert [version.about for version in session.pilot.versions][2] == "stop"
    assert session.pilot.versions[2].begins == session.pilot.versions[2].ready  # at once, not after the step


def test_it_stops_on_treads_that_are_shorter_than_a_foot(code: WalkingCode) -> None:
    """A step that was closed with a whole sole beside a toe pad leant on a heel that hung in the air."""
    goal = make_scene("stairs-partial").goal
    assert goal is not None
    x, y, _ = goal.translation.tolist()
    session = WalkSession(scene="stairs-partial", noise=True, seed=1004, goal=(x, y, 0.0), code=code)
    session.run(1.911)
    session.stop()
    assert session.run_to_rest(20.0)
    assert not session.fallen
    feet = session.pilot.motion.given.end.feet
    assert [foot.contact for foot in feet] == [FootContact.PARTIAL] * 2


@pytest.mark.parametrize(("scene", "time"), [("platform", 6.93), ("stairs", 9.33)])
def test_it_does_not_stop_on_tiptoe(code: WalkingCode, scene: str, time: float) -> None:
    """Feet that were closed beside one that had come down on its toes met the edge behind it: on the platform five of
    five fell."""
    goal = make_scene(scene).goal
    assert goal is not None
    x, y, _ = goal.translation.tolist()
    session = WalkSession(scene=scene, noise=True, seed=4, goal=(x, y, 0.0), code=code)
    session.run(time)
    first, second = session.pilot.motion.plan.at(session.time)
    running = session.pilot.motion.given.sequences[first].transitions[second]
    assert running.end.stance_foot.contact is FootContact.TIPTOE
    session.stop()
    assert session.run_to_rest(20.0)
    assert not session.fallen
    assert [foot.contact for foot in session.pilot.motion.given.end.feet] == [FootContact.FULL] * 2


@pytest.mark.parametrize("factor", [1.0, 1.5, 2.7])
def test_hands_carry_as_long_as_steps_are_slow(code: WalkingCode, factor: float) -> None:
    """A hand that stays for two stances carries in the motion of the step between them, four fifths of it, less what
    load switches reach into it on either side, 7/16 of a fifth: all of its load for 0.625 of 0.8 s times the
    factor."""
    session = WalkSession(scene="corridor", noise=True, seed=1000, code=code)
    session.set("planner.timing.hands_factor", factor)
    session.walk_to(3.0, 0.0, 0.0)
    assert session.run_to_rest(60.0)
    summary = summarise(session, timed=False)
    assert summary.reached
    assert summary.planned_hand_contacts == summary.made_hand_contacts == 4
    loads = session.walker.log.signals["hand_loads"]
    for side in (0, 1):
        assert (loads[:, side] == 1.0).sum() * 1e-3 == pytest.approx(2 * 0.625 * 0.8 * factor, abs=0.01)


def test_feet_do_not_swing_over_what_is_just_too_high(code: WalkingCode, tmp_path: Path) -> None:
    """Stairs of 15 cm, as high as the planner may step over, seen with errors: with all of that limit feet swing over
    their corner, and the robot fell there for three of five seeds."""
    path = tmp_path / "stairs.toml"
    save_scene(make_scene("stairs", riser=0.15, tread=0.3, count=3), path)
    session = WalkSession(scene=str(path), noise=True, seed=1, code=code)
    session.set("planner.step.vertical_m", 0.156)
    session.walk_to(3.5, 0.0, 0.0)
    assert session.run_to_rest(60.0)
    assert session.succeeded
    heights = [pose.stance_foot.position[2] for each in session.pilot.versions for pose in each.poses]
    assert max(heights) < 0.02  # around them


@pytest.mark.parametrize("seed", range(2000, 2010))
def test_the_first_steps_from_room_to_room_touch_nothing(
    code: WalkingCode, tmp_path: Path, seed: int
) -> None:
    """Ten buildings with noise: the first plan is found, and after six seconds it stands or walks, nothing but feet
    and planned hands has touched anything, and no joint was through a stop or faster than it can be."""
    scene, path = building_of(seed), tmp_path / "building.toml"
    save_scene(scene, path)
    goal = goal_of_scene(scene)
    assert goal is not None
    session = WalkSession(
        scene=str(path), goal=(goal.x, goal.y, goal.yaw), noise=True, seed=seed, code=code, log_every=20
    )
    session.run(6.0)
    assert not session.fallen
    assert session.problem is None
    assert all(each.planned for each in session.walker.touches())
    watch = session.walker.watch
    assert np.rad2deg(watch.beyond.max()) < 5.0
    assert watch.faster.max() <= 1.01
    session.pilot.count_way(session.time)
    assert session.pilot.way > 0.1


def test_it_leaves_a_door_in_which_it_stands_aslant(code: WalkingCode, tmp_path: Path) -> None:
    """No way leaves the body all of its room there, and it gave up: after all other trials it takes a few steps with
    less."""
    path = tmp_path / "building.toml"
    start = Transform(rotation_z(0.78), np.array([4.84, -1.03, 0.0]))
    save_scene(replace(make_scene("building", floors=1, seed=1062), start=start), path)
    session = WalkSession(scene=str(path), noise=True, seed=1062, code=code)
    session.walk_to(15.3, -3.45, 0.0)
    session.run(5.0)
    assert [each.problem is None for each in session.pilot.versions[1:5]] == [False, False, False, True]
    assert not session.fallen
    session.pilot.count_way(session.time)
    assert session.pilot.way > 0.1
    assert all(each.planned for each in session.walker.touches())
