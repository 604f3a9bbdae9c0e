"""What can be wrong with tasks and controllers, and what solvers cannot find; every error carries its evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from footfall.errors.base import FootfallError, FootfallWarning


class InvalidRequest(FootfallError, ValueError):
    """Something that a controller cannot work with; the message has its name, the value and what would be right."""


class InvalidTask(InvalidRequest):
    """A task that cannot be: of the wrong shape, not finite, without direction or without rows."""


class NoTasks(InvalidTask):
    """A controller without anything to do."""


class InvalidGains(InvalidRequest):
    """Gains that make no stable oscillator."""


class LostDirection(FootfallWarning):
    """A frame that cannot be accelerated in all directions that are asked for."""


class SaturatedTorque(FootfallWarning):
    """Torques that a controller asks for beyond what the drives give: it goes on with less of the motion."""


class StepWarning(FootfallWarning):
    """A cost too stiff for the length of a step."""


class ContactWarning(FootfallWarning):
    """A controller counts on contact forces that contacts cannot give: pulling, beyond friction, outside the sole."""


class NotFullyActuated(FootfallError, ValueError):
    """A controller that needs a drive on every velocity was given a robot without; joints: those that have none."""

    def __init__(self, robot: str, joints: Sequence[str], controller: str) -> None:
        self.joints = tuple(joints)
        super().__init__(
            f"{controller} needs a drive on every velocity; robot {robot!r} has none on: {', '.join(joints)}"
        )


class NoSupport(FootfallError, ValueError):
    """Nothing carries the robot."""


class ContradictoryLimits(FootfallError, ValueError):
    """Limits that leave no motion; lower and upper (nv,) are kept."""

    def __init__(self, names: list[str], lower: Any, upper: Any) -> None:
        self.names, self.lower, self.upper = names, lower, upper
        super().__init__(
            f"limits contradict each other at {', '.join(names)}: a lower limit is above the upper one "
            f"(by {float((lower - upper).max()):.3g} at most); swap or widen them"
        )


class NoSolution(FootfallError, ArithmeticError):
    """A solver stopped without meeting its tasks; `residuals` has each task's error norm, by its label."""

    def __init__(self, message: str, residuals: dict[str, float], *, evidence: Any = None) -> None:
        self.residuals = residuals
        self.evidence = evidence
        worst = sorted(residuals.items(), key=lambda item: -item[1])
        told = ", ".join(f"{label}: {value:.3g}" for label, value in worst)
        super().__init__(f"{message}; what is left: {told}" if told else message)


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


class NoClosedForm(InvalidTask):
    """A chain whose inverse kinematics has no closed form here."""


class NotReachable(NoSolution):
    """A pose that a chain does not reach; `distance`: how far the closest configuration stays off."""


class NoDescent(FootfallError, ArithmeticError):
    """A direction along which the cost does not fall; slope: its derivative at the start."""

    def __init__(self, slope: float, evaluations: int) -> None:
        self.slope = slope
        super().__init__(
            f"the cost does not fall along the direction: its slope is {slope:.3g} and must be negative, "
            f"{evaluations} steps tried"
        )


class QuadraticProgramFailed(NoSolution):
    """A quadratic program without a solution; `evidence` is the program, `status` what the solver said."""

    def __init__(self, program: Any, status: int, reason: str) -> None:
        self.status = status
        super().__init__(f"quadratic program is {reason}", {}, evidence=program)


class LimitsExceeded(FootfallError, ArithmeticError):
    """No motion keeps all limits: the robot must slip, fall or overload a drive. `problem` is kept, `missing` (m,) is
    what each of its limit rows lacks with the solution that comes closest, `solution`; `exceeded`: the same by name."""

    def __init__(self, problem: Any, solution: Any, missing: Any) -> None:
        self.problem, self.solution, self.missing = problem, solution, missing
        worst: dict[str, float] = {}
        for label, amount in zip(problem.limits.labels, missing.tolist(), strict=True):
            worst[label] = max(worst.get(label, 0.0), amount)
        told = sorted(((amount, label) for label, amount in worst.items() if amount > 0.0), reverse=True)
        self.exceeded = {label: amount for amount, label in told}
        listed = ", ".join(f"{label} by {amount:.3g}" for amount, label in told[:4])
        super().__init__(
            f"no motion of robot {problem.situation.robot.name!r} keeps its limits; missed: {listed} "
            "(on_limits='closest' goes on with what comes closest)"
        )
