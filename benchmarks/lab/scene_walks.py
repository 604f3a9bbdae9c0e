"""Noisy walks through all scenes and by our plans, as `footfall walk` does them: a table of what they came to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from footfall.errors import FootfallError
from footfall.motion.motion import Motion
from footfall.walking.arrival import ALIGNED, ARRIVED
from footfall.walking.request import WalkMode, WalkRequest
from footfall.walking.session import WalkSession
from footfall.walking.summary import WalkSummary
from footfall.walking.walk import completed, walk
from footfall.walking.walker import WalkingCode

SCENES = (
    "platform",
    "right-wall",
    "right-table",
    "corridor",
    "obstacles",
    "ramps",
    "stairs",
    "stairs-partial",
    "trap",
)
PLANS = ("straight", "curve", "sideways", "turn", "platform")
_REACHED = (
    f"Reached: a second after the end of its plan the robot stands, the middle between its feet nearer than "
    f"{ARRIVED} m and {np.rad2deg(ALIGNED):.0f} degrees to its goal in the true world. A planned hand contact is "
    "made if the hand pushes with 10 N or more for half of the planned time. Drift: between where it stands and "
    "where it believes to. Worst of all seeds; residual of contact as a part of the weight."
)
_HEAD = (
    "| walk | reached | hand contacts made, of planned | off the goal, mm | degrees | drift, mm | hand, N "
    "| joint against its set point, degrees | residual | what happened |"
)


def planned_motion(code: WalkingCode, request: WalkRequest) -> Motion:
    """The motion that a walk begins with."""
    return WalkSession(completed(request), code=code).pilot.motion


def scene_walks(code: WalkingCode, seeds: int, mode: WalkMode) -> Iterator[str]:
    """Lines of the table."""
    yield from (_REACHED, "", _HEAD, "|" + _HEAD.count(" | ") * "---|" + "---|")
    for scene in SCENES:
        yield _row(
            code, scene, [WalkRequest(scene=scene, noise=True, seed=k, mode=mode) for k in range(seeds)]
        )
    for plan in PLANS:
        scene = "platform" if plan == "platform" else "flat"
        asked = [WalkRequest(scene=scene, route=plan, noise=True, seed=k, mode=mode) for k in range(seeds)]
        yield _row(code, f"plan {plan}", asked)


def _row(code: WalkingCode, label: str, asked: list[WalkRequest]) -> str:
    found: list[WalkSummary] = []
    causes = set()
    for request in asked:
        try:
            found.append(walk(request, code=code).summary)
        except FootfallError as error:
            causes.add(f"seed {request.seed}: {type(error).__name__}: {str(error)[:80]}")
            continue
        if not found[-1].reached:
            causes.add(f"seed {request.seed}: {found[-1].cause or found[-1].problem or 'beside the goal'}")
    if not found:
        return f"| {label} | 0 of {len(asked)} |" + 7 * " |" + f" {'; '.join(sorted(causes))} |"
    made, planned = (
        sum(getattr(each, f"{word}_hand_contacts") for each in found) for word in ("made", "planned")
    )
    cells = [
        f"{sum(each.reached for each in found)} of {len(asked)}",
        f"{made} of {planned}" if planned else "",
        f"{1e3 * max(each.goal_error for each in found):.0f}",
        f"{np.rad2deg(max(abs(each.goal_turn) for each in found)):.1f}",
        f"{1e3 * max(each.drift for each in found):.0f}",
        f"{max(each.peak_hand_force for each in found):.0f}" if planned else "",
        f"{np.rad2deg(max(each.tracking for each in found)):.1f}",
        f"{max(each.residual for each in found):.0e}",
        "; ".join(sorted(causes)),
    ]
    return f"| {label} | {' | '.join(cells)} |"
