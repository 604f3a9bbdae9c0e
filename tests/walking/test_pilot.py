"""The pilot alone, without a plant: plans that are extended and changed while they are followed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.environment.model import Environment
from footfall.environment.perception import EXACT, perceive
from footfall.errors import InvalidTransition, NoPath
from footfall.gait.actions import idle
from footfall.gait.plan import MotionPlan
from footfall.gait.poses import mean_foot_frame
from footfall.gait.walking_transitions import idle_pose
from footfall.math.rotations import yaw_of
from footfall.motion.motion import Motion
from footfall.motion.parameters import MotionParameters
from footfall.motion.pipeline import gait_dimensions, generate_motion
from footfall.motion.replanning import displaced
from footfall.planning.contacts import Goal
from footfall.planning.teleoperation import VelocityCommand, combined, inverted, plane_twist
from footfall.planning.transition_planner import GoTo, Perform, Teleoperate
from footfall.scene.load import load_scene
from footfall.scene.model import Scene
from footfall.walking.gains import control_gains
from footfall.walking.pilot import Coming, Pilot
from footfall.walking.routes import scene_with_goal
from footfall.walking.settings import PlanningParameters, WalkSettings, planner_parameters
from footfall.walking.signal_effects import added_object
from footfall.walking.signals import Add
from footfall.walking.walker import WalkingCode

Telling = tuple[float, Callable[[Pilot], None]]


@pytest.fixture
def pilot(code: WalkingCode) -> Pilot:
    model = code.body.model
    standing = MotionPlan((idle(idle_pose(gait_dimensions(model)), duration=0.2),))
    motion = generate_motion(standing, model, body=code.whole)
    settings = WalkSettings(
        planner=planner_parameters(model),
        motion=MotionParameters(),
        planning=PlanningParameters(),
        gains=control_gains(model),
    )
    made = Pilot(model, code.whole, settings, motion)
    made.see(perceive(scene_with_goal(load_scene("flat"), Goal(3.0, 0.0)), EXACT))
    return made


def flown(pilot: Pilot, until: float, *told: Telling) -> list[tuple[Motion, Coming]]:
    """Each motion that was left, with what came in its place."""
    waiting, changes, now = sorted(told, key=lambda each: each[0]), [], 0.0
    while now < until:
        while waiting and waiting[0][0] <= now + 1e-9:
            waiting.pop(0)[1](pilot)
        before = pilot.motion
        coming = pilot.take_up(now)
        if coming is not None:
            changes.append((before, coming))
        pilot.think(now, np.zeros(3))
        after = min([pilot.next_time(now), until, *(time for time, _ in waiting[:1])])
        assert after > now
        now = after
    return changes


def drive(forward: float, left: float = 0.0, turn: float = 0.0) -> Callable[[Pilot], None]:
    return lambda pilot: pilot.tell(Teleoperate(VelocityCommand(forward, left, turn)))


def set_points(motion: Motion, times: Array) -> Array:
    """Values and two derivatives (k, numbers) of all that joints follow from, and the zero-moment point, which goes
    along straight lines in all plans, without derivatives."""
    found = motion.sample(times)
    parts = [
        found.feet,
        found.torso,
        found.center_of_mass,
        found.toes,
        found.hands,
        found.rotations,
        found.zmp[:, 0],
    ]
    return np.concatenate([part.reshape(len(times), -1) for part in parts], axis=1)


def jump(motion: Motion, time: float) -> float:
    """Greatest change of a set point or of its first two derivatives across a time."""
    step = 1e-7
    before, after = set_points(motion, np.array([time - step, time + step]))
    return float(np.abs(after - before).max())


def test_plans_are_swapped_without_a_jump(pilot: Pilot) -> None:
    changes = flown(
        pilot,
        9.0,
        (0.2, drive(0.4)),
        (2.0, drive(0.3, 0.05, 0.2)),
        (4.0, lambda pilot: pilot.tell(GoTo(Goal(2.0, 0.5)))),
    )
    assert len(changes) >= 3  # from rest, another velocity, a goal
    for before, coming in changes:
        after, version = coming.motion, coming.version
        # Until its own steps begin the new motion is the old one...
        times = np.linspace(version.ready, max(version.begins - 1e-9, version.ready), 20)
        assert np.abs(set_points(after, times) - set_points(before, times)).max() < 1e-9
        # ...and goes on from there with continuous accelerations: jerks below 500 m/s3 change them by less than 1e-4
        # m/s2 in 0.2 us.
        assert jump(after, version.begins) < 1e-4
    # Nothing but the running transition is kept of the past: plans do not grow.
    assert max(len(coming.motion.given.transitions) for _, coming in changes) < 30


def test_a_plan_from_rest_would_be_a_jump(pilot: Pilot) -> None:
    changes = flown(pilot, 2.5, (0.2, drive(0.4)))
    before, coming = changes[-1]
    at = coming.version.begins - 1e-6
    plan = MotionPlan((idle(before.given.end),), at)
    rest = generate_motion(plan, pilot.model, body=pilot.whole)
    off = np.abs(set_points(rest, np.array([at])) - set_points(before, np.array([at]))).max()
    assert off > 0.05


def test_driving_goes_as_fast_as_commanded_and_stops(pilot: Pilot) -> None:
    flown(pilot, 12.0, (0.2, drive(0.4)), (8.2, Pilot.stop))
    pilot.count_way(12.0)
    begin, end = 0.2, 8.2
    # 0.4 m/s but for the first and the last step
    assert pilot.way == pytest.approx(0.4 * (end - begin), abs=0.4)
    assert pilot.rests(12.0)
    assert not pilot.busy
    right, left = pilot.motion.given.end.feet
    assert right.position[0] == pytest.approx(left.position[0], abs=1e-9)


def test_planning_takes_its_time(pilot: Pilot) -> None:
    planning = PlanningParameters(drive_latency_s=0.25)
    pilot.settings = pilot.settings.changed("planning.drive_latency_s", 0.25)
    assert pilot.settings.planning == planning
    changes = flown(pilot, 3.0, (0.5, drive(0.3)))
    first = changes[0][1].version
    assert first.ready == pytest.approx(0.75)
    assert changes[0][1].motion.begin_time == pytest.approx(0.75)
    for _, coming in changes[1:]:
        assert coming.version.begins >= coming.version.asked + 0.25


def test_motions_at_rest_wait_for_it(pilot: Pilot) -> None:
    wave = Perform("wave", {"times": 1})
    flown(
        pilot,
        14.0,
        (0.2, drive(0.3)),
        (2.0, lambda each: each.tell(Perform("bow"))),
        (2.1, lambda e: e.tell(wave)),
    )
    words = [version.about for version in pilot.versions]
    assert words[-3:] == ["stop", "perform", "perform"]
    stopped, bowed, waved = pilot.versions[-3:]
    assert bowed.begins >= stopped.begins
    assert waved.begins > bowed.begins + 1.0


def test_feet_beside_the_plan_move_the_plan(pilot: Pilot) -> None:
    flown(pilot, 1.5, (0.2, drive(0.3)))
    shift = np.array([0.03, -0.02, 0.0])
    before = pilot.motion
    pilot.tell(Teleoperate(VelocityCommand(0.2)))
    pilot.think(1.5, shift)
    coming = pilot.coming
    assert coming is not None
    np.testing.assert_array_equal(coming.shift, shift)
    times = np.linspace(coming.version.ready, coming.version.begins - 1e-9, 7)
    old, new = before.sample(times), coming.motion.sample(times)
    # What is followed is plan plus shift, before and after: the new plan is displaced, and the shift is gone.
    np.testing.assert_allclose(new.feet[:, 0], old.feet[:, 0] + shift, atol=1e-9)
    np.testing.assert_allclose(new.center_of_mass[:, 0], old.center_of_mass[:, 0] + shift, atol=1e-9)
    np.testing.assert_allclose(new.hands, old.hands, atol=1e-9)
    assert jump(coming.motion, coming.version.begins) < 1e-4


def test_a_displaced_motion_is_the_same_elsewhere(pilot: Pilot) -> None:
    by = np.array([0.1, 0.2, 0.0])
    moved = displaced(pilot.motion, by)
    assert moved.given.begin.right_foot.position == pytest.approx(
        tuple(np.array(pilot.motion.given.begin.right_foot.position) + by)
    )
    phase = moved.phases.soles.polygon(0) - pilot.motion.phases.soles.polygon(0)
    np.testing.assert_allclose(phase, np.tile(by[:2], (len(phase), 1)), atol=1e-12)


def test_a_closed_way_is_said_and_an_open_one_taken(pilot: Pilot) -> None:
    scene = scene_with_goal(load_scene("flat"), Goal(2.0, 0.0))
    flown(pilot, 1.0, (0.2, lambda each: each.tell(GoTo(Goal(2.0, 0.0)))))
    unseen = perceive(scene_with_goal(load_scene("flat"), Goal(-9.0, 0.0)), EXACT)
    pilot.see(replace(unseen, terrain=unseen.terrain.updated({}, reset=frozenset(unseen.terrain.patches))))
    flown(pilot, 6.0)
    assert pilot.problem is not None
    assert not pilot.busy
    pilot.see(perceive(scene, EXACT))
    assert pilot.busy
    pilot.stop()
    assert pilot.problem is None  # nothing is asked for any more


def test_later_plans_know_the_way_and_are_made_once(pilot: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second plan to a goal is given the first one; the motion that the planner has tried is the one that is
    walked, and a step of which none can be made is searched around."""
    from footfall.walking import pilot as module

    asked: list[object] = []
    made: list[object] = []
    plan_way, replan = module.plan_way, module.replan

    def watched(*args: object, **named: object) -> object:
        asked.append(named["previous"])
        return plan_way(*args, **named)  # type: ignore[arg-type]

    def counted(*args: object, **named: object) -> object:
        made.append(args)
        return replan(*args, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "plan_way", watched)
    monkeypatch.setattr(module, "replan", counted)
    goal = Goal(3.0, 0.0)
    seen = perceive(scene_with_goal(load_scene("flat"), goal), EXACT)
    pilot.see(seen)
    flown(pilot, 2.0, (0.2, lambda each: each.tell(GoTo(goal))))
    pilot.see(replace(seen, version=seen.version + 1))
    flown(pilot, 4.0)
    assert len(asked) == 2
    assert asked[0] is None
    assert asked[1] is not None
    assert len(made) == 1


