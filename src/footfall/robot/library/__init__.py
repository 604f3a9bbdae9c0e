"""The robots we ship: `footfall.load` finds them by name.

Most are files of footfall's own format beside this module. Those with a parameter, and variants of others,
are made by the functions here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from importlib.resources import files
from pathlib import Path

from footfall.errors import UnknownName
from footfall.robot.library.adjusted import lola, lola_2012, quadruped
from footfall.robot.library.families import chain, dill
from footfall.robot.library.lwr import kuka_lwr
from footfall.robot.model import Robot

__all__ = ["chain", "describe", "dill", "find", "kuka_lwr", "lola", "lola_2012", "names", "quadruped"]

# In the order in which they are listed; of the families one member stands for all.
_DESCRIPTIONS = {
    "lola": "humanoid LOLA v1.1: 2 x 7 leg, 2 x 4 arm, 2 pelvis and 2 head joints",
    "lola-2012": "LOLA with 24 joints: the arms do not rotate",
    "cassie": "biped Cassie with its rods and leaf springs: four loops, 20 velocities",
    "quadruped": "heavy quadruped with four joints a leg",
    "quadruped-tall-feet": "the same with the foot height of its source, 0.5 m",
    "point-foot-quadruped": "generic quadruped with three joints a leg and point feet",
    "kuka-lwr": "KUKA LWR 4 with the published, impossible inertias of KDL's regression test",
    "arm-7r": "7R arm, redundant: spherical shoulder, elbow, spherical wrist",
    "arm-6r": "6R arm with a spherical wrist",
    "harvest-arm": "9-axis harvesting arm on a vertical slide, with volumes",
    "scara": "SCARA arm: two turns, a lift and the turn of the tool",
    "planar-arm": "three links of 1 m that turn about y",
    "wrist": "three turns about z, y and x through one point",
    "differential-base": "mobile base with two driven wheels",
    "mecanum-base": "mobile base with four Mecanum wheels",
    "youbot": "KUKA youBot: four Mecanum wheels and an arm of five joints",
    "cart-pendulum": "pendulum on a cart that slides along x",
    "double-pendulum": "two rods of 1 m that swing in a plane",
    "falling-rod": "free rod of 1 m",
    "camera-vergence": "two cameras that one lever turns towards each other through couplers: a loop",
    "chain-20": "hanging chain of 20 links; chain-N has N",
    "dill-5": "fractal tree Dill(5) of 2^5 links; dill-N has 2^N",
}
# What is found by name, but not listed.
_VARIANTS = {
    "lola-2012-type-1": "lola-2012 as one rigid body",
    "lola-2012-type-2": "lola-2012 with 24 rotors that turn with the joints: 28 loops, 30 velocities",
    "lola-2012-type-3": "lola-2012 with 16 rotors behind elastic gears: 12 loops, 46 velocities",
}
_BUILDERS: dict[str, Callable[[], Robot]] = {
    "lola-2012": lola_2012,
    **{f"lola-2012-type-{number}": partial(lola_2012, number) for number in (1, 2, 3)},
    "quadruped-tall-feet": partial(quadruped, foot_height=0.5),
    "kuka-lwr": kuka_lwr,
}
_FAMILIES: dict[str, Callable[[int], Robot]] = {"chain": chain, "dill": dill}


def names() -> list[str]:
    """Names of the shipped robots; `chain-20` and `dill-5` stand for any number, `lola-2012` for its model types."""
    return list(_DESCRIPTIONS)


def find(name: str) -> Path | Callable[[], Robot] | None:
    """The path of a shipped robot's file, or a function that makes it; None if there is no such robot."""
    if name in _BUILDERS:
        return _BUILDERS[name]
    family = _family(name)
    if family is not None:
        kind, number = family
        return partial(_FAMILIES[kind], number)
    if name in _DESCRIPTIONS:
        return Path(str(files(__name__).joinpath(f"{name}.toml")))
    return None


def describe(name: str) -> str:
    """What a shipped robot is, in a line."""
    if name in _DESCRIPTIONS or name in _VARIANTS:
        return _DESCRIPTIONS.get(name) or _VARIANTS[name]
    match _family(name):
        case ("chain", links):
            return f"hanging chain of {links} links"
        case ("dill", levels):
            return f"fractal tree Dill({levels}) of 2^{levels} links"
    raise UnknownName("shipped robot", name, names())


def _family(name: str) -> tuple[str, int] | None:
    match = re.fullmatch(r"(chain|dill)-(0|[1-9]\d{0,5})", name)
    return (match[1], int(match[2])) if match else None
