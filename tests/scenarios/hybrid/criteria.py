"""What a use case misses."""

from __future__ import annotations

from footfall.scenarios.hybrid.course import Course


def missed(course: Course) -> list[str]:
    """Names of the criteria that a course does not meet."""
    return [criterion.what for criterion in course.criteria if not criterion.passed]
