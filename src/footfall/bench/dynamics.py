"""The benchmark of the dynamics: each algorithm on each robot, ours and Pinocchio's in one race.

Contestants: `checked`, the public function; `bound`, on preallocated arrays; `batch`, many robots on one core;
`cores`, the same on all cores (by the wall clock); `cached`, a few robots; `writing`, results of many that are only
written; `python` and `cpp`, Pinocchio from Python and in C++.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.bench.cases import CASES, Case, moving_bodies, tip
from footfall.bench.measure import Contestant, Race, race, sweep
from footfall.bench.robots import load_measured
from footfall.bench.states import BenchState, random_states
from footfall.compiler import Kernel
from footfall.errors import ProgramFailed
from footfall.public_names import public_name
from footfall.robot.model import Robot

if TYPE_CHECKING:
    from footfall.bench.pinocchio import Peer
    from footfall.bench.pinocchio_cpp import CppLoops

_CHECKED_STATES = 8  # at which results are compared
CACHED = 128  # robots whose results stay in the caches


@dataclass(frozen=True)
class Effort:
    """How much is measured. calls: different states in a sweep of single calls. batch: robots in a batch."""

    blocks: int = 30
    block_seconds: float = 2e-3
    calls: int = 256
    batch: int = 4096


@dataclass(frozen=True)
class Measurement:
    """One algorithm on one robot. error: normwise relative to Pinocchio, the greatest of several states."""

    case: Case
    operations: int
    race: Race
    error: float | None


@dataclass(frozen=True)
class RobotReport:
    """All of a robot's measurements."""

    name: str
    robot: Robot
    measurements: tuple[Measurement, ...]


def has_pinocchio() -> bool:
    """Whether the peer is installed."""
    return find_spec("pinocchio") is not None


def measure_robot(
    name: str,
    *,
    cases: Sequence[Case] = CASES,
    effort: Effort | None = None,
    cpp: bool = False,
    progress: Callable[[str], None] = lambda text: None,
) -> RobotReport:
    """Measure a robot by name (see `load_measured`). cpp: also Pinocchio's C++, which takes minutes once."""
    effort = effort or Effort()
    robot = load_measured(name)
    states = random_states(robot, effort.batch)
    progress(
        f"{name}: Pinocchio's model" + (" and its loops in C++ (minutes, the first time)" if cpp else "")
    )
    peer, loops = _peers(name, robot, _rows(states, effort.calls), cpp)
    measurements = []
    for case in cases:
        progress(f"{name}: {case.name}")
        measurements.append(_measure_case(case, robot, states, effort, peer, loops))
    return RobotReport(name, robot, tuple(measurements))


def _peers(
    name: str, robot: Robot, rows: list[BenchState], cpp: bool
) -> tuple[tuple[Peer, list[BenchState]] | None, CppLoops | None]:
    """Pinocchio's models with its own states, and its C++ loops."""
    if not has_pinocchio():
        return None, None
    from footfall.bench.pinocchio import build_peer

    peer = build_peer(name, robot)
    theirs = [peer.fast.state(row) for row in rows]
    if not cpp:
        return (peer, theirs), None
    from footfall.bench.pinocchio_cpp import CppLoops

    return (peer, theirs), CppLoops(peer.fast, theirs)


def _rows(states: BenchState, count: int) -> list[BenchState]:
    return [BenchState(*(column[k] for column in states)) for k in range(count)]


def _measure_case(
    case: Case,
    robot: Robot,
    states: BenchState,
    effort: Effort,
    peer: tuple[Peer, list[BenchState]] | None,
    loops: CppLoops | None,
) -> Measurement:
    kernel = case.kernel(robot)
    rows = _rows(states, effort.calls)
    contestants = _our_contestants(case, robot, kernel, states, rows)
    error = None
    if peer is not None:
        models, theirs = peer
        error = _error(case, models, kernel, rows)
        contestants["python"] = _python_contestant(case, models, theirs)
        if loops is not None:
            _require_same_result(case, models, loops, theirs[-1])
            contestants["cpp"] = Contestant(lambda: loops.run(case.peer), loops.count)
    result = race(contestants, blocks=effort.blocks, block_seconds=effort.block_seconds)
    return Measurement(case, kernel.operations, result, error)


