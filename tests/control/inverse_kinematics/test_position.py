"""Position level: numbers of RSL 2022, (2.242)-(2.255), random targets, limits, unreachable targets."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import footfall
from footfall.control.inverse_kinematics.limits import NO_LIMITS, Limits
from footfall.control.inverse_kinematics.position import solve_ik
from footfall.control.inverse_kinematics.textbook import armijo, solve_ik_textbook, wolfe
from footfall.control.tasks.accelerations import MomentumTask
from footfall.control.tasks.custom import CustomTask
from footfall.control.tasks.orientations import OrientationTask
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import HalfSpaceTask, center_of_mass_position, frame_position
from footfall.control.tasks.postures import posture
from footfall.control.tasks.task import Task
from footfall.errors import InvalidInput, NoSolution, TargetOutOfReach, UnknownName
from footfall.math.transform import Transform
from footfall.robot.model import Robot

START = np.array([0.2, 0.8, 0.8])


@cache
def robot(name: str) -> Robot:
    return footfall.load(name)


def tip_and_angle(arm: Robot, q: np.ndarray) -> np.ndarray:
    pose = footfall.frame_pose(arm, q, arm.frame_names[0])
    return np.array([pose.translation[0], pose.translation[2], q[0] + q[1] + q[2]])


PLANAR = CustomTask(tip_and_angle, np.array([2.0, 0.0, 5 * np.pi / 6]))


def test_newton_has_the_numbers_of_section_8_2() -> None:
    found = solve_ik_textbook(
        robot("planar-arm"), START, [PLANAR], method="newton", limits=NO_LIMITS, tolerance=1e-12
    )
    np.testing.assert_allclose(found.history[:4], [1.530225, 0.479892, 0.113741, 0.006880], atol=1e-6)
    assert found.history[4] == pytest.approx(3.415e-5, rel=1e-3)
    np.testing.assert_allclose(found.q, [np.pi / 6, np.pi / 3, np.pi / 3], atol=1e-12)
    half = solve_ik_textbook(
        robot("planar-arm"), START, [PLANAR], method="newton", gain=0.5, limits=NO_LIMITS, tolerance=1e-15
    )
    assert next(k for k, norm in enumerate(half.history) if norm <= 1e-10) == 34


def test_transpose_needs_the_steps_of_section_8_2() -> None:
    found = solve_ik_textbook(
        robot("planar-arm"),
        START,
        [PLANAR],
        method="transpose",
        gain=0.1,
        limits=NO_LIMITS,
        tolerance=1e-9,
        iterations=2500,
    )
    assert next(k for k, norm in enumerate(found.history) if norm <= 1e-6) == 1422


@pytest.mark.parametrize(("gain", "count", "expected"), [(0.1, 187, (0.7, 1.5, 5.783185)), (1.0, 8, None)])
def test_rotation_vector_error_of_section_8_4(gain: float, count: int, expected: object) -> None:
    wrist = robot("wrist")
    frame = wrist.frame_names[0]
    goal = footfall.frame_pose(wrist, np.array([0.7, 1.5, -0.5]), frame).rotation
    task = OrientationTask(frame, goal)
    start = np.array([-0.7, 0.0, 1.5])
    found = solve_ik_textbook(
        wrist, start, [task], method="newton", gain=gain, limits=NO_LIMITS, tolerance=1e-12, iterations=400
    )
    assert found.history[0] == pytest.approx(3.007207, abs=1e-6)
    steps = next(k for k, norm in enumerate(found.history) if norm <= 1e-8)
    assert abs(steps - count) <= 1
    final = (-2.441593, 1.641593, 2.641593) if expected is None else expected
    np.testing.assert_allclose(found.q, final, atol=2e-6)


@pytest.mark.parametrize("line_search", ["wolfe", "armijo"])
@pytest.mark.parametrize("method", ["steepest", "gauss_newton", "quasi_newton", "conjugate_gradient"])
def test_optimisation_finds_the_same(method: str, line_search: str) -> None:
    found = solve_ik_textbook(
        robot("planar-arm"),
        START,
        [PLANAR],
        method=method,
        line_search=line_search,
        limits=NO_LIMITS,
        tolerance=1e-6,
        iterations=3000,
    )
    assert found.reached, found.reason
    np.testing.assert_allclose(tip_and_angle(robot("planar-arm"), found.q), PLANAR.target, atol=2e-6)
    assert np.all(np.diff(found.history) < 1e-12)  # every step lowers the error
    if method == "gauss_newton":
        assert found.iterations < 12


@pytest.mark.parametrize("name", ["arm-6r", "arm-7r"])
def test_random_reachable_targets(name: str) -> None:
    """A hundred poses within the limits; the whole study is in the benchmarks."""
    arm = robot(name)
    found = []
    for seed in range(100):
        goal = footfall.frame_pose(arm, footfall.random_configuration(arm, seed=1000 + seed), "tip")
        start = footfall.random_configuration(arm, seed=seed)
        solution = solve_ik(arm, start, [PoseTask("tip", goal)], tolerance=1e-8, restarts=5, seed=seed)
        assert np.all(solution.q >= arm.lower_limits - 1e-12)
        assert np.all(solution.q <= arm.upper_limits + 1e-12)
        if solution.reached:
            reached = footfall.frame_pose(arm, solution.q, "tip")
            np.testing.assert_allclose(reached.rotation, goal.rotation, atol=1e-7)
            np.testing.assert_allclose(reached.translation, goal.translation, atol=1e-7)
        found.append(solution.reached)
    assert sum(found) >= 99


def test_unreachable_targets_give_the_closest_pose() -> None:
    """The planar arm of 3 m stretches towards what is farther away."""
    arm = robot("planar-arm")
    target = np.array([3.0, 0.0, 4.0])
    found = solve_ik(arm, START, [frame_position(arm.frame_names[0], target, rows="xz")], limits=NO_LIMITS)
    base = footfall.frame_pose(arm, np.zeros(3), arm.frame_names[0]).translation[2] - 3.0
    assert not found.reached
    assert found.distance == pytest.approx(np.hypot(3.0, 4.0 - base) - 3.0, rel=1e-6)
    with pytest.raises(TargetOutOfReach, match=r"closest has a weighted error of .* no restart") as caught:
        found.require()
    assert caught.value.solution is found
    assert caught.value.residuals == found.residuals
    again = solve_ik(
        arm, START, [frame_position(arm.frame_names[0], target, rows="xz")], limits=NO_LIMITS, restarts=2
    )
    with pytest.raises(TargetOutOfReach, match="and 2 restarts; residuals: position of"):
        again.require()


@pytest.mark.parametrize("seed", range(6))
def test_unreachable_targets_are_as_close_as_scipy_gets(seed: int) -> None:
    from scipy.optimize import least_squares

    arm = robot("arm-6r")
    rng = np.random.default_rng(seed)
    way = rng.normal(size=3)
    target = np.array([0.0, 0.0, 0.35]) + (1.2 + rng.uniform()) * way / np.linalg.norm(way)
    task = frame_position("tip", target)
    found = solve_ik(arm, arm.configuration("ready"), [task], restarts=5, tolerance=1e-9)
    starts = footfall.random_configuration(arm, seed=seed, count=6)
    best = min(
        least_squares(
            lambda q: target - footfall.frame_pose(arm, q, "tip").translation,
            start,
            bounds=(arm.lower_limits, arm.upper_limits),
        ).cost
        for start in np.clip(starts, arm.lower_limits + 1e-6, arm.upper_limits - 1e-6)
    )
    assert not found.reached
    assert found.distance <= 1.01 * np.sqrt(2 * best)


def test_lola_reaches_with_the_whole_body() -> None:
    lola = robot("lola")
    q = lola.configuration("idle")
    tasks: list[Task] = [PoseTask(foot, footfall.frame_pose(lola, q, foot)) for foot in ("RF", "LF")]
    tasks.append(center_of_mass_position(footfall.center_of_mass(lola, q) + np.array([0.02, 0.01, -0.05])))
    hand = footfall.frame_pose(lola, q, "RH").translation + np.array([0.1, -0.1, 0.2])
    tasks.append(frame_position("RH", hand))
    found = solve_ik(lola, q, tasks, tolerance=1e-9)
    assert found.reached
    assert found.iterations < 30
    np.testing.assert_allclose(footfall.frame_pose(lola, found.q, "RH").translation, hand, atol=1e-8)
    assert np.all(found.q >= lola.lower_limits)
    assert np.all(found.q <= lola.upper_limits)


def test_priorities_on_position_level() -> None:
    """The hand comes first; the posture is kept as well as that allows."""
    arm = robot("arm-7r")
    goal = footfall.frame_pose(arm, np.array([0.3, 0.5, -0.2, 1.0, 0.4, 0.8, 0.1]), "tip")
    start = np.array([0.1, 0.4, 0.1, 1.2, 0.2, 0.5, 0.0])
    tasks = [PoseTask("tip", goal), posture(arm, start, priority=1)]
    found = solve_ik(arm, start, tasks, limits=NO_LIMITS, tolerance=1e-9, iterations=200)
    assert found.residuals["pose of tip"] < 1e-9
    free = np.linalg.svd(footfall.frame_jacobian(arm, found.q, "tip"))[2][-1]
    assert abs(free @ (start - found.q)) < 1e-7  # no motion along the null space brings the posture closer


def test_what_is_met_counts_from_the_first_priority() -> None:
    """A posture that a hand leaves unmet is no reason to refuse its pose: flags say what is met, level by level."""
    arm = robot("arm-7r")
    q = arm.configuration("ready")
    pose = footfall.frame_pose(arm, q + 0.1, "tip")
    tasks = [PoseTask("tip", pose), posture(arm, q, priority=1), posture(arm, q + 0.3, priority=2)]
    found = solve_ik(arm, q, tasks)
    assert found.levels == (True, False, False)
    assert found.reached
    np.testing.assert_array_equal(found.require(), found.q)
    assert found.distance < 1e-8
    assert found.residuals["pose of tip"] < 1e-8
    far = [PoseTask("tip", Transform(np.eye(3), np.full(3, 9.0))), posture(arm, q, priority=1)]
    with pytest.raises(TargetOutOfReach) as caught:
        solve_ik(arm, q, far).require()
    assert caught.value.solution.levels[0] is False


@pytest.mark.parametrize("limits", [Limits(velocity=None), NO_LIMITS])
def test_a_posture_takes_nothing_from_a_pose(limits: Limits) -> None:
    """As many random poses are met with a posture at second priority as without, and it comes as near as it can."""
    arm = robot("arm-7r")
    rest = arm.configuration("ready")
    counts, better = np.zeros(2, dtype=int), 0
    for seed in range(60):
        goal = footfall.frame_pose(arm, footfall.random_configuration(arm, seed=seed), "tip")
        pose, pull = PoseTask("tip", goal), posture(arm, rest, priority=1)
        alone, both = (solve_ik(arm, rest, tasks, limits=limits) for tasks in ([pose], [pose, pull]))
        counts += [alone.reached, both.reached]
        if both.reached:
            away = [float(np.linalg.norm(rest - each.q)) for each in (alone, both)]
            assert away[1] <= away[0] + 1e-9
            better += away[1] < away[0] - 1e-3
            free = both.q > arm.lower_limits + 1e-6
            free &= both.q < arm.upper_limits - 1e-6
            free |= limits == NO_LIMITS
            axes = np.linalg.svd(footfall.frame_jacobian(arm, both.q, "tip"))[2][6:]
            if free.all():
                assert np.abs(axes @ (rest - both.q)).max() < 1e-4 * max(1.0, away[1])
    assert counts[1] == counts[0] >= 50
    assert better > 20


def test_three_levels_and_a_task_that_cannot_be_met() -> None:
    """The middle level is missed as little as the first allows; the third moves only what is left then."""
    lola = robot("lola")
    q = lola.configuration("idle")
    feet = [PoseTask(foot, footfall.frame_pose(lola, q, foot)) for foot in ("RF", "LF")]
    hand = footfall.frame_pose(lola, q, "RH").translation
    reach = frame_position("RH", hand + np.array([3.0, 0.0, 0.0]), priority=1)
    two = solve_ik(lola, q, [*feet, reach])
    three = solve_ik(lola, q, [*feet, reach, posture(lola, q, priority=2)])
    assert two.levels == (True, False)
    assert three.levels == (True, False, False)
    assert three.residuals[reach.label] <= two.residuals[reach.label] * (1.0 + 1e-5)
    assert max(three.residuals[foot.label] for foot in feet) < np.sqrt(6) * 1e-8


def test_the_example_of_the_package() -> None:
    """What `footfall.control.inverse_kinematics` shows first: a foot, the centre of mass, and a posture below them."""
    lola = robot("lola")
    q = lola.configuration("idle")
    pose = footfall.frame_pose(lola, q, "RF")
    target = footfall.center_of_mass(lola, q) + np.array([0.02, 0.01, -0.03])
    tasks = [PoseTask("RF", pose), center_of_mass_position(target), posture(lola, q, priority=1)]
    found = solve_ik(lola, q, tasks).require()
    np.testing.assert_allclose(footfall.center_of_mass(lola, found), target, atol=1e-8)


def test_half_spaces_are_met_from_inside() -> None:
    arm = robot("arm-6r")
    q = arm.configuration("ready")
    height = float(footfall.frame_pose(arm, q, "tip").translation[2])
    above = HalfSpaceTask("tip", np.array([0.0, 0.0, height - 0.1]), np.array([0.0, 0.0, 1.0]))
    assert solve_ik(arm, q, [above]).iterations == 0
    higher = HalfSpaceTask("tip", np.array([0.0, 0.0, height + 0.1]), np.array([0.0, 0.0, 1.0]))
    found = solve_ik(arm, q, [higher])
    assert footfall.frame_pose(arm, found.require(), "tip").translation[2] >= height + 0.1 - 1e-8


def test_line_searches() -> None:
    """Nocedal and Wright's conditions on a curve with a narrow valley."""

    def along(step: float) -> tuple[float, float]:
        return (step - 0.03) ** 2 + 0.2 * step**4, 2 * (step - 0.03) + 0.8 * step**3

    cost, slope = along(0.0)
    step = armijo(along, cost, slope)
    assert along(step)[0] <= cost + 1e-4 * step * slope
    step = wolfe(along, cost, slope, curvature=0.1)
    assert along(step)[0] <= cost + 1e-4 * step * slope
    assert abs(along(step)[1]) <= 0.1 * abs(slope)
    far = wolfe(lambda step: ((step - 20.0) ** 2, 2 * (step - 20.0)), 400.0, -40.0, curvature=0.1)
    assert abs(far - 20.0) <= 2.0
    for search in (armijo, wolfe):
        with pytest.raises(NoSolution, match="must be negative"):
            search(along, cost, 1.0)


