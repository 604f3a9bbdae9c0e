"""What can go wrong in inverse kinematics; every error carries its evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from footfall.arrays import Array
from footfall.errors import FootfallError

if TYPE_CHECKING:
    from footfall.control.inverse_kinematics.position import Solution


class ContradictoryLimits(FootfallError, ValueError):
    """Limits that leave no motion; lower and upper (nv,) are kept."""

    def __init__(self, names: list[str], lower: Array, upper: Array) -> None:
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

    def __init__(self, solution: Solution) -> None:
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
