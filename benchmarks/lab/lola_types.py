"""Forward dynamics of LOLA's models of Types 2 and 3 by all methods, and its passes, beside Table 2.6 of Schwienbacher
2014."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import footfall
from benchmarks.lab.loop_robots import closed_states
from benchmarks.lab.loops import forward_kernels, method_contestants, residual, single_rows
from footfall.arrays import Array
from footfall.bench.dynamics import Effort
from footfall.bench.measure import Contestant, Race, race, sweep
from footfall.bench.states import BenchState
from footfall.compiler import Kernel, build_kernel
from footfall.dynamics.forward_dynamics import articulated_bodies
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.dynamics.joints import joint_transforms
from footfall.dynamics.loops import Coupling
from footfall.dynamics.mass_matrix import composite_bodies
from footfall.dynamics.velocity_terms import velocity_terms
from footfall.robot.model import Robot

# Table 2.6: machine -> time of O(n) in us, and how many times longer the dense and the sparse method took.
SOURCE: Mapping[int, Mapping[int, tuple[float, float, float]]] = {
    2: {
        1: (89.16, 1.162, 1.125),
        2: (121.7, 1.054, 1.038),
        3: (189.3, 1.005, 0.952),
        4: (77.71, 0.941, 0.904),
        5: (53.67, 1.011, 0.979),
    },
    3: {
        1: (75.17, 1.653, 1.477),
        2: (98.31, 1.561, 1.417),
        3: (141.0, 1.671, 1.437),
        4: (64.03, 1.411, 1.243),
        5: (46.12, 1.472, 1.247),
    },
}
_BASE = 6  # velocities of the floating base, the first in v
FASTER = 10.0  # times than the source's fastest machine


@dataclass(frozen=True)
class TypeMeasurement:
    """One model type. operations: of the methods and of the passes."""

    number: int
    operations: Mapping[str, int]
    race: Race
    residual: float


def measure_types(
    *, effort: Effort | None = None, progress: Callable[[str], None] = lambda text: None
) -> list[TypeMeasurement]:
    """Both types that the source measured."""
    measurements = []
    for number in SOURCE:
        progress(f"lola-2012-type-{number}")
        measurements.append(_measure(number, effort or Effort()))
    return measurements


def _measure(number: int, effort: Effort) -> TypeMeasurement:
    robot = footfall.load(f"lola-2012-type-{number}")
    states = closed_states(robot, effort.batch)
    rows = single_rows(states, effort.calls)
    kernels = forward_kernels(robot)
    contestants = method_contestants(kernels, states, rows)
    passes = pass_kernels(robot)
    for name, kernel in passes.items():
        contestants[name] = _bound(kernel, rows)
    left = max(residual(robot, kernels, row) for row in rows[:4])
    result = race(contestants, blocks=effort.blocks, block_seconds=effort.block_seconds)
    counts = {name: kernel.operations for name, kernel in {**kernels, **passes}.items()}
    return TypeMeasurement(number, counts, result, left)


def pass_kernels(robot: Robot) -> dict[str, Kernel]:
    """Parts of the methods as kernels of q, v and tau, each with one number as its result: writing costs nothing.

    The first forward pass of O(n) is kinematics and velocity terms. The acceleration of the base alone needs this and
    the backward pass; what the whole takes more is the second forward pass. The other methods need the forces at rest
    and the mass matrix, and then solve.
    """

    def kinematics(q: Array, v: Array, tau: Array) -> dict[str, Any]:
        coupling = Coupling(robot, q)
        poses = joint_transforms(robot.tree, q)
        terms = velocity_terms(robot.tree, poses, coupling.velocity(v))
        parts = [coupling.bias(v).sum()]
        parts += [pose.rotation.sum() + pose.translation.sum() for pose in poses]
        parts += [np.sum(term.bias) + np.sum(np.concatenate(_flat(term.motion))) for term in terms]
        return {"sum": sum(parts[1:], start=parts[0])}

    def base(q: Array, v: Array, tau: Array) -> dict[str, Any]:
        return {"sum": articulated_bodies(robot, q, v, tau, None)[:_BASE].sum()}

    def forces(q: Array, v: Array, tau: Array) -> dict[str, Any]:
        return {"sum": (tau - newton_euler(robot, q, v, np.zeros(robot.nv), None)).sum()}

    def mass(q: Array, v: Array, tau: Array) -> dict[str, Any]:
        return {"sum": np.tril(composite_bodies(robot, q)).sum()}

    inputs: dict[str, int | tuple[int, ...]] = {"q": robot.nq, "v": robot.nv, "tau": robot.nv}
    return {
        "first forward pass": build_kernel(kinematics, inputs, name="kinematics"),
        "first forward and backward pass": build_kernel(base, inputs, name="base"),
        "forces at rest": build_kernel(forces, inputs, name="forces"),
        "mass matrix": build_kernel(mass, inputs, name="mass"),
    }


def _flat(motion: Any) -> list[Array]:
    return [np.ravel(np.asarray(part)) for part in motion]


def _bound(kernel: Kernel, rows: list[BenchState]) -> Contestant:
    out = np.empty(())
    calls = [kernel.bind(row.q, row.v, row.tau, out) for row in rows]
    return Contestant(sweep("call()", {"call": calls}, {}), len(rows))
