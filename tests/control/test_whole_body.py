"""Whole-body control: examples of RSL 2022, chapter 3, two solvers against each other, limits, and a robot that
stands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import nnls

import footfall
from footfall import Scene
from footfall.arrays import Array
from footfall.control.actuation import driven_names, selection_matrix
from footfall.control.constrained_dynamics import solve_constrained_dynamics, solve_stance_torques
from footfall.control.contact_constraints import SURFACE, Contact
from footfall.control.gains import gains_from
from footfall.control.priorities import level, solve_hierarchy
from footfall.control.quadratic_program import (
    QuadraticProgram,
    solve_quadratic_program,
)
from footfall.control.references import PointReference, resting_pose, resting_reference
from footfall.control.task_space import pose_error
from footfall.control.tasks.accelerations import FrameAcceleration, JointAcceleration
from footfall.control.tasks.forces import ContactForce, LeastForce, LeastTorque
from footfall.control.tasks.poses import PoseTask
from footfall.control.tasks.positions import center_of_mass_position
from footfall.control.tasks.postures import PostureTask
from footfall.control.whole_body import (
    Method,
    WholeBodyControl,
    WholeBodyLimits,
    build_whole_body,
    solve_whole_body,
)
from footfall.control.wrench_cone import in_rectangular_cone
from footfall.errors import InvalidInput, LimitsExceeded, UnknownName
from footfall.math.rotations import boxplus
from footfall.math.transform import Transform
from footfall.robot.model import Body, Joint, JointType, Robot
from footfall.simulation.simulation import Simulation
from tests.control.stances import CORNERS, TIP, consistent_motion, feet, planar_arm, quadruped, table
from tests.simulation.worlds import ground

METHODS: tuple[Method, ...] = ("least squares", "quadratic programs")


def weak(robot: Robot, effort: float) -> Robot:
    """The robot with limited drives."""
    joints = tuple(
        replace(joint, effort=(effort,) * joint.type.velocities) if joint.name != "root" else joint
        for joint in robot.joints
    )
    return replace(robot, joints=joints)


def test_centre_of_mass_follows_what_is_fed_forward() -> None:
    """At the reference with its velocity, the centre is accelerated as it is; a mere place asks to stop there."""
    robot, q = quadruped()
    v, _ = consistent_motion(robot, q, feet())
    place, velocity = footfall.center_of_mass(robot, q), footfall.center_of_mass_jacobian(robot, q) @ v
    asked, gains = np.array([0.3, -0.2, 0.5]), gains_from(2.0)

    def accelerated(target: Array | PointReference) -> Array:
        control = WholeBodyControl(robot, feet(), (center_of_mass_position(target, gains=gains),))
        a = control.solve(0.0, q, v).acceleration
        bias = footfall.dynamics.center_of_mass_bias(robot, q, v)
        return np.asarray(footfall.center_of_mass_jacobian(robot, q) @ a + bias)

    assert np.abs(accelerated(PointReference(place, velocity, asked)) - asked).max() < 1e-9
    assert np.abs(accelerated(place) + gains.damping * velocity).max() < 1e-9


def test_two_levels_by_hand() -> None:
    """RSL 2022, (3.102)-(3.107): x1 + x2 = 2 first, then x = (3, 0): (2.5, -0.5)."""
    levels = [level(np.array([[1.0, 1.0]]), np.array([2.0])), level(np.eye(2), np.array([3.0, 0.0]))]
    assert np.abs(solve_hierarchy(levels).v - [2.5, -0.5]).max() < 1e-12


@pytest.mark.parametrize("method", METHODS)
def test_inverse_dynamics_of_an_arm(method: Method) -> None:
    """002 example 3.10.1 with the torques of case A in section 10.10."""
    robot, q, v = planar_arm()
    task = JointAcceleration(np.array([1.0, 2.0, 3.0]))
    problem = build_whole_body(robot, q, v, contacts=[], tasks=[task])
    solution = solve_whole_body(problem, method=method)
    assert np.abs(solution.torque - [-17.62264743, -8.41316987, 0.05616025]).max() < 2e-6


def test_same_torques_as_the_projected_equation() -> None:
    """RSL 2022, (3.109)-(3.115): physics, accelerations, least torque gives the pseudo-inverse torque of (3.100)."""
    robot, q = quadruped()
    v, wanted = consistent_motion(robot, q, feet())
    tasks = [JointAcceleration(wanted), LeastTorque(priority=1)]
    solution = solve_whole_body(
        build_whole_body(robot, q, v, contacts=feet(), tasks=tasks), method="least squares"
    )
    expected = solve_stance_torques(robot, q, v, wanted, contacts=feet())
    assert np.abs(solution.torque - expected.torque).max() < 1e-8
    assert np.abs(solution.forces - expected.forces).max() < 1e-8
    assert np.abs(solution.acceleration - wanted).max() < 1e-9


@pytest.mark.parametrize("method", METHODS)
def test_solutions_obey_the_equation_of_motion(method: Method) -> None:
    robot, q = quadruped()
    v, _ = consistent_motion(robot, q, feet("LF", "RB", "LB"))
    tasks = [
        FrameAcceleration("torso", np.array([0.5, 0.2, -0.3, 0.4, 0.1, 0.2])),
        FrameAcceleration("RF", np.array([0.0, 0.0, 2.0, 0.0, 0.0, 0.0]), rows="xyz", priority=1),
        LeastForce(priority=2),
    ]
    contacts = feet("LF", "RB", "LB")
    problem = build_whole_body(robot, q, v, contacts=contacts, tasks=tasks)
    solution = solve_whole_body(problem, method=method)
    x = np.concatenate([solution.acceleration, solution.forces, solution.torque])
    assert np.abs(problem.physics.matrix @ x - problem.physics.value).max() < 1e-8
    motion = solve_constrained_dynamics(
        robot, q, v, selection_matrix(robot).T @ solution.torque, contacts=contacts
    )
    assert np.abs(motion.acceleration - solution.acceleration).max() < 1e-8
    reached = footfall.frame_acceleration(robot, q, v, motion.acceleration, "torso")
    assert np.abs(reached - [0.5, 0.2, -0.3, 0.4, 0.1, 0.2]).max() < 1e-5
    assert np.abs(solution.missing[0]).max() < 1e-5


def test_both_methods_miss_the_same() -> None:
    """Conflicting levels: residuals agree level by level (RSL 2022), with contacts that cannot do all."""
    robot, q = quadruped()
    contacts = feet("LF", "RB")
    v, wanted = consistent_motion(robot, q, contacts)
    tasks = [
        FrameAcceleration("torso", np.array([0.5, 0.2, -0.3, 3.0, 2.0, 0.2])),
        center_of_mass_position(footfall.center_of_mass(robot, q) + 0.05, priority=1),
        JointAcceleration(wanted, priority=2),
        LeastTorque(priority=3),
    ]
    problem = build_whole_body(robot, q, v, contacts=contacts, tasks=tasks)
    first, second = (solve_whole_body(problem, method=method) for method in METHODS)
    assert np.abs(first.missing[2]).max() > 0.1
    for one, other in zip(first.missing, second.missing, strict=True):
        assert np.abs(one - other).max() < 1e-4 * max(1.0, np.abs(one).max())


def test_contact_force_is_given() -> None:
    robot, q = quadruped()
    v = np.zeros(18)
    asked = np.array([1.0, -2.0, 30.0])
    tasks = [
        FrameAcceleration("torso", np.zeros(6)),
        ContactForce(2, asked, priority=1),
        LeastTorque(priority=2),
    ]
    solution = solve_whole_body(
        build_whole_body(robot, q, v, contacts=feet(), tasks=tasks), method="least squares"
    )
    assert np.abs(solution.forces[6:9] - asked).max() < 1e-9


def test_friction_pyramids_are_kept() -> None:
    """Accelerate hard to the side: without limits the feet leave their cones, with them they do not."""
    robot, q = quadruped()
    tasks = [FrameAcceleration("torso", np.array([9.0, 3.0, 0.0, 0.0, 0.0, 0.0])), LeastForce(priority=1)]
    contacts = tuple(replace(each, friction=0.5) for each in feet())
    limits = WholeBodyLimits(least_force=5.0)
    problem = build_whole_body(robot, q, np.zeros(18), contacts=contacts, tasks=tasks, limits=limits)
    bold = solve_whole_body(problem, method="least squares").forces.reshape(4, 3)
    careful = solve_whole_body(problem).forces.reshape(4, 3)
    ratios = [np.linalg.norm(forces[:, :2], axis=1) / forces[:, 2] for forces in (bold, careful)]
    assert np.abs(ratios[0]).max() > 0.7
    assert ratios[1].max() < 0.5 + 1e-4
    assert careful[:, 2].min() > 5.0 - 1e-3
    assert problem.limits is not None
    assert len(problem.limits.value) == 4 * 5


@pytest.mark.parametrize("seed", range(6))
def test_a_level_without_anything_left_to_decide(seed: int) -> None:
    """The torso's motion fixes that of all joints; at the edge of friction the posture then changes nothing."""
    robot, q = quadruped(seed)
    contacts = tuple(replace(each, friction=0.6) for each in feet())
    asked = np.random.default_rng(seed).normal(size=6) * np.array([6.0, 6.0, 2.0, 5.0, 5.0, 5.0])
    torso = FrameAcceleration("torso", asked)
    posture = PostureTask(resting_reference(robot, robot.configuration("stand")), priority=1)
    forces = []
    for tasks in ([torso, LeastForce(priority=2)], [torso, posture, LeastForce(priority=2)]):
        problem = build_whole_body(
            robot, q, np.zeros(18), contacts=contacts, tasks=tasks, limits=WholeBodyLimits(least_force=2.0)
        )
        forces.append(solve_whole_body(problem).forces)
    assert np.abs(forces[0] - forces[1]).max() < 1e-3


