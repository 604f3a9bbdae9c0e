"""Is it a solution? Checked against the conditions themselves, whatever the solver was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.contact.law import follower_law, follower_map, made_law, pressing_impulse, row_map
from footfall.contact.law import natural_map as law_map

if TYPE_CHECKING:
    from footfall.contact.problem import ContactProblem


@dataclass(frozen=True)
class Residuals:
    """How far impulses are from solving a contact problem; each is a maximum over the rows and zero at a solution.

    negative_impulse: N s. negative_velocity: penetrating, m/s. complementarity: |p w| of normal and limit rows, J.
    cone: excess of |p_t| over its bound, N s. dissipation: power that friction could dissipate beyond what it
    does, `bound |w_t| + p_t.w_t`, J; both also of rolling and torsional friction. box: excess over the bound, N s.
    box_dissipation: the same for box rows, J.
    natural_map: all in one, N s: by how much p changes in a step along -w that is projected onto what is allowed.
    """

    negative_impulse: float
    negative_velocity: float
    complementarity: float
    cone: float
    dissipation: float
    box: float
    box_dissipation: float
    natural_map: float


def check_solution(problem: ContactProblem, impulses: Array) -> Residuals:
    """Residuals of impulses (n,), N s, with the velocities that follow from them."""
    p = np.asarray(impulses, dtype=np.float64)
    w = problem.velocities(p)
    contacts, boxes, last = 3 * problem.contacts, problem.first_box, problem.first_follower
    tangent_p, normal_p = _split(p[:contacts])
    tangent_w, normal_w = _split(w[:contacts])
    unilateral_p = np.concatenate([normal_p, p[contacts:boxes]])
    unilateral_w = np.concatenate([normal_w, w[contacts:boxes]])
    bound = friction_bound(problem, normal_p, normal_w)
    length, speed = np.linalg.norm(tangent_p, axis=1), np.linalg.norm(tangent_w, axis=1)
    led = _followed(problem, normal_p, normal_w, p[last:], w[last:])
    return Residuals(
        negative_impulse=_largest(-unilateral_p),
        negative_velocity=_largest(-unilateral_w),
        complementarity=_largest(np.abs(unilateral_p * unilateral_w)),
        cone=max(_largest(length - bound), led.cone),
        dissipation=max(
            _largest(np.abs(bound * speed + np.sum(tangent_p * tangent_w, axis=1))), led.dissipation
        ),
        box=_largest(np.abs(p[boxes:last]) - problem.box),
        box_dissipation=_largest(np.abs(problem.box * np.abs(w[boxes:last]) + p[boxes:last] * w[boxes:last])),
        natural_map=natural_map_residual(problem, p, w),
    )


class _Followed(NamedTuple):
    """`Residuals.cone` and `Residuals.dissipation` of followers."""

    cone: float
    dissipation: float


def _followed(problem: ContactProblem, normal_p: Array, normal_w: Array, p: Array, w: Array) -> _Followed:
    """Rolling and torsional friction against their own conditions; p, w (3 followers,): of their rows."""
    leaders = np.array(problem.leaders, dtype=np.int64)
    diagonal = problem.diagonal()[2 : 3 * problem.contacts : 3]
    load = np.where(diagonal * normal_p > normal_w, np.maximum(normal_p, 0.0), 0.0)[leaders]
    (rolling_p, turning_p), (rolling_w, turning_w) = _split(p), _split(w)
    roll, turn = problem.rolling * load, problem.torsion * load
    length, speed = np.linalg.norm(rolling_p, axis=1), np.linalg.norm(rolling_w, axis=1)
    lost = np.abs(roll * speed + np.sum(rolling_p * rolling_w, axis=1))
    turned = np.abs(turn * np.abs(turning_w) + turning_p * turning_w)
    return _Followed(
        max(_largest(length - roll), _largest(np.abs(turning_p) - turn)),
        max(_largest(lost), _largest(turned)),
    )


def friction_bound(problem: ContactProblem, normal: Array, velocity: Array | float = 0.0) -> Array:
    """Greatest tangential impulse (contacts,), N s, for normal impulses and velocities (contacts,) each.

    There is none where the contact separates: where the velocity outweighs what may be noise of the impulse.
    """
    diagonal = problem.diagonal()[2 : 3 * problem.contacts : 3]
    return np.where(diagonal * normal > velocity, problem.friction * normal + problem.extra, 0.0)


def natural_map_residual(problem: ContactProblem, p: Array, w: Array) -> float:
    """Largest |p - project(p - w / W)| over the rows, N s, with W the diagonal of the Delassus matrix."""
    return _largest(natural_map(problem, p, w))


def natural_map(problem: ContactProblem, p: Array, w: Array) -> Array:
    """The residual of each row, and of both tangential rows of a contact together in the first of them."""
    contacts, boxes, last = 3 * problem.contacts, problem.first_box, problem.first_follower
    diagonal = problem.diagonal()
    along, normal = _split(diagonal[:contacts])
    law = made_law(along.mean(axis=1), normal, problem.friction, problem.extra)
    result = np.zeros(problem.size)
    f1, f2, fn = law_map(law, p[:contacts].reshape(-1, 3).T, w[:contacts].reshape(-1, 3).T)
    result[0:contacts:3], result[2:contacts:3] = np.hypot(f1, f2), np.abs(fn)
    bounds = np.concatenate([np.full(boxes - contacts, np.inf), problem.box])
    for k, bound in enumerate(bounds, contacts):
        result[k] = abs(row_map(diagonal[k], float(bound), p[k], w[k]))
    if problem.leaders:
        leaders = np.array(problem.leaders)
        load = pressing_impulse(law, p[:contacts].reshape(-1, 3).T, w[:contacts].reshape(-1, 3).T)[leaders]
        along, normal = _split(diagonal[last:])
        follower = follower_law(along.mean(axis=1), normal, problem.rolling, problem.torsion)
        f1, f2, fn = follower_map(follower, p[last:].reshape(-1, 3).T, w[last:].reshape(-1, 3).T, load)
        result[last::3], result[last + 2 :: 3] = np.hypot(f1, f2), np.abs(fn)
    return result


def _split(rows: Array) -> tuple[Array, Array]:
    """Tangential (contacts, 2) and normal (contacts,) parts of contact rows."""
    blocks = rows.reshape(-1, 3)
    return blocks[:, :2], blocks[:, 2]


def _largest(values: Array) -> float:
    return float(max(values.max(initial=0.0), 0.0))
