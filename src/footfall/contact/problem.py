"""The contact problem: what every solver solves, stated once.

`w = (W + C) p + b` with the Delassus matrix W, a diagonal compliance C and impulses p. Rows: three a contact
(t1, t2, n), then limits, then boxes, then three a follower. Contacts and limits never pull (p_n >= 0, w_n >= 0,
p_n w_n = 0). Friction obeys `|p_t| <= mu p_n + extra` and dissipates as much as it can. Boxes keep `|p| <= bound` and
w = 0 unless at it. Followers are rolling and torsional friction: moments about (t1, t2, n) as impulses at an arm, with
`|m_t| <= rolling p_n` and `|m_n| <= torsion p_n` of the contact that leads each, which dissipate likewise.
"""

from __future__ import annotations

import math
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np

from footfall.arrays import Array
from footfall.compiler.routines import Vector2, Vector3, routine
from footfall.contact.law import allowed_impulse
from footfall.errors import InvalidInput
from footfall.whole_file import open_file, written_whole

# A contact problem while it is solved: its rows, the impulses so far, and the velocities that follow from them.


class ContactRows(NamedTuple):
    """A `ContactProblem` as routines take it: `w = matrix p + bias`, (n, n) and (n,).

    diagonal (n,): of the matrix, kept off zero. friction, extra (contacts,), box (boxes,), compliance (n,): as there.
    """

    matrix: Array
    diagonal: Array
    bias: Array
    friction: Array
    extra: Array
    box: Array
    compliance: Array

    @property
    def contact_rows(self) -> int:
        """How many rows belong to contacts; those of joints follow."""
        return 3 * len(self.friction)

    def allowed(self, row: int, impulse: float) -> float:
        """An impulse of a joint's row brought into what is allowed: not negative, or within its box."""
        return float(allowed_impulse(impulse, self.bound(row)))

    def bound(self, row: int) -> float:
        """Of a joint's row, N s: infinite for a limit."""
        bounded = row - (len(self.bias) - len(self.box))
        return float(self.box[bounded]) if bounded >= 0 else math.inf


class ImpulseState(NamedTuple):
    """Impulses p (n,), N s, and velocities w = matrix p + bias (n,), m/s; both change in place."""

    rows: ContactRows
    p: Array
    w: Array

    def refresh(self) -> None:
        """Compute the velocities anew: rounding errors of changes add up."""
        for i, row in enumerate(self.rows.matrix):
            total = self.rows.bias[i]
            for j in range(len(row)):
                total += row[j] * self.p[j]
            self.w[i] = total

    def change(self, row: int, impulse: float) -> None:
        """Set an impulse and let the velocities follow."""
        step, w = impulse - self.p[row], self.w
        if step != 0.0:
            self.p[row] = impulse
            w += self.rows.matrix[row] * step

    def change_contact(self, k: int, impulse: Vector3) -> None:
        """Set the impulse of a contact (t1, t2, n)."""
        for i in (0, 1, 2):
            self.change(3 * k + i, impulse[i])

    def friction_target(self, k: int) -> Vector2:
        """Where friction wants a tangential impulse: a step along -w, by the mean of both mobilities."""
        first = 3 * k
        scale = 2.0 / (self.rows.diagonal[first] + self.rows.diagonal[first + 1])
        p, w = self.p[first : first + 2], self.w[first : first + 2]
        return p - scale * w  # type: ignore[no-any-return]

    def friction_bound(self, k: int) -> float:
        """Greatest tangential impulse of a contact: none where it separates."""
        n, rows = 3 * k + 2, self.rows
        pressed = rows.diagonal[n] * self.p[n] > self.w[n]
        return rows.friction[k] * self.p[n] + rows.extra[k] if pressed else 0.0

    def stopping(self, row: int) -> float:
        """The impulse that would stop a row on its own."""
        return self.p[row] - self.w[row] / self.rows.diagonal[row]  # type: ignore[no-any-return]

    def residual_without_friction(self) -> float:
        """Largest part of the natural map in normal directions and joint rows, N s."""
        largest = 0.0
        for k in range(len(self.rows.friction)):
            n = 3 * k + 2
            largest = max(largest, abs(self.p[n] - max(0.0, self.stopping(n))))
        for row in range(self.rows.contact_rows, len(self.p)):
            largest = max(largest, abs(self.p[row] - self.rows.allowed(row, self.stopping(row))))
        return largest

    def away_from(self, k: int, tangential: Vector2) -> float:
        """How far the tangential impulse of a contact is from another one, N s."""
        return math.hypot(self.p[3 * k] - tangential[0], self.p[3 * k + 1] - tangential[1])


@routine
def natural_map(state: ImpulseState) -> float:
    """Residual as in `validation.natural_map_residual`, N s."""
    largest = state.residual_without_friction()
    for k in range(len(state.rows.friction)):
        inside = in_disc(state.friction_target(k), state.friction_bound(k))
        largest = max(largest, state.away_from(k, inside))
    return largest