@pytest.mark.parametrize("seed", [0, 853, 1692])
def test_programs_whose_rows_meet_in_a_corner(seed: int) -> None:
    """Eight rows of rank four through zero, as friction pyramids have: zero is feasible, so there is a minimum.

    Seeds 853 and 1692 are infeasible to DAQP at its tightest tolerance. The minimum is known by its multipliers.
    """
    random = np.random.default_rng(seed)
    dependent = (random.normal(size=(6, 4)) @ random.normal(size=(4, 8))).T
    matrix = np.vstack([dependent, random.normal(size=(4, 6))])
    matrix /= np.linalg.norm(matrix, axis=1)[:, None]
    random.normal(size=8)
    gradient = 30.0 * random.normal(size=6)
    least = np.concatenate([np.zeros(8), -np.ones(4)])
    program = QuadraticProgram(
        np.eye(6),
        gradient,
        matrix,
        np.concatenate([np.full(6, -np.inf), least]),
        np.full(18, np.inf),
    )
    x = solve_quadratic_program(program)
    slack = matrix @ x - least
    assert slack.min() > -1e-6
    _, left = nnls(matrix[slack < 1e-6].T, x + gradient)
    assert left < 1e-5


def test_torques_and_joints_are_limited() -> None:
    robot, q, v = planar_arm()
    task = JointAcceleration(np.array([30.0, -40.0, 20.0]))
    needed = np.abs(footfall.inverse_dynamics(robot, q, v, task.acceleration)).max()
    limited = weak(robot, 0.6 * needed)
    problem = build_whole_body(limited, q, v, contacts=[], tasks=[task], limits=WholeBodyLimits())
    solution = solve_whole_body(problem)
    assert np.abs(solution.torque).max() < 0.6 * needed + 1e-6
    assert np.abs(solution.missing[0]).max() > 1.0
    stops = tuple(replace(joint, lower=(-1.1,), upper=(1.1,)) for joint in robot.joints)
    stopped = replace(robot, joints=stops)
    solution = solve_whole_body(
        build_whole_body(stopped, q, v, contacts=[], tasks=[task], limits=WholeBodyLimits(horizon=0.1))
    )
    after = q + 0.1 * v + 0.005 * solution.acceleration
    assert after.max() < 1.1 + 1e-6
    assert (q + 0.1 * v + 0.005 * task.acceleration).max() > 1.1