def test_a_new_goal_is_a_new_hope(pilot: Pilot) -> None:
    """A robot that sees by itself gives a goal up after four plans that fail, and not the next one."""
    pilot.seeing = True
    pilot.tell(GoTo(Goal(3.0, 0.0)))
    hopes = []
    for number in range(4):
        pilot.see(Environment())  # nothing
        pilot.think(1.0 + 2.0 * number, np.zeros(3))
        hopes.append(pilot.hopeful)
    assert hopes == [True, True, True, False]
    assert pilot.problem is not None
    flown(pilot, 12.0)
    assert not pilot.busy
    pilot.tell(GoTo(Goal(1.0, 0.0)))
    assert pilot.hopeful
    assert pilot.busy


def test_where_feet_cannot_be_closed_the_plan_goes_on(pilot: Pilot, monkeypatch: pytest.MonkeyPatch) -> None:
    flown(pilot, 1.5, (0.2, drive(0.3)))
    before = pilot.motion

    def refused(*_: object, **__: object) -> Motion:
        raise InvalidTransition(0, "the step is too long")

    monkeypatch.setattr("footfall.motion.replanning.replan", refused)
    pilot.stop()
    pilot.think(1.5, np.zeros(3))
    assert pilot.coming is None
    assert pilot.motion is before  # it comes to rest by itself
    pilot.think(pilot.motion.end_time, np.zeros(3))
    assert pilot.rests(pilot.motion.end_time)
    assert not pilot.busy


