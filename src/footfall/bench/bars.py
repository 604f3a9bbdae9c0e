"""The bars that the dynamics are held to, as ratios to Pinocchio; met if the lower quartile meets them."""

from __future__ import annotations

from footfall.bench.cases import Case

SMALLEST = 18  # velocities of a robot for which the bars hold
BRIEF_PEER = 0.7e-6  # seconds; a peer that needs less is mostly the cost of a call

# (contestant, peer) -> bars by name of the case, and the bar of all others.
_BARS: dict[tuple[str, str], tuple[dict[str, float], float | None]] = {
    ("bound", "python"): (
        {
            "forward dynamics": 4.0,
            "derivatives of forward dynamics": 4.0,
            "inverse dynamics": 3.0,
            "mass matrix": 3.0,
        },
        1.0,
    ),
    ("bound", "cpp"): ({"forward dynamics": 1.0}, None),
    ("batch", "python"): ({"forward dynamics": 15.0}, 10.0),
    ("batch", "cpp"): ({"forward dynamics": 4.0}, 3.0),
}

FIRST_COMPILE = 3.0  # seconds, one algorithm for a humanoid
CACHED_LOAD = 0.05
IMPORT = 0.4


def bar(
    case: Case, contestant: str, peer: str, *, velocities: int, peer_seconds: float, lanes: int
) -> float | None:
    """The least ratio, None if there is no bar. Bars of batches are for eight lanes, with four half of it."""
    named, others = _BARS.get((contestant, peer), ({}, None))
    least = named.get(case.name, others)
    if least is None or velocities < SMALLEST:
        return None
    if contestant == "bound" and case.name not in named and peer_seconds < BRIEF_PEER:
        return None
    return least * min(lanes, 8) / 8 if contestant == "batch" else least