def test_impossible_limits_carry_the_evidence() -> None:
    """Four feet share 196.2 N; that each presses with 100 N cannot be."""
    robot = table()
    contacts = [Contact(name) for name in CORNERS]
    limits = WholeBodyLimits(least_force=100.0)
    problem = build_whole_body(
        robot, footfall.neutral(robot), np.zeros(6), contacts=contacts, tasks=[LeastForce()], limits=limits
    )
    with pytest.raises(
        LimitsExceeded, match=r"'table' keeps .*; missed: friction of contact \d .* by 5"
    ) as caught:
        solve_whole_body(problem)
    assert caught.value.problem is problem
    assert caught.value.missing.max() == pytest.approx(100.0 - 196.2 / 4, abs=1e-3)
    assert np.abs(caught.value.solution.forces.reshape(4, 3)[:, 2] - 196.2 / 4).max() < 1e-3


def test_limits_are_named_after_joints() -> None:
    """A joint that runs too fast towards its stop cannot be held by a weak drive: the message says which."""
    robot, q, _ = planar_arm()
    joints = tuple(
        replace(joint, lower=(-1.2,), upper=(1.2,), effort=(50.0,), velocity=(40.0,))
        for joint in robot.joints
    )
    stopped = replace(robot, joints=joints)
    control = WholeBodyControl(stopped, (), (PostureTask(q),), WholeBodyLimits())
    fast = np.array([30.0, 0.0, 0.0])
    pattern = "missed: (stop|torque) of joint '" + "|".join(joint.name for joint in joints)
    with pytest.raises(LimitsExceeded, match=pattern) as caught:
        control.solve(0.0, q, fast)
    assert f"stop of joint {joints[0].name!r}" in caught.value.exceeded
    assert max(caught.value.exceeded.values()) == pytest.approx(caught.value.missing.max())
    closest = replace(control, on_limits="closest")
    found = closest.solve(0.0, q, fast)
    assert found.exceeded == caught.value.exceeded
    np.testing.assert_array_equal(found.torque, caught.value.solution.torque)
    assert np.abs(closest.torque(0.0, q, fast)).max() <= 50.0
    assert closest.solve(0.0, q, np.zeros(3)).exceeded == {}
    with pytest.raises(UnknownName, match="there are: raise, closest"):
        replace(control, on_limits="ignore")  # type: ignore[arg-type]


