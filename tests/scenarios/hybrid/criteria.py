"""What a use case misses."""

from __future__ import annotations

from footfall.scenarios.hybrid.course import HybridRun


def missed(course: HybridRun) -> list[str]:
    """Names of the criteria that a course does not meet."""
    return [criterion.what for criterion in course.criteria if not criterion.passed]
