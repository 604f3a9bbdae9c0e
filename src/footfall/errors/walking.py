"""What can be wrong with gaits, plans, reduced models and motions."""

from __future__ import annotations

from footfall.errors.base import FootfallError, FootfallWarning


class InvalidPose(FootfallError, ValueError):
    """A pose that no robot can have."""


class InvalidStep(FootfallError, ValueError):
    """A step that cannot be described by step parameters."""


class InvalidGait(FootfallError, ValueError):
    """A gait that no animal can have."""


class InvalidPattern(FootfallError, ValueError):
    """Oscillators that cannot be coupled as asked."""


class InvalidAction(FootfallError, ValueError):
    """An action that makes no sense."""


class InvalidDimensions(FootfallError, ValueError):
    """Dimensions that no robot has."""


class NoRoute(FootfallError, ValueError):
    """A goal that no plan leads to."""


class InvalidPlan(FootfallError, ValueError):
    """A plan whose parts do not fit together."""


class InvalidTransition(InvalidPlan):
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
        """The same, told of a plan of several sequences."""
        return InvalidTransition(
            self.number, self.message, value=self.value, limit=self.limit, sequence=sequence
        )


class OutdatedPlan(FootfallError, RuntimeError):
    """A plan that should be replaced is no longer the current one."""


class InvalidPreview(FootfallError, ValueError):
    """Preview control that cannot work."""


class InvalidReducedModel(FootfallError, ValueError):
    """A reduced model with values that cannot be."""


class InvalidReducedModelFile(FootfallError, ValueError):
    """A file that describes no reduced model."""


class NoReducedModel(FootfallError, ValueError):
    """A robot whose description gives no reduced model."""


class UnclearLandmark(FootfallError, ValueError):
    """A part of a humanoid that its names do not show."""


class FourLegs(UnclearLandmark):
    """A robot with four legs or more, which walking on two does not fit."""


class TurnedLandmark(FootfallError, ValueError):
    """A frame of a foot or of the upper body whose axes are not x forward and z up where the robot stands."""


class NoSole(FootfallError, ValueError):
    """A foot without shapes that show its sole, or whose frame does not lie on it."""


class InvalidRecording(FootfallError, ValueError):
    """Samples from which no masses can be found."""


class InvalidParameters(FootfallError, ValueError):
    """Parameters that cannot be read or have no meaning."""


class InvalidTime(FootfallError, ValueError):
    """A time that is no number."""


class HeightNotSmooth(FootfallError, ValueError):
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


class TooFast(FootfallError, ValueError):
    """A speed at which no step length and time works. speed: m/s."""

    def __init__(self, speed: float, name: str) -> None:
        self.speed = speed
        super().__init__(
            f"no step length and time lets {name!r} walk at {speed:.3f} m/s within the bounds of its legs and feet; "
            "`fastest_step` finds how fast it can"
        )


class TooLate(FootfallError, ValueError):
    """A plan that cannot be changed any more."""


class LostMotion(FootfallError, RuntimeError):
    """A robot that cannot follow a motion. error: how far it is off, m or rad; time: s."""

    def __init__(self, error: float, time: float, allowed: float) -> None:
        self.error, self.time, self.allowed = error, time, allowed
        super().__init__(
            f"the robot is off by {error:.3g} m or rad at {time:.3f} s; at most {allowed:.3g}: is the motion within "
            "reach?"
        )


class MotionWarning(FootfallWarning):
    """A motion that goes a little beyond what soles or legs allow.

    number: of the transition in its sequence, from 0. value: by how much, m or rad.
    """

    def __init__(self, number: int, message: str, value: float) -> None:
        self.number = number
        self.value = value
        super().__init__(f"transition {number}: {message}")


class RefusedStance(FootfallError, ValueError):
    """A stance that a search took and that is not possible when looked at closely. step: number of the step to it."""

    def __init__(self, step: int, message: str) -> None:
        self.step = step
        super().__init__(f"step {step}: {message}")


class NoWay(FootfallError, RuntimeError):
    """No contacts lead to a goal. result: what the planner found instead, with what closes the way."""

    def __init__(self, message: str, result: object) -> None:
        self.result = result
        super().__init__(message)
