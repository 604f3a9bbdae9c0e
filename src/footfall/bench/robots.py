"""The robots that we measure with: real ones of the example-robot-data package, and those we ship."""

from __future__ import annotations

from footfall.robot.installed import EXAMPLES, example_file, examples_folder, pinocchio_prefix
from footfall.robot.load import load
from footfall.robot.model import Robot

__all__ = [
    "EXAMPLES",
    "MEASURED",
    "example_file",
    "examples_folder",
    "load_measured",
    "measurable",
    "pinocchio_prefix",
]

MEASURED = ("xarm7", "anymal", "g1", "talos", "lola")


def load_measured(name: str) -> Robot:
    """The robot of a name in `EXAMPLES`, or of anything that `footfall.load` takes."""
    if name in EXAMPLES:
        return load(example_file(name), floating_base=EXAMPLES[name].floating_base, srdf=False)
    return load(name)


def measurable() -> tuple[str, ...]:
    """Names of the robots that are measured when none are asked for: those at hand."""
    return MEASURED if examples_folder() is not None else ("quadruped", "lola")
