"""The benchmark of looped robots: forward dynamics by all methods, and Pinocchio's constrained dynamics, in one race.

Contestants: for each method `<method> bound`, on preallocated arrays, `<method> call`, the checked kernel, and
`<method> batch`, many robots on one core; `python`, Pinocchio's `constraintDynamics` on the tree with a point
constraint for each loop, a loop over the states. Where loops say something twice (a plane four-bar has three equations
of rank two), Pinocchio needs proximal iterations; it gets the fewest that are right.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

import numpy as np

import footfall
from benchmarks.lab.loop_robots import FOUR_BAR_LEG, closed_states, load_looped
from footfall.arrays import Array
from footfall.bench.dynamics import Effort, has_pinocchio
from footfall.bench.measure import Contestant, Race, race, sweep
from footfall.bench.states import BenchState
from footfall.compiler import Kernel
from footfall.dynamics.forward_dynamics import Method
from footfall.dynamics.loops import Coupling
from footfall.errors import UnsupportedFeature
from footfall.robot.loops import LoopType
from footfall.robot.model import Robot

if TYPE_CHECKING:
    from footfall.bench.pinocchio import PinocchioModel


CALL_BAR, BATCH_BAR = 5.0, 20.0  # times faster than Pinocchio from Python; batches with eight lanes
ROBOTS = ("cassie", FOUR_BAR_LEG)
METHODS: tuple[Method, ...] = get_args(Method)
_CHECKED_STATES = 8
_RIGHT = 1e-8  # relative error of accelerations with which an answer counts


@dataclass(frozen=True)
class LoopMeasurement:
    """operations: of each method's kernel. residual: greatest of inverse dynamics at our accelerations, relative.
    error: greatest relative difference from Pinocchio's, None without it. iterations: that it needs."""

    robot: str
    velocities: int
    joints: int
    operations: Mapping[str, int]
    race: Race
    residual: float
    error: float | None
    iterations: int


