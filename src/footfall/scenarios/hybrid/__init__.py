"""Use cases of hybrid dynamics in simulation with contact, Devaramani 2019, chapter 1."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from footfall.errors import UnknownName
from footfall.scenarios.hybrid.arm import run_arm
from footfall.scenarios.hybrid.course import Criterion, HybridRun, write_course
from footfall.scenarios.hybrid.docking import run_docking
from footfall.scenarios.hybrid.humanoid import run_humanoid
from footfall.scenarios.hybrid.logistics import run_logistics
from footfall.scenarios.hybrid.manipulator import run_manipulator
from footfall.scenarios.hybrid.obstacle import run_obstacle
from footfall.scenarios.hybrid.opening import run_mechanism
from footfall.scenarios.hybrid.wall import run_wall

__all__ = ["USE_CASES", "Criterion", "HybridRun", "UseCase", "find_use_case", "run_use_case", "write_course"]


class UseCase(NamedTuple):
    """What can be run: in a line, and the function that runs it. baseline: it is there to miss the criteria."""

    description: str
    run: Callable[..., HybridRun]
    baseline: bool = False


USE_CASES: dict[str, UseCase] = {
    "obstacle": UseCase("around a corner into a wall, with at most 50 N", partial(run_obstacle, "fixed")),
    "obstacle-movable": UseCase("around a corner into a crate of 10 kg", partial(run_obstacle, "movable")),
    "obstacle-speed": UseCase(
        "the same base driven by wheel speeds", partial(run_obstacle, "fixed", control="speed"), baseline=True
    ),
    "docking": UseCase(
        "differential base to the hook of a parked robot", partial(run_docking, "differential")
    ),
    "docking-mecanum": UseCase("Mecanum base, the same", partial(run_docking, "mecanum")),
    "docking-moving": UseCase(
        "differential base to a robot that drives on", partial(run_docking, "differential", drive_on=0.1)
    ),
    "wall": UseCase("align with a wall by touch alone", partial(run_wall, 30.0)),
    "logistics": UseCase(
        "differential base carries a load along a corridor", partial(run_logistics, "differential")
    ),
    "logistics-mecanum": UseCase("Mecanum base, the same tasks", partial(run_logistics, "mecanum")),
    "arm": UseCase("KUKA arm holds, draws a line on a table, yields", run_arm),
    "manipulator": UseCase("gripper stays in place while the base drives", run_manipulator),
    "drawer": UseCase(
        "an arm opens a drawer, anywhere and in any direction", partial(run_mechanism, "drawer")
    ),
    "door": UseCase("an arm opens a door on its hinge", partial(run_mechanism, "door")),
    "valve": UseCase("an arm turns a valve", partial(run_mechanism, "valve")),
    "humanoid": UseCase("LOLA presses a wall with one hand, keeps the other in place", run_humanoid),
}


def find_use_case(name: str) -> UseCase:
    """The use case of that name."""
    if name not in USE_CASES:
        raise UnknownName("use case", name, USE_CASES)
    return USE_CASES[name]


def run_use_case(name: str, **options: Any) -> HybridRun:
    """Run one of `USE_CASES`; options: of its function, such as seconds."""
    return find_use_case(name).run(**options)
