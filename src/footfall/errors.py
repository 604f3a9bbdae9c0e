"""Every error that footfall raises on purpose, and its warnings.

The rules: an error is a class of its own only if a caller does something else about it. It derives from
`FootfallError` and from the built-in error of its kind (`ValueError` for input without meaning, `ArithmeticError` for a
computation without result, `OSError` for files, `RuntimeError` for a wrong moment). Its message reads *what is wrong:
value; what to do*, and names the element; what a program may want to know stands in attributes. It is raised before
anything is computed or written, if that can be. Warnings derive from `FootfallWarning`.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from footfall.public_names import PublicModule

_LISTED = 24  # names an error lists before it only counts the rest
_COMPARED = (1000, 100)  # names, and characters of each, that are looked at for close ones: it takes long
_LONGEST_MESSAGE = 3000  # characters of a message: files may have names of any length


class FootfallError(Exception):
    """Base of all errors raised by footfall."""

    def __str__(self) -> str:
        return shortened(super().__str__())


# Input: give something else.


class InvalidInput(FootfallError, ValueError):
    """An argument without meaning: of the wrong shape or range, not finite, or that does not fit to another one."""


class UnknownName(FootfallError, KeyError):
    """A name that does not exist; the message lists those that do, close ones first.

    kind: what was looked for ("frame", "joint", ...). owner: where ("robot 'talos'").
    """

    def __init__(self, kind: str, name: str, available: Iterable[str], owner: str = "") -> None:
        self.kind = kind
        self.name = name
        self.available = tuple(available)
        self.owner = owner
        super().__init__(kind, name, self.available, owner)

    def __str__(self) -> str:
        place = f" in {self.owner}" if self.owner else ""
        name, close = shortened(repr(self.name)), listed(self.name, self.available)
        return f"no {self.kind} {name}{shortened(place)}; there are: {shortened(close)}"


class UnsuitableRobot(FootfallError, ValueError):
    """A robot that a method does not fit: without drives, mass, or the legs and arms that it needs.

    advice: what there is for such a robot instead, where the message does not say it.
    """

    def __init__(self, message: str, *, advice: str = "") -> None:
        self.advice = advice
        super().__init__(message)


class MisplacedFrame(UnsuitableRobot):
    """A frame that walking cannot use: a foot's off its sole, or with other axes than x forward and z up in stance."""


class InvalidTransition(InvalidInput):
    """A transition that cannot be carried out.

    number: of the transition in its sequence, from 0. value, limit: what was asked for and what is possible. sequence:
    number of the sequence in its plan, from 0; None if the plan has only one.
    """

    def __init__(
        self,
        number: int,
        message: str,
        *,
        value: float | None = None,
        limit: float | None = None,
        sequence: int | None = None,
    ) -> None:
        self.number = number
        self.sequence = sequence
        self.value = value
        self.limit = limit
        self.message = message
        place = "" if sequence is None else f"sequence {sequence}, "
        super().__init__(f"{place}transition {number}: {message}")

    def in_sequence(self, sequence: int) -> InvalidTransition:
        """The same, of a plan of several sequences."""
        return InvalidTransition(
            self.number, self.message, value=self.value, limit=self.limit, sequence=sequence
        )


class HeightNotSmooth(InvalidInput):
    """Heights of the torso that cannot be reached without too much acceleration.

    time: where it is largest, s. peak, most: that acceleration and what is allowed, m/s2.
    """

    def __init__(self, time: float, peak: float, most: float) -> None:
        self.time = time
        self.peak = peak
        self.most = most
        super().__init__(
            f"the torso's height accelerates with {peak:.3g} m/s2 at {time:.2f} s; at most {most:.3g} m/s2 are allowed"
        )


class TooFast(InvalidInput):
    """A speed at which no step length and time works. speed: m/s."""

    def __init__(self, speed: float, name: str) -> None:
        self.speed = speed
        super().__init__(
            f"no step length and time lets {name!r} walk at {speed:.3f} m/s within the bounds of its legs and feet; "
            "`fastest_step` finds how fast it can"
        )


# Descriptions: mend the file or the element.


class DescriptionError(FootfallError, ValueError):
    """Something described that cannot be: names the element, the value and what would be right.

    subject: kind and name of the element, ("joint", "knee"). source and line: the place in the description,
    where there is one.
    """

    def __init__(
        self,
        message: str,
        *,
        subject: tuple[str, str] | None = None,
        source: str | None = None,
        line: int | None = None,
    ) -> None:
        self.message = message
        self.subject = subject
        self.source = source
        self.line = line
        super().__init__(message)

    def __str__(self) -> str:
        place = "".join(f"{part}:" for part in (self.source, self.line) if part is not None)
        element = f"{self.subject[0]} {self.subject[1]!r}: " if self.subject else ""
        return shortened(f"{place} {element}{self.message}" if place else f"{element}{self.message}")