def measure_loops(
    robots: Sequence[str] = ROBOTS,
    *,
    effort: Effort | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> list[LoopMeasurement]:
    """Run the races, robot by robot."""
    measurements = []
    for name in robots:
        progress(name)
        measurements.append(_measure(load_looped(name), effort or Effort()))
    return measurements


def forward_kernels(robot: Robot) -> dict[str, Kernel]:
    """Forward dynamics by every method."""
    return {method: footfall.forward_dynamics.kernel(robot, method=method) for method in METHODS}


def method_contestants(
    kernels: Mapping[str, Kernel], states: BenchState, rows: list[BenchState]
) -> dict[str, Contestant]:
    """Bound calls, checked calls and batches of each kernel of (q, v, tau)."""
    columns = {name: [getattr(row, name) for row in rows] for name in ("q", "v", "tau")}
    contestants: dict[str, Contestant] = {}
    for method, kernel in kernels.items():
        single = np.empty(kernel.signature.outputs[0][1])
        many = np.empty((len(states.q), *single.shape))
        bound = [kernel.bind(row.q, row.v, row.tau, single) for row in rows]
        contestants[f"{method} bound"] = Contestant(sweep("call()", {"call": bound}, {}), len(rows))
        contestants[f"{method} call"] = Contestant(
            sweep("kernel(q, v, tau)", columns, {"kernel": kernel}), len(rows)
        )
        contestants[f"{method} batch"] = Contestant(_batch(kernel, states, many), len(states.q))
    return contestants


def _batch(kernel: Kernel, states: BenchState, out: Array) -> Callable[[], None]:
    def run() -> None:
        kernel.batch(states.q, states.v, states.tau, out=(out,), threads=1)

    return run


def single_rows(states: BenchState, count: int) -> list[BenchState]:
    """The first states as arrays of their own."""
    return [BenchState(*(np.array(column[k]) for column in states)) for k in range(min(count, len(states.q)))]


def residual(robot: Robot, kernels: Mapping[str, Kernel], row: BenchState) -> float:
    """Greatest relative error of the forces that the accelerations of all methods need."""
    worst = 0.0
    for kernel in kernels.values():
        needed = footfall.inverse_dynamics(robot, row.q, row.v, kernel(row.q, row.v, row.tau))
        worst = max(worst, float(np.linalg.norm(needed - row.tau) / np.linalg.norm(row.tau)))
    return worst


def _measure(robot: Robot, effort: Effort) -> LoopMeasurement:
    states = closed_states(robot, effort.batch)
    rows = single_rows(states, effort.calls)
    kernels = forward_kernels(robot)
    contestants = method_contestants(kernels, states, rows)
    left = max(residual(robot, kernels, row) for row in rows[:_CHECKED_STATES])
    error, iterations = None, 0
    if has_pinocchio():
        iterations, error = needed_iterations(robot, rows[:_CHECKED_STATES])
        contestants["python"] = _pinocchio_contestant(robot, rows, iterations)
    result = race(contestants, blocks=effort.blocks, block_seconds=effort.block_seconds)
    counts = {method: kernel.operations for method, kernel in kernels.items()}
    return LoopMeasurement(robot.name, robot.nv, robot.spanning.nv, counts, result, left, error, iterations)


# Pinocchio


def all_joint_state(robot: Robot, row: BenchState) -> BenchState:
    """The state of all joints of the tree: rates, accelerations and forces (spanning nv,)."""
    assert robot.tree.loops is not None
    coupling = Coupling(robot, row.q)
    forces = np.zeros(robot.spanning.nv)
    forces[list(robot.tree.loops.independent)] = row.tau
    rates, accelerations = coupling.velocity(row.v), coupling.acceleration(row.v, row.a)
    return BenchState(row.q, np.asarray(rates, dtype=float), np.asarray(accelerations, dtype=float), forces)


def loop_constraints(robot: Robot, peer: PinocchioModel) -> tuple[Any, Any]:
    """Pinocchio's constraint models and data of the robot's loops, which must be points."""
    import pinocchio as pin

    from benchmarks.lab.pinocchio_constraints import initialised

    frames = {frame.name: frame for frame in robot.frames}
    constraints: list[tuple[Any, ...]] = []
    for loop in robot.loops:
        if loop.type is not LoopType.POINT:
            raise UnsupportedFeature(
                f"is a {loop.type}; only points are compared", subject=("loop", loop.name)
            )
        ends: list[Any] = []
        for name in (loop.frame, loop.against):
            body, pose = (frames[name].body, frames[name].placement) if name in frames else (name, None)
            frame = peer.model.frames[peer.frame_id(body)]
            offset = pin.SE3.Identity() if pose is None else pin.SE3(*map(np.asarray, pose))
            ends += [frame.parentJoint, frame.placement * offset]
        constraints.append((pin.ContactType.CONTACT_3D, *ends))
    return initialised(peer, constraints)


def pinocchio_acceleration(robot: Robot, rows: Sequence[BenchState], iterations: int) -> list[Array]:
    """Accelerations of all joints (spanning nv,) by Pinocchio, in our order."""
    import pinocchio as pin

    from footfall.bench.pinocchio import PinocchioModel

    peer = PinocchioModel.from_robot(robot.spanning)
    models, data = loop_constraints(robot, peer)
    settings = pin.ProximalSettings(0.0, 0.0, 1e-6, iterations)
    results = []
    for row in rows:
        state = peer.state(all_joint_state(robot, row))
        arguments = (peer.model, peer.data, state.q, state.v, state.tau, models, data)
        found = (
            pin.constraintDynamics(*arguments, settings) if iterations else pin.constraintDynamics(*arguments)
        )
        results.append(peer.vector(found))
    return results


def needed_iterations(robot: Robot, rows: Sequence[BenchState]) -> tuple[int, float]:
    """The fewest proximal iterations with which Pinocchio is right, and its greatest relative difference from us."""
    ours = [
        all_joint_state(robot, row._replace(a=footfall.forward_dynamics(robot, row.q, row.v, row.tau))).a
        for row in rows
    ]
    error = np.inf
    iterations = 0
    for iterations in (0, 1, 2, 3, 5, 10):
        theirs = pinocchio_acceleration(robot, rows, iterations)
        error = max(
            float(np.linalg.norm(a - b) / np.linalg.norm(a)) for a, b in zip(ours, theirs, strict=True)
        )
        if error < _RIGHT:
            break
    return iterations, error


def _pinocchio_contestant(robot: Robot, rows: list[BenchState], iterations: int) -> Contestant:
    from benchmarks.lab.pinocchio_constraints import constrained_contestant
    from footfall.bench.pinocchio import FreeFlyerModel
    from footfall.bench.pinocchio_models import model_from_robot

    peer = FreeFlyerModel(robot.spanning, model_from_robot(robot.spanning, fast=True))
    states = [all_joint_state(robot, row) for row in rows]
    return constrained_contestant(peer, loop_constraints(robot, peer), states, iterations=iterations)
