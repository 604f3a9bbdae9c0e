"""The contact problem: what every solver solves, stated once.

`w = (W + C) p + b` with the Delassus matrix W, a diagonal compliance C and impulses p. Rows: three a contact
(t1, t2, n), then limits, then boxes, then three a follower. Contacts and limits never pull (p_n >= 0, w_n >= 0,
p_n w_n = 0). Friction obeys `|p_t| <= mu p_n + extra` and dissipates as much as it can. Boxes keep `|p| <= bound` and
w = 0 unless at it. Followers are rolling and torsional friction: moments about (t1, t2, n) as impulses at an arm, with
`|m_t| <= rolling p_n` and `|m_n| <= torsion p_n` of the contact that leads each, which dissipate likewise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from footfall.arrays import Array
from footfall.contact.impulse_state import ContactRows
from footfall.errors import InvalidInput

_LEAST_DIAGONAL = 1e-12  # of the largest: keeps a row that nothing can move out of divisions by zero


@dataclass(frozen=True)
class ContactProblem:
    """A contact problem with n = 3 contacts + limits + boxes + 3 followers rows; see the module's docstring.

    delassus: (n, n) symmetric positive semidefinite, without compliance, 1/kg. bias: (n,) velocity without
    impulses and what the law adds to it, m/s. friction: (contacts,) mu. extra: (contacts,) part of the friction
    bound that does not depend on the normal impulse, N s; it acts while there is one. limits: number of limit
    rows. box: (boxes,) bounds, N s. compliance: (n,) added to the diagonal, 1/kg. leaders: (followers,) the contact of
    each; rolling, torsion: (followers,) its coefficients over the arm of its moments.
    """

    delassus: Array
    bias: Array
    friction: Array
    extra: Array = field(default_factory=lambda: np.zeros(()))
    limits: int = 0
    box: Array = field(default_factory=lambda: np.zeros(0))
    compliance: Array = field(default_factory=lambda: np.zeros(()))
    leaders: Sequence[int] = ()
    rolling: Array = field(default_factory=lambda: np.zeros(()))
    torsion: Array = field(default_factory=lambda: np.zeros(()))

    def __post_init__(self) -> None:
        count = len(self.friction)
        object.__setattr__(self, "leaders", tuple(int(k) for k in self.leaders))
        if any(not 0 <= k < count for k in self.leaders):
            raise InvalidInput(f"leaders are {self.leaders}; they must be numbers of the {count} contacts")
        size = 3 * count + self.limits + len(self.box) + 3 * len(self.leaders)
        shapes = {
            "delassus": (size, size),
            "bias": (size,),
            "friction": (count,),
            "extra": (count,),
            "box": (len(self.box),),
            "compliance": (size,),
            "rolling": (len(self.leaders),),
            "torsion": (len(self.leaders),),
        }
        for name, shape in shapes.items():
            array = np.asarray(getattr(self, name), dtype=np.float64)
            if array.shape not in (shape, ()):
                raise InvalidInput(f"{name} has shape {array.shape}, needed is {shape}")
            if not np.isfinite(array).all():
                raise InvalidInput(f"{name} of the contact problem holds NaN or infinite values")
            array = np.ascontiguousarray(np.broadcast_to(array, shape)).view()
            array.setflags(write=False)  # all of one kind: routines are compiled once for each
            object.__setattr__(self, name, array)
        for name in ("friction", "extra", "box", "compliance", "rolling", "torsion"):
            if np.any(getattr(self, name) < 0.0):
                raise InvalidInput(
                    f"{name} of the contact problem is negative: {getattr(self, name).min():g}"
                )
        scale = np.abs(self.delassus).max(initial=0.0)
        if np.abs(self.delassus - self.delassus.T).max(initial=0.0) > 1e-8 * scale:
            raise InvalidInput("the Delassus matrix is not symmetric")

    @property
    def contacts(self) -> int:
        """Number of contacts."""
        return len(self.friction)

    @property
    def size(self) -> int:
        """Number of rows."""
        return len(self.bias)

    def matrix(self) -> Array:
        """W + C (n, n), 1/kg."""
        return self.delassus + np.diag(self.compliance)

    def diagonal(self) -> Array:
        """Diagonal of W + C (n,), kept off zero, 1/kg."""
        diagonal: Array = self.delassus.diagonal() + self.compliance
        least = _LEAST_DIAGONAL * float(diagonal.max(initial=0.0)) + 1e-280
        return np.maximum(diagonal, least)

    @property
    def first_box(self) -> int:
        """Number of the first row of a box."""
        return 3 * self.contacts + self.limits

    @property
    def first_follower(self) -> int:
        """Number of the first row of a follower."""
        return self.first_box + len(self.box)

    def require_no_followers(self, what: str) -> None:
        """Raise where rolling or torsional friction is part of the problem, which few solvers know."""
        if self.leaders:
            raise InvalidInput(
                f"{what} does not support rolling and torsional friction, which {len(self.leaders)} contacts have; "
                "simulate it with exact contact, or leave it out"
            )

    def rows(self) -> ContactRows:
        """The problem as routines take it."""
        self.require_no_followers("a solver of contact problems")
        return ContactRows(
            self.matrix(), self.diagonal(), self.bias, self.friction, self.extra, self.box, self.compliance
        )

    def velocities(self, impulses: Array) -> Array:
        """w (n,), m/s, after impulses (n,), N s."""
        result: Array = self.delassus @ impulses + self.compliance * impulses + self.bias
        return result


@dataclass(frozen=True)
class ContactSolution:
    """What a solver found.

    impulses: (n,) N s. velocities: (n,) w, m/s. iterations: sweeps, pivots or steps. residual: of the natural map,
    N s. converged: whether the solver met its own criterion. solver: its name. status: more about a failure.
    """

    impulses: Array
    velocities: Array
    iterations: int
    residual: float
    converged: bool
    solver: str
    status: str = "solved"


def checked_start(problem: ContactProblem, start: Array | None) -> Array:
    """A copy of the impulses (n,) to start from, zero if there are none."""
    if start is None:
        return np.zeros(problem.size)
    impulses = np.array(start, dtype=np.float64)
    if impulses.shape != (problem.size,) or not np.isfinite(impulses).all():
        raise InvalidInput(f"start needs {problem.size} finite impulses, not {impulses.shape}: {impulses}")
    return impulses
