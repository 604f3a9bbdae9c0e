"""The simulation itself: runs, pushes, saved states, divergence, rollouts, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest

import footfall
from footfall.arrays import Array
from footfall.contact.candidates import Candidate, Surface
from footfall.contact.options import ContactOptions
from footfall.errors import (
    ConvergenceWarning,
    FootfallError,
    InvalidInput,
    RobotError,
    SimulationDiverged,
    SimulationWarning,
)
from footfall.geometry.plane import Plane
from footfall.simulation.plants import FeetSimulation
from footfall.simulation.simulation import Simulation
from footfall.simulation.step_values import Command, JointOptions, SolverOptions, StepOptions
from tests.simulation.worlds import EDGE, GRAVITY, ball, block, ground, simulate

G = GRAVITY


def quadruped(**options: object) -> Simulation:
    """The library's quadruped on its four feet."""
    robot = footfall.load("quadruped")
    candidates = [
        Candidate(body.name, tuple(geometry.placement.translation), geometry.shape.radius, Surface(Plane()))  # type: ignore[union-attr, arg-type]
        for body in robot.bodies
        for geometry in body.collisions
    ]
    step = StepOptions(dt=1e-3)
    q = robot.configuration("stand").copy()
    q[2] += 0.01
    return FeetSimulation(robot, candidates=candidates, options=step, q=q, **options)  # type: ignore[arg-type]


def held(simulation: Simulation) -> Command:
    return simulation.pd(simulation.joint_positions(), kp=2000.0, kd=50.0)


def test_a_controller_sees_time_and_state_at_its_own_rate() -> None:
    simulation = quadruped(substeps=5)
    command, seen = held(simulation), []

    def controller(time: float, q: Array, v: Array) -> Command:
        seen.append((time, q.copy(), v.copy()))
        return command

    start = simulation.state
    trajectory = simulation.run(controller, 0.05)
    assert simulation.control_period == pytest.approx(5e-3)
    assert [time for time, _, _ in seen] == pytest.approx(np.arange(10) * 5e-3)
    assert np.array_equal(seen[0][1], start.q)
    assert all(np.array_equal(seen[k + 1][1], trajectory.q[k]) for k in range(9))
    assert all(np.array_equal(seen[k + 1][2], trajectory.v[k]) for k in range(9))


def test_a_controller_may_change_what_it_is_given() -> None:
    simulation = simulate(ball((0.0, 0.0, 0.0)), gravity=0.0)

    def careless(time: float, q: Array, v: Array) -> Command:
        q[:] = 99.0
        v -= 1.0
        return simulation.zero_command

    assert not simulation.run(careless, 0.01).q[:, :3].any()


def test_substeps_are_the_same_steps() -> None:
    fine, coarse = quadruped(), quadruped(substeps=4)
    command = held(fine)
    one, four = fine.run(command, 0.04), coarse.run(command, 0.04)
    # another program for the same arithmetic: equal to rounding
    assert np.abs(one.q[3::4] - four.q).max() < 1e-12
    assert np.abs(one.v[3::4] - four.v).max() < 1e-9


def test_a_saved_state_goes_on_with_the_same_bits() -> None:
    simulation = quadruped()
    command = held(simulation)
    simulation.run(command, 0.1)
    kept = simulation.state
    first = simulation.run(command, 0.1)
    simulation.state = kept
    second = simulation.run(command, 0.1)
    for name in ("time", "q", "v", "effort", "forces", "residual"):
        assert np.array_equal(getattr(first, name), getattr(second, name))


def test_a_push_acts_for_its_time_only() -> None:
    # F t = m dv: 3 N for 0.2 s on a ball in free space
    simulation = simulate(ball((0.0, 0.0, 0.0), mass=2.0), gravity=0.0)
    simulation.push("ball", np.array([3.0, 0.0, 0.0, 0.0, 0.0, 0.1]), 0.2)
    simulation.run(simulation.zero_command, 0.5)
    assert simulation.state.v[0] == pytest.approx(3.0 * 0.2 / 2.0, rel=1e-12)
    assert simulation.state.v[5] == pytest.approx(0.1 * 0.2 / (0.4 * 2.0 * 0.01), rel=1e-9)