def test_joints_of_several_axes_are_told_apart() -> None:
    robot = footfall.load("lola")
    names = driven_names(robot)
    assert len(names) == robot.nv - 6
    assert names[0] in {joint.name for joint in robot.joints}
    planar = Robot(
        "table",
        (Body("top", 1.0, inertia=np.eye(3)),),
        (Joint("slide", JointType.PLANAR, "world", "top"),),
    )
    assert driven_names(planar) == ("slide[0]", "slide[1]", "slide[2]")


def test_a_push_too_hard_does_not_end_the_run() -> None:
    """Told to do what comes closest, a quadruped goes on after a push that no motion within its limits can bear."""
    robot = weak(footfall.load("point-foot-quadruped"), 25.0)
    start = footfall.frame_pose(robot, robot.configuration("stand"), "torso")
    control, simulation = standing_control(robot, start), floor_simulation(robot)
    simulation.push("torso", np.array([0.0, 400.0, 0.0, 0.0, 0.0, 0.0]), 0.1)
    with pytest.raises(LimitsExceeded, match="missed: torque of joint '"):
        simulation.run(control, 0.3)
    simulation = floor_simulation(robot)
    simulation.push("torso", np.array([0.0, 400.0, 0.0, 0.0, 0.0, 0.0]), 0.1)
    run = simulation.run(replace(control, on_limits="closest"), 0.3)
    assert np.isfinite(run.q).all()


def test_soles_keep_the_rectangular_cone() -> None:
    """LOLA on two soles, leaning: the wrench of each foot in the axes of the foot is one that it can give."""
    robot = footfall.load("lola")
    q = robot.configuration("idle")
    soles = tuple(Contact(name, rows=SURFACE, friction=0.6, half_size=(0.1, 0.05)) for name in ("RF", "LF"))
    target = footfall.center_of_mass(robot, q) + np.array([0.3, 0.3, -0.02])
    tasks = [center_of_mass_position(target, gains=gains_from(0.8)), LeastTorque(priority=1)]
    problem = build_whole_body(
        robot, q, np.zeros(robot.nv), contacts=soles, tasks=tasks, limits=WholeBodyLimits(least_force=20.0)
    )
    verdicts = []
    for method in METHODS:
        forces = solve_whole_body(problem, method=method).forces.reshape(2, 6)
        for sole, wrench in zip(soles, forces, strict=True):
            axes = footfall.frame_pose(robot, q, sole.frame).rotation
            local = np.concatenate([axes.T @ wrench[:3], axes.T @ wrench[3:]])
            verdicts.append(in_rectangular_cone(local, 0.6, 0.1, 0.05, tolerance=1e-5))
    assert verdicts[2:] == [True, True]
    assert verdicts[:2] != [True, True]