class RobotError(DescriptionError):
    """A robot or drive that cannot be, or whose description cannot be read or is refused as too large."""


class LoopError(RobotError):
    """A kinematic loop that cannot be: redundant, or without anything left to move."""


class LoopClosureError(LoopError):
    """A loop that does not close. residual: m or rad, of the nearest configuration that was found."""

    def __init__(self, message: str, *, subject: tuple[str, str] | None = None, residual: float) -> None:
        super().__init__(message, subject=subject)
        self.residual = residual


class UnsupportedFeature(RobotError):
    """Something that a format or a conversion cannot express."""


class GeometryError(DescriptionError):
    """A mesh, height map or other shape that cannot be, or whose file cannot be read."""


class SceneError(DescriptionError):
    """A scene that cannot be, or whose file cannot be read."""


class InvalidEnvironment(DescriptionError):
    """Terrain, an object or a camera that cannot be, or a file of them that cannot be read."""


# Computations: what was asked for has no result. Every error carries its evidence.


class NoSolution(FootfallError, ArithmeticError):
    """A solver ended without a solution; `residuals` by name, `evidence`: the problem, or what came closest."""

    def __init__(
        self, message: str, residuals: Mapping[str, float] | None = None, *, evidence: Any = None
    ) -> None:
        self.residuals = dict(residuals or {})
        self.evidence = evidence
        worst = sorted(self.residuals.items(), key=lambda item: -abs(item[1]))
        left = ", ".join(f"{label}: {value:.3g}" for label, value in worst)
        super().__init__(f"{message}; residuals: {left}" if left else message)


class TargetOutOfReach(NoSolution):
    """Tasks that no configuration within the limits was found for; `solution` has the closest one."""

    def __init__(self, solution: Any) -> None:
        self.solution = solution
        starts = (
            f"{solution.restarts} restarts"
            if solution.restarts
            else "no restart (`restarts` may find a closer one)"
        )
        super().__init__(
            f"no configuration found that meets the tasks ({solution.reason}); the closest has a weighted "
            f"error of {solution.distance:.3g} after {solution.iterations} iterations and {starts}",
            solution.residuals,
            evidence=solution,
        )


class LimitsExceeded(NoSolution):
    """No motion keeps all limits: the robot must slip, fall or overload a drive. `problem` is kept, `missing` (m,) is
    what each of its limit rows lacks with the solution that comes closest, `solution`; `exceeded`: the same by name."""

    def __init__(self, problem: Any, solution: Any, missing: Any) -> None:
        self.problem, self.solution, self.missing = problem, solution, missing
        worst: dict[str, float] = {}
        for label, amount in zip(problem.limits.labels, missing.tolist(), strict=True):
            worst[label] = max(worst.get(label, 0.0), amount)
        sorted_limits = sorted(
            ((amount, label) for label, amount in worst.items() if amount > 0.0), reverse=True
        )
        self.exceeded = {label: amount for amount, label in sorted_limits}
        largest = ", ".join(f"{label} by {amount:.3g}" for amount, label in sorted_limits[:4])
        super().__init__(
            f"no motion of robot {problem.situation.robot.name!r} keeps its limits; missed: {largest} "
            "(on_limits='closest' goes on with what comes closest)",
            evidence=solution,
        )


class NoPath(FootfallError, RuntimeError):
    """No contacts lead to a goal. result: what the planner found instead, with what blocks the path."""

    def __init__(self, message: str, result: object = None) -> None:
        self.result = result
        super().__init__(message)


class SimulationDiverged(FootfallError, ArithmeticError):
    """A simulation diverged: NaN or Inf. state: the last good `SimulationState`. quantity: what went wrong first."""

    def __init__(self, quantity: str, state: Any) -> None:
        self.quantity = quantity
        self.state = state
        super().__init__(
            f"the simulation diverged after t = {state.time:.6g} s: {quantity}; the last good state is kept"
        )


class RewardNotFinite(FootfallError, ArithmeticError):
    """A reward that is not a finite number. row: of the environment. term: of the reward."""

    def __init__(self, row: int, term: str, value: float) -> None:
        self.row = row
        self.term = term
        self.value = value
        super().__init__(
            f"reward term {term!r} of row {row} is {value}; a term must be finite in every state that has not ended: "
            "bound what it divides by and what it takes the root or logarithm of"
        )


