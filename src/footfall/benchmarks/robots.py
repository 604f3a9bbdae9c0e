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
    what: str


EXAMPLES = {
    "xarm7": Example("xarm_description/urdf/xarm7.urdf", False, "arm"),
    "anymal": Example("anymal_b_simple_description/robots/anymal.urdf", True, "quadruped ANYmal B"),
    "g1": Example("g1_description/urdf/g1_29dof_rev_1_0.urdf", True, "humanoid Unitree G1"),
    "talos": Example("talos_data/robots/talos_reduced.urdf", True, "humanoid TALOS"),
}
MEASURED = (*EXAMPLES, "lola")


@cache
def examples_folder() -> Path | None:
    """Where example-robot-data keeps its robots, if installed: in the prefix that it shares with Pinocchio."""
    spec = util.find_spec("pinocchio")
    for parent in Path(spec.origin).parents if spec is not None and spec.origin is not None else ():
        folder = parent / "share" / "example-robot-data" / "robots"
        if folder.is_dir():
            return folder
    return None


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
        return load(example_file(name), floating_base=EXAMPLES[name].floating_base)
    return load(name)


def measurable() -> tuple[str, ...]:
    """Names of the robots that are measured when none are asked for: those at hand."""
    return MEASURED if examples_folder() is not None else ("quadruped", "lola")
