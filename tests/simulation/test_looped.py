"""Looped robots in the simulation: contact, joint limits, drives of independent joints, batches."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface
from footfall.dynamics.loops import Coupling
from footfall.errors import SimulationDiverged, SimulationWarning
from footfall.geometry.plane import Plane
from footfall.robot.model import Body, Frame, Joint, JointType, Loop, LoopType, Robot
from footfall.simulation.plants import FeetSimulation, SmoothSimulation
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_problem import step_residuals
from footfall.simulation.step_values import StepOptions
from tests.dynamics.multipliers import all_constraint_rows
from tests.looped_robots import at, four_bar, rod
from tests.simulation.worlds import PLANTS, ContactList


def leg() -> Robot:
    """A body on a vertical guide with a four-bar leg: the crank drives a shank whose tip is the foot."""
    down = footfall.Transform(np.array([[0.0, 0.0, -1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]), np.zeros(3))
    moved = replace(four_bar(), gravity=(0.0, 0.0, -9.81))
    hips = [
        Joint("crank", JointType.REVOLUTE, "trunk", "crank", down, axis=(0.0, 1.0, 0.0), effort=200.0),
        Joint(
            "coupler", JointType.CONTINUOUS, "crank", "coupler", at(0.15), axis=(0.0, 1.0, 0.0), damping=0.2
        ),
        Joint(
            "rocker",
            JointType.CONTINUOUS,
            "trunk",
            "rocker",
            footfall.Transform(down.rotation, np.array([0.2, 0.0, 0.0])),
            axis=(0.0, 1.0, 0.0),
        ),
    ]
    return Robot(
        "hopper",
        (
            Body("trunk", 5.0, inertia=0.1 * np.eye(3)),
            rod("crank", 0.15),
            rod("coupler", 0.4),
            rod("rocker", 0.3),
        ),
        (Joint("guide", JointType.PRISMATIC, "world", "trunk"), *hips),
        (
            Frame("pin", "coupler", at(0.25)),
            Frame("tip", "rocker", at(0.3)),
            Frame("foot", "coupler", at(0.4)),
        ),
        {"assembly": np.array([0.6, 0.5, -0.9, -0.3])},
        gravity=moved.gravity,
        loops=(Loop("linkage", LoopType.POINT, "pin", "tip", dependent=("coupler", "rocker")),),
    )


def gap(robot: Robot, q: Array) -> float:
    return float(np.abs(all_constraint_rows(robot, q, np.zeros(robot.tree.nv))[0]).max())


def standing(**options: object) -> Simulation:
    robot = leg()
    q = footfall.neutral(robot)
    height = footfall.frame_pose(robot, q, "foot").translation[2]
    q[0] += 0.01 - height
    candidates = [Candidate("foot", (0.0, 0.0, 0.0), 0.0, Surface(Plane()))]
    return FeetSimulation(robot, candidates=candidates, options=StepOptions(dt=1e-3), q=q, **options)  # type: ignore[arg-type]


def test_a_looped_leg_lands_and_stands() -> None:
    """Held by its crank alone; in the end the ground carries its weight, and the loop is closed all the way."""
    simulation = standing()
    robot = simulation.robot
    assert (robot.nv, simulation.joints) == (2, 2)
    command = simulation.pd(
        simulation.joint_positions(), kp=np.array([0.0, 3000.0]), kd=np.array([0.0, 60.0])
    )
    trajectory = simulation.run(command, 1.5)
    assert max(gap(robot, q) for q in trajectory.q[::50]) < 1e-12
    weight = robot.mass * 9.81
    assert trajectory.forces[-1][0][2] == pytest.approx(weight, rel=1e-3)
    assert np.abs(trajectory.v[-1]).max() < 1e-3
    foot = footfall.frame_pose(robot, trajectory.q[-1], "foot").translation
    assert -1e-6 < foot[2] < 1e-5


def test_a_step_obeys_the_equations_of_motion() -> None:
    """Momentum balance of one step from its own contact force: M dv = dt (tau - h) + J^T p."""
    simulation = standing()
    robot = simulation.robot
    command = simulation.pd(
        simulation.joint_positions(), kp=np.array([0.0, 3000.0]), kd=np.array([0.0, 60.0])
    )
    simulation.run(command, 0.08)
    before = simulation.state
    trajectory = simulation.run(command, 1e-3)
    dt = 1e-3
    jacobian = footfall.frame_jacobian(robot, before.q, "foot")[:3]
    coupling = Coupling(robot, before.q)
    damping = coupling.quadratic(np.diag(robot.spanning.damping))
    given = (
        trajectory.effort[-1] - damping @ trajectory.v[-1] - footfall.bias_forces(robot, before.q, before.v)
    )
    given = given + jacobian.T @ trajectory.forces[-1][0]
    change = footfall.mass_matrix(robot, before.q) @ (trajectory.v[-1] - before.v)
    assert np.abs(change - dt * given).max() < 1e-9


def test_batches_of_looped_robots() -> None:
    """Many in one call are as one by one."""
    simulation = standing()
    start = simulation.state
    command = simulation.pd(
        simulation.joint_positions(), kp=np.array([0.0, 3000.0]), kd=np.array([0.0, 60.0])
    )
    single = simulation.run(command, 0.05)
    q, v = (np.tile(each, (5, 1)) for each in (start.q, start.v))
    v[:, 1] = np.linspace(-0.5, 0.5, 5)
    many = simulation.rollout(q, v, command, steps=50)
    assert np.array_equal(many[0][2], single.q)
    assert max(gap(simulation.robot, each) for each in many[0][:, -1]) < 1e-12


@pytest.mark.parametrize("contacts", ["listed", "found"])
def test_limits_and_friction_of_joints_that_follow(contacts: ContactList) -> None:
    """The rocker stops the crank at its own limit; its dry friction holds the crank."""
    plain = four_bar()
    start = footfall.neutral(plain)
    stop = 1.9
    stopped = replace(
        plain,
        joints=tuple(
            replace(joint, type=JointType.REVOLUTE, lower=-4.0, upper=stop)
            if joint.name == "rocker"
            else joint
            for joint in plain.joints
        ),
    )
    simulation = PLANTS[contacts](stopped, options=StepOptions(dt=1e-3))
    push = footfall.gravity_forces(stopped, start) + np.array([-20.0])
    command = simulation.zero_command._replace(effort=push)
    trajectory = simulation.run(command, 1.0)
    assert trajectory.q[:, 2].max() < stop + 1e-6
    assert trajectory.q[-1, 2] == pytest.approx(stop, abs=1e-6)
    assert np.abs(trajectory.v[-1]).max() < 1e-9
    stuck = replace(
        plain,
        joints=tuple(
            replace(joint, friction=30.0) if joint.name == "rocker" else joint for joint in plain.joints
        ),
    )
    ends = []
    for robot in (stuck, plain):
        simulation = PLANTS[contacts](robot, options=StepOptions(dt=1e-3))
        command = simulation.zero_command._replace(effort=np.array([2.0]))  # 7 N m at the rocker
        ends.append(np.abs(simulation.run(command, 0.2).q[-1] - start).max())
    assert ends[0] < 1e-9
    assert ends[1] > 0.1


def test_both_ways_to_limits_and_friction_of_joints_that_follow_agree() -> None:
    """A linkage goes from one limit of its rocker to the other, with dry friction in rocker and coupler: the validator,
    which knows neither way, is content with both, and they lead to the same places."""
    plain = four_bar()
    rocker = {"type": JointType.REVOLUTE, "lower": 1.58, "upper": 1.61, "friction": 0.3}
    held: dict[str, dict[str, Any]] = {"rocker": rocker, "coupler": {"friction": 0.2}}
    robot = replace(plain, joints=tuple(replace(joint, **held.get(joint.name, {})) for joint in plain.joints))
    courses, options = [], StepOptions(dt=1e-3, velocity_terms="start")
    for contacts in ("listed", "found"):
        simulation = PLANTS[contacts](robot, options=options, v=np.array([3.0]))
        push = simulation.zero_command._replace(effort=np.array([-4.0]))
        residuals, trajectory = step_residuals(simulation, push, 200)
        assert residuals.max() < 1e-8 * robot.mass * 9.81 * 1e-3
        assert trajectory.q[:, 2].max() == pytest.approx(1.61, abs=1e-6)
        assert trajectory.q[-1, 2] == pytest.approx(1.58, abs=1e-9)
        courses.append(trajectory.q)
    assert np.abs(courses[0] - courses[1]).max() < 1e-9


def test_smooth_integrators_keep_energy_and_closure() -> None:
    simulation = SmoothSimulation(four_bar(), dt=1e-3, v=np.array([3.0]))
    robot = simulation.robot
    trajectory = simulation.run(simulation.zero_command, 1.0)
    energy = [
        footfall.kinetic_energy(robot, q, v) + footfall.potential_energy(robot, q)
        for q, v in zip(trajectory.q[::20], trajectory.v[::20], strict=True)
    ]
    assert np.ptp(energy) < 1e-8 * np.abs(energy).max()
    assert np.ptp(trajectory.q[:, 0]) > 1.0
    assert max(gap(robot, q) for q in trajectory.q[::20]) < 1e-14


def test_a_crank_goes_through_where_a_rocker_is_stuck() -> None:
    """Only the choice of the coordinate makes a dead point."""
    simulation = Simulation(four_bar(), options=StepOptions(dt=1e-3))
    trajectory = simulation.run(simulation.zero_command._replace(effort=np.array([5.0])), 0.6)
    assert max(gap(simulation.robot, q) for q in trajectory.q[::50]) < 1e-12
    assert np.ptp(trajectory.q[:, 0]) > 2 * np.pi


@pytest.mark.parametrize("integrator", ["semi-implicit", "explicit", "rk4"])
@pytest.mark.parametrize("effort", [5.0, 30.0, 200.0])
def test_a_dead_point_is_told_before_and_stops_the_run(integrator: str, effort: float) -> None:
    """With the rocker as coordinate the linkage cannot go on where crank and coupler are in line.

    The warning comes while the joints still move by less than ten times what they are led by in a step; the error has
    the last good state, from which another controller can go on.
    """
    robot = replace(four_bar(dependent=("crank", "coupler")), gravity=(0.0, 0.0, -9.81))  # across its plane
    simulation = (
        Simulation(robot, dt=1e-3)
        if integrator == "semi-implicit"
        else SmoothSimulation(robot, dt=1e-3, integrator=integrator)  # type: ignore[arg-type]
    )
    command = simulation.zero_command._replace(effort=np.array([effort]))
    with (
        pytest.warns(
            SimulationWarning, match=r"loop 'closure' comes near a dead point.*loop_margin is 0\.[01]"
        ),
        pytest.raises(SimulationDiverged, match=r"dead point|loop_margin of loop 'closure'") as stopped,
    ):
        simulation.run(command, 1.0)
    assert stopped.value.state is simulation.state
    assert 0.0 < simulation.state.time < 1.0
    assert np.isfinite(simulation.state.v).all()
    margin = float(footfall.dynamics.loop_margin(robot, simulation.state.q))
    assert margin > 1e-4
    assert gap(robot, simulation.state.q) < 1e-12
    back = simulation.zero_command._replace(effort=np.array([-300.0]))  # braked and turned back, it goes on
    simulation.state = replace(simulation.state, v=0.0 * simulation.state.v)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SimulationWarning)
        simulation.run(back, 0.02)
    assert footfall.dynamics.loop_margin(robot, simulation.state.q) > margin


def test_dead_points_of_a_rollout_are_told() -> None:
    """Robots that are stuck, or lost where they came near; those that are led by the crank are not meant."""
    robot = replace(four_bar(dependent=("crank", "coupler")), gravity=(0.0, 0.0, -9.81))  # across its plane
    simulation = Simulation(robot, options=StepOptions(dt=1e-3))
    efforts = np.array([[1.0], [30.0], [0.0], [200.0]])
    with pytest.warns(
        SimulationWarning, match="2 of 4 robots came to a dead point of loop 'closure', robot 1"
    ):
        simulation.rollout(
            simulation.state.q,
            simulation.state.v,
            simulation.zero_command._replace(effort=efforts),
            steps=600,
        )
    crank = Simulation(four_bar(), options=StepOptions(dt=1e-3))
    with warnings.catch_warnings():
        warnings.simplefilter("error", SimulationWarning)
        crank.rollout(crank.state.q, crank.state.v, crank.zero_command._replace(effort=efforts), steps=600)


def test_loops_that_cannot_be_closed_stop_the_simulation() -> None:
    simulation = Simulation(
        four_bar(dependent=("crank", "coupler")), options=StepOptions(dt=0.5), v=np.array([8.0])
    )
    start = simulation.state
    with pytest.raises(SimulationDiverged, match="loops cannot be closed with the joints coupler, crank"):
        simulation.run(simulation.zero_command, 2.0)
    assert simulation.state is start


def test_what_is_open_is_closed_and_what_cannot_be_is_refused() -> None:
    robot = four_bar()
    simulation = Simulation(robot, options=StepOptions(dt=1e-3), q=np.array([1.0, -0.4, 1.7]))
    assert gap(robot, simulation.state.q) < 1e-14
    held = replace(robot, loops=(replace(robot.loops[0], held_by="forces"),))
    with pytest.raises(ValueError, match="forces hold the loops closure"):
        FeetSimulation(held)


def test_loops_that_forces_hold_move_as_those_that_coordinates_hold() -> None:
    """A driven linkage, by both: they differ by the order of the step, and the loop is apart by its square, as no
    error of a step lasts. The validator knows the equations as well."""
    robot = four_bar()
    held = replace(robot, loops=(replace(robot.loops[0], held_by="forces", dependent=()),))
    apart, missed = [], []
    for dt in (1e-3, 5e-4):
        ends = []
        for each in (robot, held):
            options = StepOptions(dt=dt, velocity_terms="start")
            simulation = PLANTS["found"](each, options=options)
            effort = np.zeros(simulation.joints)
            effort[0] = 5.0  # the crank's
            residuals, trajectory = step_residuals(
                simulation, simulation.zero_command._replace(effort=effort), round(0.3 / dt)
            )
            assert residuals.max() < 1e-8 * each.mass * 9.81 * dt
            ends.append(trajectory.q[-1])
        violation = footfall.dynamics.loop_violation(held, trajectory.q[-1], trajectory.v[-1])
        missed.append(float(np.abs(violation.position).max()))
        apart.append(float(np.abs(ends[0] - ends[1]).max()))
    assert apart[0] < 5e-3
    assert apart[1] == pytest.approx(apart[0] / 2, rel=0.1)
    assert missed[0] < 2e-4
    assert missed[1] == pytest.approx(missed[0] / 4, rel=0.2)


def three_rockers(held_by: str) -> Robot:
    """Crank 0.4 m, coupler 0.35, rocker 0.3 on a base of 0.5: the shortest and the longest together are longer than the
    others, so that no link turns round (Grashof) and each comes to dead points."""
    lengths = {"crank": 0.4, "coupler": 0.35, "rocker": 0.3}
    bodies = [
        Body(name, length, np.array([length / 2, 0.0, 0.0]), np.diag([1e-4, *[length**3 / 12] * 2]))
        for name, length in lengths.items()
    ]
    joints = [
        Joint("crank", JointType.REVOLUTE, "world", "crank"),
        Joint("coupler", JointType.REVOLUTE, "crank", "coupler", at(0.4)),
        Joint("rocker", JointType.REVOLUTE, "world", "rocker", at(0.5)),
    ]
    frames = [Frame(f"{name}_tip", name, at(lengths[name])) for name in ("coupler", "rocker")]
    loop = Loop("closure", LoopType.POINT, "coupler_tip", "rocker_tip", held_by=held_by)  # type: ignore[arg-type]
    start = {"assembly": np.array([0.9, -1.0, 1.25])}
    return Robot("three rockers", bodies, joints, frames, start, loops=(loop,), gravity=(0.0, 0.0, 0.0))


@pytest.mark.filterwarnings("ignore:.*comes near a dead point")
def test_a_loop_that_forces_hold_passes_the_dead_points_at_which_coordinates_stop() -> None:
    """And the message names it. All links turn back in 2 s; energy is kept to first order in dt, as that
    of any swing of semi-implicit steps, also in rollouts; the gap does not grow."""
    robot = three_rockers("coordinates")
    start = robot.configuration("assembly")
    simulation = Simulation(robot, q=start, v=np.array([3.0]))
    with pytest.raises(SimulationDiverged, match=r"dead point.*held_by='forces'"):
        simulation.run(simulation.zero_command, 2.0)
    rates = np.asarray(footfall.dynamics.joint_rates(robot, start, np.array([3.0])))
    held, spread = three_rockers("forces"), []
    for dt in (1e-3, 2.5e-4):
        simulation = Simulation(held, dt=dt, q=start, v=rates)
        trajectory = simulation.run(simulation.zero_command, 2.0)
        for joint in range(3):
            turns = np.diff(np.sign(trajectory.v[:, joint]))
            assert np.count_nonzero(turns) >= 1
        energy = np.asarray(footfall.kinetic_energy(held, trajectory.q, trajectory.v))
        spread.append(np.ptp(energy) / energy[0])
        q, v, _ = simulation.rollout(
            start, np.outer([0.5, 1.0], rates), simulation.zero_command, steps=round(1.0 / dt)
        )
        ends = np.asarray(footfall.kinetic_energy(held, q[:, -1], v[:, -1]))
        starts = np.asarray(footfall.kinetic_energy(held, q[:, 0], v[:, 0]))
        assert np.abs(ends / starts - 1.0).max() < 0.01
    assert spread[0] < 0.015
    assert spread[1] < 0.4 * spread[0]


def test_dead_points_are_passed_with_the_energy_by_runge_kutta() -> None:
    """To 1e-6 at 1 ms and by dt^4, also in rollouts, at several speeds; links turn back within 2 s."""
    robot = three_rockers("coordinates")
    start = robot.configuration("assembly")
    rates = np.asarray(footfall.dynamics.joint_rates(robot, start, np.array([3.0])))
    held, spread = three_rockers("forces"), []
    for dt in (2e-3, 1e-3):
        simulation = SmoothSimulation(held, dt=dt, integrator="rk4", q=start, v=rates)
        q, v, _ = simulation.rollout(
            start, np.outer([0.5, 1.0, -1.0], rates), simulation.zero_command, steps=round(2.0 / dt)
        )
        energy = np.array([footfall.kinetic_energy(held, *row) for row in zip(q, v, strict=True)])
        spread.append((np.ptp(energy, axis=1) / energy[:, 0]).max())
        assert (np.count_nonzero(np.diff(np.sign(v[..., :2]), axis=1), axis=1) >= 1).all()
    assert spread[1] < 1e-6
    assert spread[0] / spread[1] == pytest.approx(16.0, rel=0.2)
    trajectory = simulation.run(simulation.zero_command, 2.0)
    np.testing.assert_array_equal(trajectory.q[-1], q[1, -1])