def test_a_push_ends_with_a_reset() -> None:
    simulation = simulate(ball((0.0, 0.0, 0.0)), gravity=0.0)
    simulation.push("ball", np.array([3.0, 0.0, 0.0, 0.0, 0.0, 0.0]), 0.2)
    simulation.run(simulation.zero_command, 0.1)
    simulation.reset()
    simulation.run(simulation.zero_command, 0.1)
    assert simulation.state.v[0] == 0.0
    for seconds in (-1.0, float("nan")):
        with pytest.raises(InvalidInput, match="seconds is"):
            simulation.push("ball", np.zeros(6), seconds)


def test_a_quaternion_of_zeros_is_named() -> None:
    simulation = simulate(ball((0.0, 0.0, 0.0)), gravity=0.0)
    with pytest.raises(RobotError, match=r"quaternion of joint .* has norm 0"):
        simulation.reset(q=np.zeros(7))
    simulation.state.q[:] = 0.0  # whatever may have led there
    with pytest.raises(SimulationDiverged, match="quaternion"):
        simulation.run(simulation.zero_command, 0.01)


def test_a_push_is_felt_through_friction() -> None:
    # below mu m g it stays, above it moves
    for force, moves in ((0.7, False), (0.9, True)):
        simulation = simulate(ground(friction=0.8), block())
        simulation.push("block", np.array([force * G, 0.0, 0.0, 0.0, -force * G * 0.1, 0.0]), 0.1)
        simulation.run(simulation.zero_command, 0.1)
        assert bool(abs(simulation.state.v[0]) > 1e-3) is moves


def test_divergence_stops_with_the_last_good_state() -> None:
    """An explicit drive that is far too stiff blows up; what was before is kept."""
    robot = footfall.load("quadruped")
    options = StepOptions(dt=1e-2, joints=JointOptions(implicit_gains=False))
    simulation = FeetSimulation(robot, candidates=[], options=options, q=robot.configuration("stand"))
    command = simulation.pd(simulation.joint_positions() + 0.1, kp=3e3, kd=0.0)
    with pytest.raises(SimulationDiverged, match=r"after t = .* s: the velocity of joint '.*' is") as caught:
        simulation.run(command, 10.0)
    state = caught.value.state
    assert simulation.state is state
    assert np.isfinite(state.q).all()
    assert np.isfinite(state.v).all()
    assert state.time > 0.0
    assert "velocity" in caught.value.quantity
    assert isinstance(caught.value, FootfallError)
    simulation.reset()
    simulation.run(simulation.zero_command, 0.01)  # and one can go on


def test_rollouts_are_runs() -> None:
    simulation = quadruped()
    command = held(simulation)
    rng = np.random.default_rng(0)
    q = np.tile(simulation.state.q, (5, 1))
    q[:, 2] += rng.uniform(0.0, 0.05, 5)
    v = 0.1 * rng.normal(size=(5, simulation.robot.nv))
    many_q, many_v, residual = simulation.rollout(q, v, command, steps=40)
    assert many_q.shape == (5, 40, simulation.robot.nq)
    assert residual.shape == (5, 40)
    for k in range(5):
        simulation.reset(q[k], v[k])
        trajectory = simulation.run(command, 0.04)
        assert np.array_equal(many_q[k], trajectory.q)
        assert np.array_equal(many_v[k], trajectory.v)


def test_rollouts_take_commands_for_each_step_and_robot() -> None:
    simulation = quadruped()
    command = held(simulation)
    position = np.tile(command.position, (2, 10, 1))
    position[1, 5:] += 0.1
    q, _, _ = simulation.rollout(simulation.state.q, simulation.state.v, command._replace(position=position))
    assert q.shape == (2, 10, simulation.robot.nq)
    assert np.array_equal(q[0, :5], q[1, :5])
    assert not np.array_equal(q[0, 6:], q[1, 6:])


def test_what_it_refuses() -> None:
    robot = footfall.load("quadruped")
    with pytest.raises(ValueError, match="needs a robot"):
        Simulation(None)
    with pytest.raises(ValueError, match="q must be 23 finite numbers"):
        FeetSimulation(robot, candidates=[], q=np.zeros(3))
    with pytest.raises(ValueError, match="v must be 22 finite numbers"):
        FeetSimulation(robot, candidates=[], v=np.full(22, np.nan))
    simulation = FeetSimulation(robot, candidates=[])
    with pytest.raises(FootfallError, match=r"no .*'nose'"):
        simulation.push("nose", np.zeros(6), 1.0)
    with pytest.raises(ValueError, match="wrench must be 6"):
        simulation.push(robot.bodies[0].name, np.zeros(3), 1.0)
    with pytest.raises(FootfallError, match="nose"):
        FeetSimulation(robot, candidates=[Candidate("nose", (0.0, 0.0, 0.0), 0.0, Surface(Plane()))])


