"""Tables of `footfall walk`: what can be walked, what can be set, and what happened."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from footfall.cli.screen import screen, table

if TYPE_CHECKING:
    from footfall.walking.summary import WalkSummary


def print_listing() -> None:
    """Walks with a name, and scenes."""
    from footfall.scene import library
    from footfall.walking.runs import RUNS

    rows = [[name, each.about] for name, each in RUNS.items()]
    screen().print(table("Walks: footfall walk --run NAME", ["name", "what"], rows))
    scenes = [[name, library.about(name)] for name in library.names()]
    screen().print(table("Scenes: footfall walk NAME", ["name", "what"], scenes))


def print_parameters(robot: str) -> None:
    """All that a script can set, with the values for a robot."""
    from footfall.walking.session import WalkSession

    rows = [[name, str(value)] for name, value in WalkSession(robot=robot).parameters.items()]
    screen().print(table('Parameters: [[signal]] do = "set"', ["name", "value"], rows))


def print_summary(found: WalkSummary, name: str) -> None:
    """What a walk came to."""
    rows = [
        ["goal", "reached" if found.reached else found.problem or "not reached"],
        ["off the goal", f"{1e3 * found.goal_error:.0f} mm, {found.goal_turn * 57.2958:.1f} degrees"],
        ["fall", found.cause or "none"],
        ["simulated", f"{found.time:.2f} s, {found.real_time_factor:.1f} times real time"],
        ["steps", f"{found.steps}"],
        ["hand contacts, planned, made", f"{found.planned_hand_contacts}, {found.made_hand_contacts}"],
        ["distance, speed", f"{found.distance:.2f} m, {found.speed:.2f} m/s"],
        ["control period, median", f"{found.control_us:.1f} us"],
        [
            "planning; plans, longest on the way",
            f"{found.planning_ms:.1f} ms; {found.plans}, {found.replanning_ms:.1f} ms, {found.late_plans} late",
        ],
        ["native code made or loaded", f"{1e-3 * found.compiling_ms:.1f} s"],
        ["greatest tilt against the plan", f"{found.tilt * 57.2958:.2f} degrees"],
        ["centre of mass against the plan, RMS", f"{1e3 * found.center_error_rms:.1f} mm"],
        ["zero-moment point against the plan, RMS", f"{1e3 * found.zmp_error_rms:.1f} mm"],
        ["greatest force on a foot, a hand", f"{found.peak_foot_force:.0f} N, {found.peak_hand_force:.0f} N"],
        [
            "drift of the estimate",
            f"{1e3 * found.drift:.0f} mm, {found.drift_turn * 57.2958:.1f} degrees",
        ],
        ["residual of contact, of the weight", f"{found.residual:.1e}"],
        *_hardware_rows(found),
        ["touched besides by feet and planned hands", "; ".join(found.touched) or "nothing"],
        *([["limits of joints", "; ".join(found.limits_passed)]] if found.limits_passed else []),
        ["energy, cost of transport", f"{found.energy:.0f} J, {_number(found.cost_of_transport)}"],
    ]
    screen().print(table(f"Walk: {name}", ["", "value"], rows))


def _hardware_rows(found: WalkSummary) -> list[list[str]]:
    if found.mode != "full":
        return []
    return [
        ["greatest error of a joint against its set point", f"{found.tracking * 57.2958:.2f} degrees"],
        ["greatest current, of what its motor can have", f"{found.strain:.0%}"],
        ["lost frames of the bus", f"{found.lost_frames}"],
    ]


def _number(value: float) -> str:
    """Of a robot that walked; one that stood has no cost of transport."""
    return "none" if math.isnan(value) else f"{value:.2f}"