def standing_control(robot: Robot, target: Transform) -> WholeBodyControl:
    """The torso to a target, feet of 0.6 friction; their forces pass near the centres of the round feet."""
    soles = tuple(Contact(f"{each.frame}_shank", (0.0, 0.0, -0.23), friction=0.6) for each in feet())
    tasks = (
        PoseTask("torso", resting_pose(target), gains=gains_from(1.5)),
        PostureTask(resting_reference(robot, robot.configuration("stand")), priority=1, weight=1e-2),
        LeastForce(priority=1),
    )
    return WholeBodyControl(robot, soles, tasks, WholeBodyLimits(least_force=2.0, joints=False))


def floor_simulation(robot: Robot) -> Simulation:
    floor = Scene("floor", (ground(friction=0.8),))
    return Simulation(robot, floor, q=robot.configuration("stand"), dt=1e-3, substeps=5)


def assert_feet_hold(forces: Array) -> None:
    """All feet press, and inside the floor's cone, so that none slips."""
    assert forces[:, :, 2].min() > 1.0
    assert (np.linalg.norm(forces[:, :, :2], axis=2) / forces[:, :, 2]).max() < 0.75


def test_shifts_and_turns_in_simulation() -> None:
    robot = footfall.load("point-foot-quadruped")
    start = footfall.frame_pose(robot, robot.configuration("stand"), "torso")
    shift, turn = np.array([0.03, -0.02, -0.02]), np.array([0.05, 0.0, 0.1])
    target = Transform(boxplus(start.rotation, turn), start.translation + shift)
    simulation = floor_simulation(robot)
    run = simulation.run(standing_control(robot, target), 1.2)
    error = pose_error(footfall.frame_pose(robot, simulation.state.q, "torso"), target)
    assert np.abs(error).max() < 3e-3
    assert_feet_hold(run.forces[20:])


@pytest.mark.parametrize("direction", [0.0, np.pi / 2], ids=["from behind", "from the side"])
def test_pushed_in_simulation(direction: float) -> None:
    """100 N for 0.2 s, almost half the weight of 23.2 kg: friction is at its limit, no foot slips, it comes back."""
    robot = footfall.load("point-foot-quadruped")
    start = footfall.frame_pose(robot, robot.configuration("stand"), "torso")
    controller, simulation = standing_control(robot, start), floor_simulation(robot)
    simulation.run(controller, 0.1)
    simulation.push("torso", 100.0 * np.array([np.cos(direction), np.sin(direction), 0, 0, 0, 0]), 0.2)
    run = simulation.run(controller, 1.5)
    assert np.abs(run.q[:, :3] - start.translation).max() > 0.02
    error = pose_error(footfall.frame_pose(robot, simulation.state.q, "torso"), start)
    assert np.abs(error).max() < 2e-3
    assert_feet_hold(run.forces)


def test_bad_requests() -> None:
    robot, q = quadruped()
    rest = np.zeros(18)
    with pytest.raises(InvalidInput, match="no task"):
        build_whole_body(robot, q, rest, contacts=feet(), tasks=[])
    with pytest.raises(UnknownName, match="no frame 'head'"):
        build_whole_body(robot, q, rest, contacts=feet(), tasks=[FrameAcceleration("head", np.zeros(6))])
    with pytest.raises(InvalidInput, match="no contact 4; there are 4"):
        build_whole_body(robot, q, rest, contacts=feet(), tasks=[ContactForce(4, np.zeros(3))])
    with pytest.raises(InvalidInput, match="must be finite"):
        build_whole_body(robot, q, rest, contacts=feet(), tasks=[FrameAcceleration("LF", np.full(6, np.inf))])
    with pytest.raises(InvalidInput, match="horizon is 0"):
        WholeBodyLimits(horizon=0.0)
    with pytest.raises(InvalidInput, match="least_force is nan"):
        WholeBodyLimits(least_force=float("nan"))
    with pytest.raises(InvalidInput, match="half_size"):
        Contact("LF", rows=SURFACE, half_size=(-1.0, 0.0))
    arm, position, rates = planar_arm()
    problem = build_whole_body(arm, position, rates, contacts=[TIP], tasks=[LeastTorque()])
    with pytest.raises(UnknownName, match="no method 'magic'"):
        solve_whole_body(problem, method="magic")  # type: ignore[arg-type]
