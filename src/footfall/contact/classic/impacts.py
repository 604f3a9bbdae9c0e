"""Contact by a sequence of impacts: one contact collides after the other until none approaches (Mirtich, Canny).

Simpler than a complementarity problem and less exact: an impulse once given is never taken back, so that a contact
can end up separating although it carries an impulse. With several contacts at once, and restitution, the outcome
also differs from that of a simultaneous solution: a row of balls passes the impact on, as Newton's cradle does.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.functions import where
from footfall.compiler.routines import routine
from footfall.contact.classic.gauss_seidel import contact_blocks
from footfall.contact.local_cone import ConeBlock, solve_cone
from footfall.contact.problem import ContactProblem, ContactSolution, ImpulseState
from footfall.contact.validation import natural_map_residual
from footfall.errors import InvalidInput

_NEWTON_STEPS = 12  # of Newton's method in one collision: there is no next sweep that would make up for it


def collision_impulse(
    block: ConeBlock, w1: Any, w2: Any, wn: Any, friction: Any, restitution: Any, steps: int
) -> tuple[Any, Any, Any]:
    """Impulse (p1, p2, pn) of one collision, N s, on numbers or symbols; zero unless the contact approaches.

    w: velocity of the contact before, m/s. The normal velocity becomes -restitution wn and friction obeys Coulomb's
    law with the velocities at the end (Newton's law). Where that would add energy, as it can when friction turns
    the sliding around, the impulse is 1 + restitution times that of a plastic collision (Poisson's law), which
    never does.
    """
    n1, n2, nn, _ = solve_cone(block, w1, w2, (1.0 + restitution) * wn, friction, 0.0, 0.0, steps)
    p1, p2, pn, _ = solve_cone(block, w1, w2, wn, friction, 0.0, 0.0, steps)
    end_1, end_2, end_n = velocity_change(block, n1, n2, nn)
    gained = n1 * (w1 + end_1 / 2) + n2 * (w2 + end_2 / 2) + nn * (wn + end_n / 2)
    newton = gained <= 0.0
    poisson = 1.0 + restitution
    return (
        where(newton, n1, poisson * p1),
        where(newton, n2, poisson * p2),
        where(newton, nn, poisson * pn),
    )


def velocity_change(block: ConeBlock, p1: Any, p2: Any, pn: Any) -> tuple[Any, Any, Any]:
    """`W p` of a contact, m/s, put together from its block again."""
    normal = (pn + block.coupling_1 * p1 + block.coupling_2 * p2) / block.inverse_normal
    return (
        block.tangent_11 * p1 + block.tangent_12 * p2 + block.coupling_1 * normal,
        block.tangent_12 * p1 + block.tangent_22 * p2 + block.coupling_2 * normal,
        normal,
    )


def solve_impact_sequence(
    problem: ContactProblem,
    *,
    restitution: Array | float = 0.0,
    rest_speed: float = 0.0,
    tolerance: float | None = None,
    max_impacts: int = 100_000,
) -> ContactSolution:
    """Resolve a contact problem by impacts, always at the contact that approaches fastest.

    The bias of the problem holds the velocities before, without restitution. restitution: (contacts,) or one for
    all, in [0, 1]; impacts slower than rest_speed (m/s) are plastic. Limits are frictionless and plastic. tolerance:
    approach speed that is left, m/s; 1e-10 of the fastest unless given. Box rows are not supported.
    `residual` of the solution is that of the complementarity problem, for comparison.
    """
    if len(problem.box):
        raise InvalidInput(
            f"a sequence of impacts has no dry friction of joints, but there are {len(problem.box)} rows"
        )
    rebound = np.broadcast_to(np.asarray(restitution, dtype=np.float64), (problem.contacts,))
    if np.any((rebound < 0.0) | (rebound > 1.0)) or np.isnan(rebound).any():
        raise InvalidInput(f"restitution is {rebound}; it must be in [0, 1]")
    limit = 1e-10 * float(np.abs(problem.bias).max(initial=0.0)) if tolerance is None else tolerance
    p, w = np.zeros(problem.size), problem.bias.copy()
    if problem.size == 0:
        return ContactSolution(p, w, 0, 0.0, True, "impacts")
    law = _Impacts(np.ascontiguousarray(rebound), rest_speed, limit, max_impacts)
    impacts, approach = impact_sequence(ImpulseState(problem.rows(), p, w), law)
    converged = approach <= limit
    status = "solved" if converged else f"still approaching with {approach:g} m/s after {max_impacts} impacts"
    residual = natural_map_residual(problem, p, w)
    return ContactSolution(p, w, impacts, residual, converged, "impacts", status)


class _Impacts(NamedTuple):
    """restitution (contacts,), of impacts faster than rest_speed, m/s; tolerance: approach that may be left, m/s; most:
    how many impacts."""

    restitution: Array
    rest_speed: float
    tolerance: float
    most: int


@routine
def impact_sequence(state: ImpulseState, law: _Impacts) -> tuple[int, float]:
    """Collide what approaches fastest, one after another; gives how many and the greatest approach that is left."""
    rows, p, w = state.rows, state.p, state.w
    blocks = contact_blocks(state)
    for count in range(law.most):
        row = _fastest(state, law.tolerance)
        if row < 0:
            return count, 0.0
        if row >= rows.contact_rows:
            state.change(row, p[row] - w[row] / rows.matrix[row, row])
            continue
        k = row // 3
        rebound = law.restitution[k] if -w[row] > law.rest_speed else 0.0
        p1, p2, pn = collision_impulse(
            blocks[k].cone, w[row - 2], w[row - 1], w[row], rows.friction[k], rebound, _NEWTON_STEPS
        )
        state.change_contact(k, p[row - 2 : row + 1] + np.array([p1, p2, pn]))
    left = _fastest(state, 0.0)
    return law.most, -w[left] if left >= 0 else 0.0


@routine
def _fastest(state: ImpulseState, least: float) -> int:
    """The row that approaches fastest, if faster than least, m/s; else -1."""
    fastest, row = -least, -1
    for k in range(len(state.rows.friction)):
        if state.w[3 * k + 2] < fastest:
            fastest, row = state.w[3 * k + 2], 3 * k + 2
    for k in range(state.rows.contact_rows, len(state.w)):
        if state.w[k] < fastest:
            fastest, row = state.w[k], k
    return row