def boxed(scene: Scene, face: float, goal: Goal) -> Environment:
    """What is seen with a box across the way whose face is so far ahead of the origin, m."""
    box = added_object(Add(name="box", size=(0.4, 0.8, 0.6), position=(face + 0.2, 0.0, 0.3)))
    return perceive(scene_with_goal(replace(scene, objects=(*scene.objects, box)), goal), EXACT)


def test_a_plan_that_failed_on_the_way_is_made_again_from_rest(
    pilot: Pilot, monkeypatch: pytest.MonkeyPatch
) -> None:
    from footfall.walking import pilot as module

    plan_way, asked = module.plan_way, []

    def refused_once(*args: object, **named: object) -> object:
        asked.append(args)
        if len(asked) == 2:
            raise NoPath("no way after the running step")
        return plan_way(*args, **named)  # type: ignore[arg-type]

    goal = Goal(3.0, 0.0)
    monkeypatch.setattr(module, "plan_way", refused_once)
    flown(
        pilot,
        30.0,
        (0.2, lambda each: each.tell(GoTo(goal))),
        (1.5, lambda each: each.see(boxed(load_scene("flat"), 2.0, goal))),
    )
    abouts = [version.about for version in pilot.versions]
    refused = next(k for k, version in enumerate(pilot.versions) if version.problem)
    assert abouts[refused + 1 : refused + 3] == ["stop", abouts[refused]]
    assert pilot.problem is None
    assert pilot.arrives