@pytest.mark.parametrize(
    ("kind", "option", "value"),
    [
        (StepOptions, "dt", -1e-3),
        (StepOptions, "dt", np.nan),
        (StepOptions, "velocity_terms", "end"),
        (StepOptions, "solver", 200),
        (SolverOptions, "newton_steps", -1),
        (SolverOptions, "tolerance", np.nan),
        (ContactOptions, "recovery", -0.1),
        (ContactOptions, "gap_term", "gab"),
        (JointOptions, "limits", 1),
    ],
)
def test_options_without_meaning_are_named(kind: type, option: str, value: object) -> None:
    with pytest.raises(InvalidInput, match=f"{option} is {value!r}.* must"):
        kind(**{option: value})


def test_substeps_must_be_some() -> None:
    with pytest.raises(InvalidInput, match="substeps is 0; it must be at least 1"):
        Simulation(footfall.load("wrist"), substeps=0)


def test_rollouts_write_into_given_arrays() -> None:
    simulation = quadruped()
    command = held(simulation)
    q, v = np.tile(simulation.state.q, (3, 1)), np.zeros((3, simulation.robot.nv))
    expected = simulation.rollout(q, v, command, steps=5)
    out = tuple(np.empty_like(array) for array in expected)
    got = simulation.rollout(q, v, command, steps=5, out=out)
    for mine, given, right in zip(got, out, expected, strict=True):
        assert mine is given
        assert np.array_equal(given, right)


def test_contact_that_is_not_solved_is_not_silent() -> None:
    """Without a step of the solver a tower is not solved; what comes out is told with its residual."""
    cubes = (block(f"cube{k}", (0.0, 0.0, EDGE * (k + 0.5))) for k in range(3))
    simulation = simulate(ground(), *cubes, dt=2e-3, solver=SolverOptions(newton_steps=0))
    with pytest.warns(ConvergenceWarning, match="of weight times dt"):
        simulation.run(simulation.zero_command, 0.01)


def test_rollouts_tell_what_went_wrong() -> None:
    """A robot that begins nowhere is told of, and the others run as without it; so is contact that is not solved."""
    simulation = quadruped()
    command = held(simulation)
    q, v = np.tile(simulation.state.q, (3, 1)), np.zeros((3, simulation.robot.nv))
    expected = simulation.rollout(q, v, command, steps=4)
    v[1, 0] = np.nan
    with pytest.warns(SimulationWarning, match="1 of 3 robots .* robot 1, in step 0"):
        got = simulation.rollout(q, v, command, steps=4)
    assert np.array_equal(got[0][[0, 2]], expected[0][[0, 2]])
    cubes = (block(f"cube{k}", (0.0, 0.0, EDGE * (k + 0.5))) for k in range(3))
    tower = simulate(ground(), *cubes, dt=2e-3, solver=SolverOptions(newton_steps=0))
    with pytest.warns(ConvergenceWarning, match="of weight times dt"):
        tower.rollout(tower.state.q, tower.state.v, tower.zero_command, steps=5)


@pytest.mark.parametrize("options", [{"steps": -1}, {"steps": 2, "threads": 0}])
def test_rollouts_of_no_steps_or_threads_are_refused(options: dict[str, int]) -> None:
    simulation = quadruped()
    name, value = list(options.items())[-1]
    with pytest.raises(InvalidInput, match=f"{name} is {value}; it must be at least 1"):
        simulation.rollout(
            simulation.state.q,
            simulation.state.v,
            held(simulation),
            steps=options["steps"],
            threads=options.get("threads"),
        )


@pytest.mark.parametrize("seconds", [0.0, 1e-4, -1.0, float("nan")])
def test_runs_of_no_time_are_refused(seconds: float) -> None:
    simulation = quadruped()
    with pytest.raises(InvalidInput, match="at least one control period"):
        simulation.run(held(simulation), seconds)


def test_switches_are_true_or_false() -> None:
    with pytest.raises(InvalidInput, match="bounded_energy is 'yes'; it must be True or False"):
        FeetSimulation(None, "blocks", bounded_energy="yes")  # type: ignore[arg-type]
