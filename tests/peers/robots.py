"""Real robots of the example-robot-data package, through our own reader."""

from __future__ import annotations

import warnings
from functools import cache
from pathlib import Path
from typing import NamedTuple

from footfall.bench.robots import EXAMPLES, example_file, load_measured
from footfall.errors import RobotWarning
from footfall.robot.model import Robot


class RealRobot(NamedTuple):
    """One of `EXAMPLES`. nv: how many velocities it should have."""

    name: str
    nv: int

    @property
    def floating_base(self) -> bool:
        return EXAMPLES[self.name].floating_base

    def file(self) -> Path:
        return example_file(self.name)

    def __str__(self) -> str:
        return self.name


REAL_ROBOTS: tuple[RealRobot, ...] = (
    RealRobot("panda", 9),
    RealRobot("ur5", 6),
    RealRobot("kinova", 6),
    RealRobot("xarm7", 7),
    RealRobot("allegro", 16),
    RealRobot("baxter", 19),
    RealRobot("anymal", 18),
    RealRobot("go2", 18),
    RealRobot("hyq", 18),
    RealRobot("solo12", 18),
    RealRobot("b1-z1", 25),
    RealRobot("bolt", 12),
    RealRobot("g1", 35),
    RealRobot("icub", 38),
    RealRobot("talos", 38),
    RealRobot("romeo", 37),
    RealRobot("tiago", 18),
    RealRobot("centauro", 45),
)

# Those that MuJoCo takes: it refuses inertias that no mass has, and these two robots have some.
MUJOCO_ROBOTS = tuple(robot for robot in REAL_ROBOTS if robot.name not in ("icub", "romeo"))


@cache
def load_real(real: RealRobot) -> Robot:
    """The robot; some of the files hold inertias that our reader warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        return load_measured(real.name)
