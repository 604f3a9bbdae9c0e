"""The robots that we measure with: real ones of the example-robot-data package, and those we ship."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import util
from pathlib import Path

from footfall.errors import MissingFile
from footfall.robot.load import load
from footfall.robot.model import Robot


@dataclass(frozen=True)
class Example:
    """A robot of example-robot-data. path: below its folder of robots."""

    path: str
    floating_base: bool


EXAMPLES = {
    "panda": Example("panda_description/urdf/panda.urdf", False),  # arm with a prismatic gripper
    "ur5": Example("ur_description/urdf/ur5_robot.urdf", False),
    "kinova": Example("kinova_description/robots/kinova.urdf", False),  # continuous joints
    "xarm7": Example("xarm_description/urdf/xarm7.urdf", False),
    "allegro": Example("allegro_hand_description/urdf/allegro_right_hand.urdf", False),  # four branches
    "baxter": Example("baxter_description/urdf/baxter.urdf", False),  # two arms, prismatic grippers
    "anymal": Example("anymal_b_simple_description/robots/anymal.urdf", True),  # ANYmal B
    "go2": Example("go2_description/urdf/go2.urdf", True),
    "hyq": Example("hyq_description/robots/hyq_no_sensors.urdf", True),
    "solo12": Example("solo_description/robots/solo12.urdf", True),
    "b1-z1": Example("b1_description/urdf/b1-z1.urdf", True),  # quadruped with an arm
    "bolt": Example("bolt_description/robots/bolt.urdf", True),
    "g1": Example("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
    "icub": Example("icub_description/robots/icub.urdf", True),
    "talos": Example("talos_data/robots/talos_reduced.urdf", True),
    "romeo": Example("romeo_description/urdf/romeo_small.urdf", True),
    "tiago": Example("tiago_description/robots/tiago_no_hand.urdf", True),  # wheels, prismatic torso
    "centauro": Example("centauro_description/urdf/centauro.urdf", True),
}
MEASURED = ("xarm7", "anymal", "g1", "talos", "lola")


def pinocchio_prefix(folder: str) -> Path | None:
    """The prefix that Pinocchio is installed in, if that has this folder below it."""
    spec = util.find_spec("pinocchio")
    parents = Path(spec.origin).parents if spec is not None and spec.origin is not None else ()
    return next((parent for parent in parents if (parent / folder).is_dir()), None)


@cache
def examples_folder() -> Path | None:
    """Where example-robot-data keeps its robots, if installed: in the prefix that it shares with Pinocchio."""
    folder = "share/example-robot-data/robots"
    prefix = pinocchio_prefix(folder)
    return None if prefix is None else prefix / folder


def example_file(name: str) -> Path:
    """Path of an example's URDF."""
    folder = examples_folder()
    if folder is None:
        message = f"robot {name!r} is in the package example-robot-data: pip install 'footfall[bench]'"
        raise MissingFile(message)
    return folder / EXAMPLES[name].path


def load_measured(name: str) -> Robot:
    """The robot of a name in `EXAMPLES`, or of anything that `footfall.load` takes."""
    if name in EXAMPLES:
        return load(example_file(name), floating_base=EXAMPLES[name].floating_base, srdf=False)
    return load(name)


def measurable() -> tuple[str, ...]:
    """Names of the robots that are measured when none are asked for: those at hand."""
    return MEASURED if examples_folder() is not None else ("quadruped", "lola")