@routine
def in_disc(target: Vector2, bound: float) -> Vector2:
    """The nearest point of a disc."""
    length = math.sqrt(target[0] * target[0] + target[1] * target[1])
    return (bound / length if length > bound else 1.0) * target


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
                raise InvalidInput(f"{name} has shape {array.shape}; it must be {shape}")
            if not np.isfinite(array).all():
                raise InvalidInput(
                    f"{name} of the contact problem holds NaN or infinite values; all must be finite"
                )
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
            raise InvalidInput("the Delassus matrix is not symmetric; give (W + W.T) / 2")

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


# Contact problems on disk, such as those that a simulation met: one NPZ file for any number of them.

_MOST_BYTES = 256 * 2**20
_MOST_PROBLEMS = 20_000
_ARRAYS = ("delassus", "bias", "friction", "extra", "box", "compliance")


def save_problems(path: str | Path, problems: Sequence[ContactProblem]) -> None:
    """Write contact problems; the file appears only when it is complete."""
    for problem in problems:
        problem.require_no_followers("a file of contact problems")
    sizes = np.array(
        [[problem.contacts, problem.limits, len(problem.box)] for problem in problems], dtype=np.int64
    )
    arrays: dict[str, Any] = {
        name: np.concatenate([np.zeros(0), *(getattr(problem, name).ravel() for problem in problems)])
        for name in _ARRAYS
    }
    with written_whole(Path(path)) as file:
        np.savez_compressed(file, sizes=sizes.reshape(-1, 3), **arrays)


def load_problems(path: str | Path) -> list[ContactProblem]:
    """The contact problems of a file that `save_problems` has written."""
    with open_file(Path(path), "file of contact problems") as file:
        try:
            stored = _arrays(file)
            return list(_problems(stored))
        except InvalidInput as error:
            raise InvalidInput(f"{path}: {error}") from None
        except Exception as error:  # zip, zlib and NumPy have many ways to say that something is no array
            raise InvalidInput(f"{path} is no file of contact problems: {error}") from error


def _arrays(file: IO[bytes]) -> dict[str, Any]:
    """The arrays of an NPZ file; sizes are compared with what is there before memory is asked for."""
    found: dict[str, Any] = {}
    with zipfile.ZipFile(file) as archive:
        members = {info.filename: info for info in archive.infolist()}
        names = {name: f"{name}.npy" for name in ("sizes", *_ARRAYS)}
        missing = [name for name, member in names.items() if member not in members]
        if missing:
            raise InvalidInput(f"there is no array {missing[0]!r}; write problems by save_problems")
        total = sum(members[member].file_size for member in names.values())
        if total > _MOST_BYTES:
            raise InvalidInput(f"holds {total} bytes; at most {_MOST_BYTES} are read")
        for name, member in names.items():
            with archive.open(members[member]) as content:
                found[name] = _array(name, content, members[member].file_size)
    return found


def _array(name: str, content: IO[bytes], size: int) -> Any:
    version = np.lib.format.read_magic(content)
    if version != (1, 0):
        raise InvalidInput(f"{name} is an array of version {version}; 1.0 is read")
    shape, fortran, kind = np.lib.format.read_array_header_1_0(content, max_header_size=1000)
    axes, wanted = (2, np.dtype("<i8")) if name == "sizes" else (1, np.dtype("<f8"))
    if kind != wanted or fortran or len(shape) != axes or (axes == 2 and shape[1] != 3):
        raise InvalidInput(f"{name} is {kind} of shape {shape}; it must be {wanted}, {axes} axes")
    count = math.prod(shape)
    if not 0 <= 8 * count <= size:
        raise InvalidInput(f"{name} announces {count} numbers; {size} bytes are there")
    data = content.read(8 * count)
    return np.frombuffer(data, wanted).reshape(shape)


def _problems(stored: dict[str, Any]) -> Iterator[ContactProblem]:
    positions = dict.fromkeys(_ARRAYS, 0)
    if len(stored["sizes"]) > _MOST_PROBLEMS:
        raise InvalidInput(f"holds {len(stored['sizes'])} problems; at most {_MOST_PROBLEMS} are read")
    for contacts, limits, boxes in stored["sizes"].tolist():
        if min(contacts, limits, boxes) < 0:
            raise InvalidInput(f"a problem of {contacts} contacts, {limits} limits and {boxes} boxes")
        size = 3 * contacts + limits + boxes
        lengths = (size * size, size, contacts, contacts, boxes, size)
        parts: dict[str, Any] = {"limits": limits}
        for name, length in zip(_ARRAYS, lengths, strict=True):
            part = stored[name][positions[name] : positions[name] + length]
            if len(part) != length:
                raise InvalidInput(f"{name} ends within a problem; the file is cut off")
            parts[name] = part
            positions[name] += length
        parts["delassus"] = parts["delassus"].reshape(size, size)
        yield ContactProblem(**parts)
