"""The judge of plans: it accepts what is good, and each kind of fault is seen when it is made on purpose."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.lab.plan_checker import Capsule, CheckLimits, PlanCheck, arc_step, check_plan
from benchmarks.lab.raw_scene import RawScene
from footfall import MotionPlan, Scene, WalkingTransition, load_plan
from footfall.gait import HandTarget, idle_pose, walking_sequence
from footfall.gait.step_parameters import step_displacement
from footfall.scene import make_scene
from tests.motion.lola import IDLE, LOLA, MODEL, walk

BODY = (
    Capsule((-0.1, 0.12, 0.4), (-0.1, 0.12, 1.35), 0.2),
    Capsule((-0.1, -0.12, 0.4), (-0.1, -0.12, 1.35), 0.2),
)
STRAIGHT = [WalkingTransition(forward=length) for length in (0.2, 0.4, 0.4, 0.4, 0.2)]


def judged(
    plan: MotionPlan, scene: Scene, goal: tuple[float, float, float] = (1.6, 0.0, 0.0), **options: object
) -> PlanCheck:
    return check_plan(plan, scene, MODEL, start=IDLE, goal=goal, body=BODY, **options)  # type: ignore[arg-type]


def kinds(check: PlanCheck) -> set[str]:
    return {fault.kind for fault in check.faults}


def test_good_plans_have_no_faults() -> None:
    assert judged(walk(STRAIGHT), make_scene("empty-floor")).faults == []
    # The source's own plan over its platform, left hand on the walls; it ends where it ends.
    plan = load_plan("platform", MODEL)
    right, left = plan.end.feet
    middle = (np.array(right.position) + np.array(left.position)) / 2
    scene = make_scene("platform", distance=1.44)
    check = judged(plan, scene, (middle[0], middle[1], 0.0), limits=CheckLimits(first_and_last=0.5))
    # The source puts its second hand contact behind the wall of our scene, which begins after the platform.
    assert {fault.kind for fault in check.faults} <= {"hand"}
    assert all(fault.transition >= 14 for fault in check.faults)
    assert check.motion is not None


def test_it_sees_ground_that_is_missing_or_uneven() -> None:
    up = [*STRAIGHT[:2], WalkingTransition(forward=0.4, up=0.05), *STRAIGHT[3:]]
    assert "support" in kinds(judged(walk(up), make_scene("empty-floor")))
    assert "support" in kinds(judged(walk(STRAIGHT), make_scene("platform", distance=0.9)))
    ripple = judged(walk(STRAIGHT), make_scene("ripple", height=0.1))
    assert "support" in kinds(ripple)
    stripe = make_scene("unseen-stripe", distance=0.9)
    holes = Scene("hole", tuple(each for each in stripe.objects if each.name != "stripe"))
    assert any("nothing" in fault.what for fault in judged(walk(STRAIGHT), holes).faults)


def test_it_sees_steps_beyond_their_limits() -> None:
    def what(steps: list[WalkingTransition]) -> set[str]:
        check = judged(walk(steps), make_scene("empty-floor"))
        return {fault.what for fault in check.faults if fault.kind == "step"}

    assert what([STRAIGHT[0], WalkingTransition(forward=0.71), STRAIGHT[0]]) == {"step forward"}
    assert what([WalkingTransition(forward=0.4), STRAIGHT[1], STRAIGHT[0]]) == {"step forward"}  # the first
    assert what([STRAIGHT[0], STRAIGHT[1], WalkingTransition(forward=0.4)]) == {"step forward"}  # the last
    assert what([STRAIGHT[0], WalkingTransition(forward=-0.1), STRAIGHT[0]]) == {"step backward"}
    assert "step inward" in what([WalkingTransition(left=0.1)])
    assert "turn" in what([WalkingTransition(yaw=-0.5)])
    assert "feet apart" in what([WalkingTransition(left=0.05), WalkingTransition()])
    assert what(STRAIGHT) == set()


def test_it_sees_what_the_robot_walks_into() -> None:
    check = judged(walk(STRAIGHT), make_scene("gap", gap=0.5, distance=0.6))
    assert {"body in left-box", "body in right-box"} <= {fault.what for fault in check.faults}
    # A bar of 8 cm between footholds: steps of 3 cm hit it, steps of 14 cm do not.
    bar = make_scene("obstacles", bar_thickness=0.04)
    low = [WalkingTransition(forward=length) for length in (0.25, 0.45, 0.45, 0.4, 0.2, 0.2)]
    high = [replace(step, step_height=0.14, swing_timing=0.5, duration=1.2) for step in low]
    feet = {fault.what for fault in judged(walk(low), bar).faults if fault.kind == "collision"}
    assert feet >= {"LF in bar"} or feet >= {"RF in bar"}
    assert "collision" not in kinds(judged(walk(high), bar))


@pytest.mark.parametrize(
    ("height", "force", "kind"),
    [(0.0, (0.0, 50.0, 0.0), None), (0.02, (0.0, 50.0, 0.0), "hand"), (0.0, (0.0, -50.0, 0.0), "cone")],
)
def test_it_sees_hands_that_touch_nothing_or_pull(
    height: float, force: tuple[float, float, float], kind: str | None
) -> None:
    # The right foot steps first and then stands at y = -0.1375; the wall is 0.7 m to the right.
    hand = HandTarget((0.0, -0.7 + 0.05 + 0.1375 + height, 1.25), force)
    steps = [*STRAIGHT[:2], replace(STRAIGHT[2], right_hand=hand), *STRAIGHT[3:]]
    found = kinds(judged(walk(steps), make_scene("right-wall", distance=0.6)))
    assert found == set() if kind is None else kind in found


def test_it_sees_a_wrong_start_and_goal_and_a_motion_that_is_refused() -> None:
    scene = make_scene("empty-floor")
    assert kinds(judged(walk(STRAIGHT), scene, (1.7, 0.0, 0.0))) == {"goal"}
    assert kinds(judged(walk(STRAIGHT), scene, (1.6, 0.0, 0.2))) == {"goal"}
    shifted = walking_sequence(STRAIGHT, idle_pose(LOLA, position=(0.001, 0.0, 0.0)), LOLA)
    assert kinds(judged(MotionPlan((shifted,)), scene)) == {"start"}
    hurried = [replace(step, duration=0.1) for step in STRAIGHT]
    assert kinds(judged(walk(hurried), scene)) == {"motion"}


def test_its_steps_are_those_of_the_source() -> None:
    # The same arc, built with complex numbers here and from Seiwald 2023, (D.2) to (D.5), there.
    rng = np.random.default_rng(0)
    for _ in range(200):
        yaw, turn = rng.uniform(-3, 3), rng.uniform(-1.0, 1.0)
        lengths, half = rng.uniform(-0.6, 0.6, 3), rng.choice([-0.1375, 0.1375])
        way = step_displacement(lengths, turn, half)
        c, s = np.cos(yaw), np.sin(yaw)
        foot = idle_pose(LOLA, yaw=yaw).right_foot
        landed = idle_pose(LOLA, yaw=yaw + turn).right_foot
        place = np.add(foot.position, (c * way[0] - s * way[1], s * way[0] + c * way[1], way[2]))
        found = arc_step(foot, replace(landed, position=tuple(place)), half)
        np.testing.assert_allclose(found, [lengths[0], lengths[1], turn], atol=1e-12)


def test_heights_are_those_of_the_scene() -> None:
    scene = RawScene(make_scene("ramps"))
    x = np.linspace(1.25, 2.35, 12)
    np.testing.assert_allclose(scene.heights(np.column_stack([x, 0 * x]), 1.0), 0.1 * (x - 1.2), atol=1e-12)
    assert scene.heights(np.array([[2.7, 0.0]]), 0.05)[0] == 0.0  # what is above does not count
