"""A metre of walking in closed loop: what a robot that is planned for does when it has to."""

from __future__ import annotations

from footfall.errors import FootfallError
from footfall.motion.walk_check import Finding
from footfall.walking.request import WalkRequest
from footfall.walking.walk import Progress, walk

_TRIAL_WAY = 1.0  # m
_NAMED = 3  # joints that are overdriven and told of


def try_walk(request: WalkRequest, *, progress: Progress | None = None) -> Finding:
    """Walk a metre ahead on flat ground with the robot of a request, its frames and its soles, and judge it as
    `footfall walk` does. progress: told how far it is."""
    asked = WalkRequest(
        scene="flat",
        robot=request.robot,
        goal=(_TRIAL_WAY, 0.0, 0.0),
        lenient=request.lenient,
        frames=request.frames,
        sole=request.sole,
    )
    try:
        summary = walk(asked, progress=progress).summary
    except FootfallError as error:
        return Finding("closed loop", "missing", str(error), "see the message")
    if summary.reached:
        text = (
            f"{summary.steps} steps, {summary.distance:.2f} m: {1e3 * summary.goal_error:.0f} mm off its goal"
        )
        return Finding("closed loop", "good", text)
    if summary.fallen:
        return Finding("closed loop", "missing", f"it falls: {summary.cause}", "slower steps, or other gains")
    text = "; ".join(summary.limits_passed[:_NAMED]) or summary.problem or "it does not come to its goal"
    return Finding("closed loop", "missing", text, "slower steps, or limits in the description that are true")