@pytest.mark.parametrize("known", [True, False])
def test_it_steps_back_from_a_box_if_the_ground_behind_is_known(pilot: Pilot, known: bool) -> None:
    goal, toes = Goal(3.0, 0.0), pilot.model.sole[1]
    seen = boxed(load_scene("flat"), toes + 0.08, goal)
    if not known:  # nothing behind the heels
        behind = {place: patch for place, patch in seen.terrain.patches.items() if place[0] >= 0}
        gone = frozenset(seen.terrain.patches) - frozenset(behind)
        seen = replace(seen, terrain=seen.terrain.updated({}, reset=gone))
    pilot.see(seen)
    flown(pilot, 30.0, (0.2, lambda each: each.tell(GoTo(goal))))
    back = [version for version in pilot.versions if version.about == "step back"]
    assert back
    if known:
        assert back[0].problem is None
        assert pilot.arrives
        assert pilot.problem is None
    else:
        assert "not known to be free" in str(back[0].problem)
        assert "box" in str(pilot.problem)  # what closes the way, not why it cannot step back
        assert not pilot.busy


def test_it_goes_on_looking_while_things_move(pilot: Pilot) -> None:
    goal = Goal(3.0, 0.0)
    nothing = perceive(scene_with_goal(load_scene("flat"), Goal(-9.0, 0.0)), EXACT)
    nothing = replace(nothing, terrain=nothing.terrain.updated({}, reset=frozenset(nothing.terrain.patches)))
    pilot.see(nothing, now=0.0)
    flown(pilot, 4.0, (0.2, lambda each: each.tell(GoTo(goal))))
    patience = pilot.settings.planning.patience_s
    assert not pilot.busy
    assert pilot.waits(patience - 0.1)
    assert not pilot.waits(patience + 0.1)


def velocity(pilot: Pilot, command: tuple[float, float, float], seconds: float) -> Array:
    """Twist (3,) over the last four steps of a command that has held so long from rest, m/s and rad/s."""
    poses: dict[float, Array] = {}
    pilot.tell(Teleoperate(VelocityCommand(*command)))
    now = 0.0
    while now < seconds:
        pilot.take_up(now)
        pilot.think(now, np.zeros(3))
        after = min(pilot.next_time(now), seconds)
        for first, second, _, end in pilot.motion.plan.spans():
            if now < end <= after + 1e-9:
                pose = pilot.motion.plan.sequences[first].transitions[second].end
                place, turn = mean_foot_frame(*pose.feet)
                poses[end] = np.array([place[0], place[1], float(yaw_of(turn))])
        now = after
    *_, begin = sorted(poses)[:-4]
    end = max(poses)
    motion = combined(inverted(poses[begin]), poses[end])
    motion[2] = np.remainder(motion[2] + np.pi, 2 * np.pi) - np.pi
    return plane_twist(motion) / (end - begin)


@pytest.mark.parametrize(
    "command",
    [
        (0.0, 0.0, 0.4),
        (0.0, 0.0, -0.4),
        (-0.15, 0.1, 0.2),
        (0.3, 0.05, -0.3),
        (0.5, 0.0, 0.2),
        (0.0, -0.14, 0.0),
    ],
)
def test_commands_within_the_envelope_are_walked(pilot: Pilot, command: tuple[float, float, float]) -> None:
    found = velocity(pilot, command, 12.0)
    assert np.abs(found[:2] - command[:2]).max() < max(0.1 * np.hypot(*command[:2]), 0.02)
    assert abs(found[2] - command[2]) < 0.03
    assert not any(version.problem or "clipped" in str(version.warnings) for version in pilot.versions)


def test_commands_are_clipped_and_never_refused(pilot: Pilot) -> None:
    rng = np.random.default_rng(7)
    times = np.cumsum(rng.exponential(1.5, size=20) + 0.1)
    told = [(float(time), drive(*rng.uniform((-0.3, -0.2, -0.5), (0.75, 0.2, 0.5)))) for time in times]
    flown(pilot, float(times[-1]) + 5.0, *told)
    assert not [version.problem for version in pilot.versions if version.problem]
    clipped = [
        version for version in pilot.versions if any("clipped to" in each for each in version.warnings)
    ]
    assert clipped
    assert len(pilot.versions) > len(times) // 2