def test_bad_input() -> None:
    lola, arm = robot("lola"), robot("planar-arm")
    with pytest.raises(InvalidInput, match="has no position"):
        solve_ik(lola, lola.configuration("idle"), [MomentumTask()])
    with pytest.raises(UnknownName, match="no method of inverse kinematics 'guess'"):
        solve_ik_textbook(arm, START, [PLANAR], method="guess")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="no line search 'guess'"):
        solve_ik_textbook(arm, START, [PLANAR], line_search="guess")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="iterations 0"):
        solve_ik(arm, START, [PLANAR], iterations=0)
    with pytest.raises(InvalidInput, match="no task"):
        solve_ik(arm, START, [])
    with pytest.raises(ValueError, match="q"):
        solve_ik(arm, np.array([0.0, np.nan, 0.0]), [PLANAR])


def test_methods_of_earlier_releases() -> None:
    """They work for one release, and the warning says what to call."""
    arm = robot("planar-arm")
    with pytest.warns(DeprecationWarning, match=r"use solve_ik_textbook\(..., method='newton'\)"):
        old = solve_ik(arm, START, [PLANAR], method="newton", gain=0.5)
    new = solve_ik_textbook(arm, START, [PLANAR], method="newton", gain=0.5)
    assert np.array_equal(old.q, new.q)
    tasks = [PLANAR, posture(arm, START, priority=1)]
    with pytest.warns(DeprecationWarning, match="use by_weight=True"):
        old = solve_ik(arm, START, tasks, method="levenberg_marquardt")
    assert np.array_equal(old.q, solve_ik(arm, START, tasks, by_weight=True).q)
    assert not np.allclose(old.q, solve_ik(arm, START, tasks).q)  # weights are not priorities
    with pytest.raises(TypeError, match="unexpected keyword argument 'linesearch'"):
        solve_ik(arm, START, [PLANAR], linesearch="wolfe")
