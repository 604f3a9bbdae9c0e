"""The benchmark of hybrid dynamics: ours, dense equations and Pinocchio's constrained dynamics in one race.

Contestants: `bound`, on preallocated arrays; `plain`, the public function as a user calls it; `call`, its kernel;
`batch`, many robots on one core; `dense`, mass matrix and Jacobian from one kernel of ours and NumPy's solution of the
dense equations; `python`, Pinocchio's `constraintDynamics`, a loop over the states. All give accelerations and
constraint forces.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

import footfall
from footfall.arrays import Array
from footfall.bench.dynamics import Effort, has_pinocchio
from footfall.bench.measure import Contestant, Race, race, sweep
from footfall.bench.robots import load_measured
from footfall.bench.states import BenchState, random_states
from footfall.compiler import Kernel, build_kernel
from footfall.dynamics.hybrid import hybrid_accelerations
from footfall.dynamics.hybrid_constraints import AXES, Constraint
from footfall.robot.model import Robot

CALL_BAR, BATCH_BAR = 4.0, 15.0  # times faster than Pinocchio from Python; batches with eight lanes
PLAIN_BAR, PLAIN_ROBOTS = 5.0, ("talos", "icub")  # the public function with its options, on humanoids
CHAINS = (7, 15, 30, 60, 100, 200)
_DENSE_LIMIT = 60  # joints; the mass matrix of longer chains is a graph that takes long to compile
_CHECKED_STATES = 8

_POINT, _RIGID = AXES[:3], AXES
# By robot, segments and the directions that are constrained, in the order in which they are added. All are rigid, as
# far as joints can hold them: TALOS has four between its base and its head, so the camera in it keeps only its place.
_SEGMENTS: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "anymal": tuple((foot, _POINT) for foot in ("LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT")),
    "talos": (
        ("leg_left_6_link", _RIGID),
        ("leg_right_6_link", _RIGID),
        ("arm_left_7_link", _RIGID),
        ("arm_right_7_link", _RIGID),
        ("base_link", _RIGID),
        ("rgbd_link", _POINT),
    ),
    "icub": (("l_foot", _RIGID), ("r_foot", _RIGID), ("l_hand", _RIGID), ("r_hand", _RIGID)),
}


@dataclass(frozen=True)
class HybridCase:
    """A robot, and which segments are constrained in which directions of their own axes."""

    robot: str
    segments: tuple[tuple[str, tuple[str, ...]], ...]

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return tuple(Constraint(name, directions, "frame") for name, directions in self.segments)

    @property
    def rows(self) -> int:
        """Number of constrained components."""
        return sum(len(directions) for _, directions in self.segments)


@dataclass(frozen=True)
class HybridMeasurement:
    """operations: of our kernel. error: greatest relative residual of the equations of motion and constraints."""

    case: HybridCase
    operations: int
    race: Race
    error: float


def hybrid_cases(robots: Sequence[str] | None = None) -> list[HybridCase]:
    """Chains with one constrained segment, ANYmal on 1 to 4 feet, TALOS with 1 to 6 segments, iCub with 1 to 4."""
    names = [*(f"chain-{joints}" for joints in CHAINS), *_SEGMENTS] if robots is None else robots
    cases = []
    for name in names:
        if name in _SEGMENTS:
            segments = _SEGMENTS[name]
            cases += [HybridCase(name, segments[:count]) for count in range(1, len(segments) + 1)]
        else:
            cases.append(HybridCase(name, ((load_measured(name).bodies[-1].name, _RIGID),)))
    return cases


def measure_hybrid(
    cases: Sequence[HybridCase],
    *,
    effort: Effort | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> list[HybridMeasurement]:
    """Run the races, case by case."""
    measurements = []
    for case in cases:
        progress(f"{case.robot}, {len(case.segments)} segments")
        measurements.append(_measure(case, effort or Effort()))
    return measurements


def _measure(case: HybridCase, effort: Effort) -> HybridMeasurement:
    robot = load_measured(case.robot)
    states = random_states(robot, effort.batch)
    rows = [
        BenchState(*(np.array(column[k]) for column in states))
        for k in range(min(effort.calls, effort.batch))
    ]
    setpoints = np.zeros(case.rows)
    kernel = hybrid_accelerations.kernel(robot, constraints=case.constraints, setpoints=setpoints)
    contestants = _our_contestants(kernel, states, rows, setpoints)
    contestants["plain"] = _plain_contestant(robot, case, rows, setpoints)
    if robot.nv <= _DENSE_LIMIT:
        contestants["dense"] = _dense_contestant(robot, case, rows)
    if has_pinocchio():
        contestants["python"] = _pinocchio_contestant(case, robot, rows)
    error = max(hybrid_error(robot, case, kernel, row) for row in rows[:_CHECKED_STATES])
    result = race(contestants, blocks=effort.blocks, block_seconds=effort.block_seconds)
    return HybridMeasurement(case, kernel.operations, result, error)


def _our_contestants(
    kernel: Kernel, states: BenchState, rows: list[BenchState], setpoints: Array
) -> dict[str, Contestant]:
    count = len(states.q)
    many_setpoints = np.zeros((count, len(setpoints)))
    shapes = [shape for _, shape in kernel.signature.outputs]
    single = [np.empty(shape) for shape in shapes]
    many = tuple(np.empty((count, *shape)) for shape in shapes)
    bound = [kernel.bind(row.q, row.v, row.tau, setpoints, *single) for row in rows]
    columns = {name: [getattr(row, name) for row in rows] for name in ("q", "v", "tau")}
    constants = {"kernel": kernel, "b": setpoints}

    def batch() -> None:
        kernel.batch(states.q, states.v, states.tau, many_setpoints, out=many, threads=1)

    return {
        "bound": Contestant(sweep("call()", {"call": bound}, {}), len(rows)),
        "call": Contestant(sweep("kernel(q, v, tau, b)", columns, constants), len(rows)),
        "batch": Contestant(batch, count),
    }


def _plain_contestant(robot: Robot, case: HybridCase, rows: list[BenchState], setpoints: Array) -> Contestant:
    columns = {name: [getattr(row, name) for row in rows] for name in ("q", "v", "tau")}
    constants = {
        "hybrid_accelerations": hybrid_accelerations,
        "robot": robot,
        "constraints": list(case.constraints),
        "b": setpoints,
    }
    statement = "hybrid_accelerations(robot, q, v, tau, constraints=constraints, setpoints=b)"
    return Contestant(sweep(statement, columns, constants), len(rows))


def dense_equations(robot: Robot, case: HybridCase) -> Kernel:
    """Kernel of q, v, tau: the matrix and the right side of the dense equations of motion and constraints."""

    def equations(q: Array, v: Array, tau: Array) -> dict[str, Array]:
        jacobian = footfall.hybrid.constraint_jacobian(robot, q, constraints=case.constraints)
        zero = np.zeros(robot.nv)
        system = footfall.hybrid.constraint_system(
            robot,
            q,
            v,
            zero,
            constraints=case.constraints,
            prescribed=tuple(joint.name for joint in robot.joints if joint.type.velocities),
            a=zero,
        )
        rows = len(jacobian)
        mass = footfall.mass_matrix(robot, q)
        return {
            "matrix": np.block([[mass, jacobian.T], [jacobian, np.zeros((rows, rows))]]),
            "right": np.concatenate([tau - footfall.bias_forces(robot, q, v), -system.free_accelerations]),
        }

    return build_kernel(equations, {"q": robot.nq, "v": robot.nv, "tau": robot.nv}, name="dense_equations")


def _dense_contestant(robot: Robot, case: HybridCase, rows: list[BenchState]) -> Contestant:
    columns = {name: [getattr(row, name) for row in rows] for name in ("q", "v", "tau")}
    constants = {"equations": dense_equations(robot, case), "solve": np.linalg.solve}
    return Contestant(sweep("solve(*equations(q, v, tau))", columns, constants), len(rows))


def _pinocchio_contestant(case: HybridCase, robot: Robot, rows: list[BenchState]) -> Contestant:
    import pinocchio as pin

    from benchmarks.lab.pinocchio_constraints import constrained_contestant, initialised
    from footfall.bench.pinocchio import build_peer

    peer = build_peer(case.robot, robot).fast
    constraints = []
    for name, directions in case.segments:
        kind = pin.ContactType.CONTACT_6D if directions == _RIGID else pin.ContactType.CONTACT_3D
        frame = peer.model.frames[peer.frame_id(name)]
        constraints.append((kind, frame.parentJoint, frame.placement))
    return constrained_contestant(peer, initialised(peer, constraints), rows)


def hybrid_error(robot: Robot, case: HybridCase, kernel: Kernel, row: BenchState) -> float:
    """Relative residual of the equations of motion and of the constraints, by algorithms that take no part."""
    a, forces = kernel(row.q, row.v, row.tau, np.zeros(case.rows))
    needed = footfall.inverse_dynamics(robot, row.q, row.v, a)
    given = footfall.hybrid.constraint_jacobian(robot, row.q, constraints=case.constraints).T @ forces
    motion = np.linalg.norm(needed - row.tau - given) / (np.linalg.norm(row.tau) + np.linalg.norm(given))
    held = []
    for name, directions in case.segments:
        reached = footfall.frame_acceleration(robot, row.q, row.v, a, name)[: len(directions)]
        free = footfall.frame_acceleration(robot, row.q, row.v, 0 * a, name)[: len(directions)]
        held.append(np.linalg.norm(reached) / (np.linalg.norm(free) + np.linalg.norm(a)))
    return float(max(motion, *held))