def _our_contestants(
    case: Case, robot: Robot, kernel: Kernel, states: BenchState, rows: list[BenchState]
) -> dict[str, Contestant]:
    count = len(states.q)
    arrays = [getattr(states, name) for name in case.inputs]
    shapes = [shape for _, shape in kernel.signature.outputs]
    single = [np.empty(shape) for shape in shapes]
    many = tuple(np.empty((count, *shape)) for shape in shapes)
    few = [array[:CACHED] for array in arrays]
    little = tuple(np.empty_like(each[:CACHED]) for each in many)
    columns = {name: [np.array(getattr(row, name)) for row in rows] for name in case.inputs}
    bound = [kernel.bind(*inputs, *single) for inputs in zip(*columns.values(), strict=True)]
    function = case.ours.partition("(")[0]
    names = {"robot": robot, "moving": moving_bodies(robot), "tip": tip(robot)}
    names[function] = kernel if function == "kernel" else public_name(function)
    return {
        "checked": Contestant(sweep(case.ours, columns, names), len(rows)),
        "bound": Contestant(sweep("call()", {"call": bound}, {}), len(rows)),
        "batch": Contestant(lambda: kernel.batch(*arrays, out=many, threads=1), count),
        "cores": Contestant(lambda: kernel.batch(*arrays, out=many), count, time.perf_counter_ns),
        "cached": Contestant(lambda: kernel.batch(*few, out=little, threads=1), len(little[0])),
        "writing": Contestant(partial(_write_zeros, many), count),
    }


def _write_zeros(arrays: Sequence[Array]) -> None:
    for array in arrays:
        array.fill(0.0)


def _python_contestant(case: Case, peer: Peer, states: list[BenchState]) -> Contestant:
    import pinocchio as pin

    model = peer.fast
    constants = {
        case.peer: getattr(pin, case.peer),
        "model": model.model,
        "data": model.data,
        "tip": model.frame_id(tip(model.robot)),
        "aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    }
    columns = {name: [getattr(state, name) for state in states] for name in case.inputs}
    return Contestant(sweep(case.theirs, columns, constants), len(states))


def _error(case: Case, peer: Peer, kernel: Kernel, rows: list[BenchState]) -> float:
    from footfall.bench.agreement import ERRORS

    errors = []
    for row in rows[:_CHECKED_STATES]:
        results = kernel(*(np.array(getattr(row, name)) for name in case.inputs))
        results = results if isinstance(results, tuple) else (results,)
        errors.append(ERRORS[case.peer](peer.exact, row, results))
    return max(errors)


def _require_same_result(case: Case, peer: Peer, loops: CppLoops, last: BenchState) -> None:
    """The C++ loops have the model and the states that Python has, as the last result shows."""
    import pinocchio as pin

    model, data = peer.fast.model, peer.fast.data
    inputs = {name: [getattr(last, name)] for name in case.inputs}
    aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    end = peer.fast.frame_id(tip(peer.fast.robot))
    names = {"model": model, "data": data, "tip": end, "aligned": aligned, "results": []}
    names[case.peer] = getattr(pin, case.peer)
    sweep(f"results.append({case.theirs})", inputs, names)()
    expected = _RESULTS[case.peer](data, names["results"][0])
    norm = loops.run(case.peer)
    if not np.isclose(norm, expected, rtol=1e-9, atol=1e-12):
        raise ProgramFailed(
            f"{case.peer}: the norm of the result is {norm} in C++ and {expected} from Python"
        )


# What `peer_run` of the C++ loops gives: by the name of the function, from its data and what it returned.
_RESULTS: dict[str, Callable[[Any, Any], float]] = {
    "forwardKinematics": lambda data, result: float(np.linalg.norm(data.oMi[-1].translation)),
    "framesForwardKinematics": lambda data, result: float(np.linalg.norm(data.oMf[-1].translation)),
    "computeJointJacobians": lambda data, result: float(np.linalg.norm(data.J)),
    "computeFrameJacobian": lambda data, result: float(np.linalg.norm(result)),
    "rnea": lambda data, result: float(np.linalg.norm(data.tau)),
    "crba": lambda data, result: float(np.linalg.norm(np.triu(data.M))),
    "aba": lambda data, result: float(np.linalg.norm(data.ddq)),
    "jacobianCenterOfMass": lambda data, result: float(np.linalg.norm(data.Jcom)),
    "ccrba": lambda data, result: float(np.linalg.norm(data.Ag)),
    "computeRNEADerivatives": lambda data, result: float(np.linalg.norm(data.dtau_dq)),
    "computeABADerivatives": lambda data, result: float(np.linalg.norm(data.ddq_dq)),
}
