"""Derivatives of looped robots, by differentiating the graph of operations that their algorithms leave.

How the dependent joints follow is differentiated along: at a closed configuration the map G(q) is a formula of all
coordinates, and a step of the independent ones moves these along `dq/dt = E(q) G(q) v`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Symbol, jacobian
from footfall.dynamics.configuration import configuration_rate
from footfall.dynamics.inverse_dynamics import newton_euler
from footfall.robot.model import Robot


def is_traced(q: Array) -> bool:
    """Whether a configuration is one of symbols; only then is there a graph to differentiate."""
    return any(isinstance(entry, Symbol) for entry in np.asarray(q, dtype=object).ravel())


def looped_force_derivatives(
    robot: Robot, q: Array, v: Array, a: Array, wrenches: Mapping[str, Array] | None
) -> tuple[Array, Array]:
    """Derivatives (nv, nv) of the joint forces of `inverse_dynamics` along steps of q, and by v; of each alone."""
    tau = newton_euler(robot, q, v, a, wrenches)
    by_q, by_v, _ = _partial_derivatives(tau, (q, v, a))
    rates = [configuration_rate.textbook(robot, q, unit) for unit in np.eye(robot.nv)]
    return by_q @ np.array(rates).T, by_v


def _partial_derivatives(values: Array, variables: Sequence[Array]) -> list[Array]:
    """Jacobians by each of some vectors while the others stay, even if they were computed from it."""
    entries = np.concatenate([np.asarray(vector, dtype=object) for vector in variables])
    symbols = [k for k, entry in enumerate(entries) if isinstance(entry, Symbol)]
    matrix = np.zeros((len(values), len(entries)), dtype=object)
    matrix[:, symbols] = jacobian(values, entries[symbols])
    ends = np.cumsum([len(vector) for vector in variables])[:-1]
    return np.split(matrix, ends, axis=1)
