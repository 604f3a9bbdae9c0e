"""Pinocchio's constrained dynamics as a contestant."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pinocchio as pin

from footfall.bench.measure import Contestant, sweep
from footfall.bench.pinocchio import PinocchioModel
from footfall.bench.states import BenchState


def initialised(peer: PinocchioModel, constraints: Iterable[tuple[Any, ...]]) -> tuple[Any, Any]:
    """Constraint models and their data; of each constraint its kind and the joints and placements of its ends."""
    models, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for kind, *ends in constraints:
        models.append(pin.RigidConstraintModel(kind, peer.model, *ends, pin.ReferenceFrame.LOCAL))
        data.append(models[-1].createData())
    pin.initConstraintDynamics(peer.model, peer.data, models, data)
    return models, data


def constrained_contestant(
    peer: PinocchioModel, constraints: tuple[Any, Any], states: Sequence[BenchState], *, iterations: int = 0
) -> Contestant:
    """`constraintDynamics` on all states in turn. iterations: proximal ones, which redundant constraints need."""
    models, data = constraints
    theirs = [peer.state(state) for state in states]
    columns = {name: [getattr(state, name) for state in theirs] for name in ("q", "v", "tau")}
    constants = {
        "solve": pin.constraintDynamics,
        "model": peer.model,
        "data": peer.data,
        "models": models,
        "constraints": data,
        "settings": pin.ProximalSettings(0.0, 0.0, 1e-6, iterations),
    }
    call = "solve(model, data, q, v, tau, models, constraints" + (", settings)" if iterations else ")")
    return Contestant(sweep(call, columns, constants), len(states))
