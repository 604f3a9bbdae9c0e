"""Chains of growing length: from where on forward dynamics in O(n) beats solving with the mass matrix.

The crossing is the length from which on the contestant that is slower at first becomes the faster one, and stays it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import footfall
from footfall.bench.dynamics import Effort, has_pinocchio
from footfall.bench.measure import Contestant, Race, race, sweep
from footfall.bench.robots import load_measured
from footfall.bench.states import BenchState, random_states
from footfall.robot.model import Robot


def crossing(places: Sequence[float], gains: Sequence[float]) -> float | None:
    """Place from which on the gain is at least zero, linear between two places; None if it does not end so.

    places: in ascending order. gains: one at each, such as logarithms of ratios of times.
    """
    if not places or gains[-1] < 0.0:
        return None
    last = max((k for k, gain in enumerate(gains) if gain < 0.0), default=None)
    if last is None:
        return places[0]
    x0, x1 = places[last : last + 2]
    y0, y1 = gains[last : last + 2]
    return x0 - y0 * (x1 - x0) / (y1 - y0)


LENGTHS = (2, 3, 5, 7, 10, 15, 20, 35, 50, 75, 100, 200)
_MATRIX_LIMIT = 75  # joints; elimination for a chain of 200 is a graph of two million operations


@dataclass(frozen=True)
class ChainReport:
    """Contestants: `articulated`, `factorised` and Pinocchio's `python`. operations: of the first two."""

    joints: int
    operations: dict[str, int]
    race: Race


def measure_chains(
    lengths: Sequence[int] = LENGTHS,
    *,
    effort: Effort | None = None,
    progress: Callable[[str], None] = lambda text: None,
) -> list[ChainReport]:
    """Bound calls of forward dynamics, both ways, on the shipped chains."""
    reports = []
    for joints in lengths:
        progress(f"chain-{joints}")
        reports.append(_measure_chain(joints, effort or Effort()))
    return reports


def crossover(reports: Sequence[ChainReport]) -> float | None:
    """Number of joints from which on the O(n) algorithm is the faster one; None if it never is.

    Between two lengths the ratio is taken as linear in the logarithm of the length.
    """
    both = [report for report in reports if "factorised" in report.race.seconds]
    lengths = [math.log(report.joints) for report in both]
    gains = [math.log(report.race.ratio("factorised", "articulated").median) for report in both]
    length = crossing(lengths, gains)
    return None if length is None else math.exp(length)


def _measure_chain(joints: int, effort: Effort) -> ChainReport:
    name = f"chain-{joints}"
    robot = load_measured(name)
    states = random_states(robot, effort.calls)
    rows = [BenchState(*(np.array(column[k]) for column in states)) for k in range(effort.calls)]
    methods = ["articulated", "factorised"] if joints <= _MATRIX_LIMIT else ["articulated"]
    contestants, operations = {}, {}
    for method in methods:
        kernel = footfall.forward_dynamics.kernel(robot, method=method)
        out = np.empty(robot.nv)
        bound = [kernel.bind(row.q, row.v, row.tau, out) for row in rows]
        contestants[method] = Contestant(sweep("call()", {"call": bound}, {}), len(rows))
        operations[method] = kernel.operations
    if has_pinocchio():
        contestants["python"] = _pinocchio(name, robot, rows)
    return ChainReport(
        joints, operations, race(contestants, blocks=effort.blocks, block_seconds=effort.block_seconds)
    )


def _pinocchio(name: str, robot: Robot, rows: list[BenchState]) -> Contestant:
    import pinocchio as pin

    from footfall.bench.pinocchio import build_peer

    model = build_peer(name, robot).fast
    theirs = [model.state(row) for row in rows]
    columns = {name: [getattr(state, name) for state in theirs] for name in ("q", "v", "tau")}
    constants: dict[str, Any] = {"aba": pin.aba, "model": model.model, "data": model.data}
    return Contestant(sweep("aba(model, data, q, v, tau)", columns, constants), len(rows))
