"""Real robots of the example-robot-data package: what they are and how to load them here and in Pinocchio."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cache
from importlib import util
from pathlib import Path

from footfall.errors import RobotWarning
from footfall.robot.load import load
from footfall.robot.model import Robot


@dataclass(frozen=True)
class RealRobot:
    """path: below the package's folder of robots. nv: velocities with the base as `floating_base` says."""

    name: str
    path: str
    floating_base: bool
    nv: int

    def file(self) -> Path:
        return robots_folder() / self.path

    def __str__(self) -> str:
        return self.name


REAL_ROBOTS: tuple[RealRobot, ...] = (
    RealRobot("panda", "panda_description/urdf/panda.urdf", False, 9),  # arm with a prismatic gripper
    RealRobot("ur5", "ur_description/urdf/ur5_robot.urdf", False, 6),
    RealRobot("kinova", "kinova_description/robots/kinova.urdf", False, 6),  # continuous joints
    RealRobot("xarm7", "xarm_description/urdf/xarm7.urdf", False, 7),
    RealRobot("allegro", "allegro_hand_description/urdf/allegro_right_hand.urdf", False, 16),  # four branches
    RealRobot("baxter", "baxter_description/urdf/baxter.urdf", False, 19),  # two arms, prismatic grippers
    RealRobot("anymal", "anymal_b_simple_description/robots/anymal.urdf", True, 18),
    RealRobot("go2", "go2_description/urdf/go2.urdf", True, 18),
    RealRobot("hyq", "hyq_description/robots/hyq_no_sensors.urdf", True, 18),
    RealRobot("solo12", "solo_description/robots/solo12.urdf", True, 18),
    RealRobot("b1-z1", "b1_description/urdf/b1-z1.urdf", True, 25),  # quadruped with an arm
    RealRobot("bolt", "bolt_description/robots/bolt.urdf", True, 12),
    RealRobot("g1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", True, 35),
    RealRobot("icub", "icub_description/robots/icub.urdf", True, 38),
    RealRobot("talos", "talos_data/robots/talos_reduced.urdf", True, 38),
    RealRobot("romeo", "romeo_description/urdf/romeo_small.urdf", True, 37),
    RealRobot("tiago", "tiago_description/robots/tiago_no_hand.urdf", True, 18),  # wheels, prismatic torso
    RealRobot("centauro", "centauro_description/urdf/centauro.urdf", True, 45),
)

# Those that MuJoCo takes: it refuses inertias that no mass has, and these two robots have some.
MUJOCO_ROBOTS = tuple(robot for robot in REAL_ROBOTS if robot.name not in ("icub", "romeo"))


def robots_folder() -> Path:
    """The package's folder of robots; it lies in the prefix that it shares with Pinocchio."""
    spec = util.find_spec("pinocchio")
    if spec is None or spec.origin is None:
        raise FileNotFoundError("example-robot-data needs Pinocchio: pip install 'footfall[test]'")
    for parent in Path(spec.origin).parents:
        folder = parent / "share" / "example-robot-data" / "robots"
        if folder.is_dir():
            return folder
    raise FileNotFoundError("no robots of example-robot-data: pip install 'footfall[test]'")


def real_robot(name: str) -> RealRobot:
    return next(robot for robot in REAL_ROBOTS if robot.name == name)


@cache
def load_real(real: RealRobot) -> Robot:
    """The robot through our own reader; some of the files hold inertias that it warns of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RobotWarning)
        return load(real.file(), floating_base=real.floating_base)