class LoopAtDeadPoint(SimulationDiverged):
    """A loop came to a dead point: the joints that lead it cannot go on. `state` is the last one before."""


class TooLate(FootfallError, RuntimeError):
    """Something that cannot be changed any more: a plan that is outdated or over, a recording that is closed."""


# Files, packages and other programs.


class MissingFile(FootfallError, FileNotFoundError):
    """A file that is not there."""


class ExistingFile(FootfallError, FileExistsError):
    """A file that would be overwritten."""


class CannotWrite(FootfallError, OSError):
    """A file or folder that cannot be written, or not any further, as when a disk is full; its cause says why."""


class RecordingError(FootfallError, ValueError):
    """A recording that cannot be read: damaged, of another format version, or beyond the limits of the reader."""


class MissingPackage(FootfallError, ImportError):
    """An optional package or program that is not installed, or in another version."""


class ProgramFailed(FootfallError, RuntimeError):
    """Another program or process did not do its part: a browser, a compiler, a worker; the message has what it said."""


class PortInUse(FootfallError, OSError):
    """A port that another program listens on."""


class InvalidMessage(FootfallError, ValueError):
    """Bytes of a peer that are no message or channel: wrong mark, version, length, checksum or content."""


class PeerGone(FootfallError, ConnectionError):
    """A peer that closed the connection, or was too slow to go on with."""


# Functions that become native code.


class TraceError(FootfallError, TypeError):
    """A function does something that cannot be traced; the message names the place and what to use instead."""


class RoutineError(FootfallError, TypeError):
    """A routine does something that cannot be translated, or was called with something that it cannot take.

    located: whether the message says where.
    """

    def __init__(self, message: str, *, located: bool = False) -> None:
        super().__init__(message)
        self.located = located


class RoutineFailed(FootfallError, RuntimeError):
    """A routine could not go on: an index outside of its array, found while indices are checked."""


# Warnings.


class FootfallWarning(UserWarning):
    """Base of all warnings of footfall."""


class RobotWarning(FootfallWarning):
    """A robot that loads but is suspicious, or lacks meshes."""


class SceneWarning(FootfallWarning):
    """A scene that loads without all that its file has, or says something else about gravity than its robot."""


class SimulationWarning(FootfallWarning):
    """A simulation that runs, but not as its user may expect: bodies that start inside others or below the ground,
    contacts that are left out, gains or springs that shake, loops near a singularity, robots that diverged."""


class ConvergenceWarning(FootfallWarning):
    """Contact impulses that were not found as exactly as asked for."""


class ControlWarning(FootfallWarning):
    """A controller that goes on with less than was asked for: lost directions, torques beyond the drives, contact
    forces that contacts cannot give, steps too long for a cost."""


class MotionWarning(FootfallWarning):
    """A motion that goes a little beyond what soles or legs allow.

    number: of the transition in its sequence, from 0. value: by how much, m or rad.
    """

    def __init__(self, number: int, message: str, value: float) -> None:
        self.number = number
        self.value = value
        super().__init__(f"transition {number}: {message}")


class DroppedSamples(FootfallWarning):
    """A log that could not keep up with its writers, and left samples out."""


class ViewerWarning(FootfallWarning):
    """Something that cannot be drawn as described."""


def shortened(text: str, longest: int = _LONGEST_MESSAGE) -> str:
    """A text without its middle, if it is long."""
    return text if len(text) <= longest else f"{text[: longest // 2]} ... {text[-longest // 4 :]}"


def listed(name: str, available: Iterable[str]) -> str:
    """The available names as text, those close to `name` (in any case) first, long lists cut."""
    count, length = _COMPARED
    names = {other: other[:length].casefold() for other in available}
    known = list(names.values())[:count]
    close = difflib.get_close_matches(str(name)[:length].casefold(), known, n=5, cutoff=0.5)
    ordered = sorted(
        names, key=lambda other: close.index(names[other]) if names[other] in close else len(close)
    )
    if not ordered:
        return "none"
    rest = len(ordered) - _LISTED
    return ", ".join(ordered[:_LISTED]) + (f" and {rest} more" if rest > 0 else "")


__all__ = sorted(
    name for name, value in vars().items() if isinstance(value, type) and issubclass(value, Exception)
)
sys.modules[__name__].__class__ = PublicModule  # old names lead to new ones
