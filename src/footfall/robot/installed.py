"""Robots of other packages, by name, where they are installed: example-robot-data and robot_descriptions.

Nothing is fetched: robot_descriptions clones git repositories when its modules are imported, so they are imported only
where their repository lies in its cache already.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cache
from importlib import util
from pathlib import Path

from footfall.errors import MissingFile

_EXAMPLES_FOLDER = "share/example-robot-data/robots"


@dataclass(frozen=True)
class Example:
    """A robot of example-robot-data. path: below its folder of robots. floating_base: whether its root is free."""

    path: str
    floating_base: bool


EXAMPLES = {
    "a1": Example("a1_description/urdf/a1.urdf", True),
    "alex": Example("alex_description/urdf/alex_nub_hands.urdf", True),
    "alexander": Example("alexander_description/urdf/alexander_v1.lowerBodyOnly.urdf", True),
    "allegro": Example("allegro_hand_description/urdf/allegro_right_hand.urdf", False),  # four branches
    "anymal": Example("anymal_b_simple_description/robots/anymal.urdf", True),  # ANYmal B
    "anymal_c": Example("anymal_c_simple_description/urdf/anymal.urdf", True),
    "anymal_kinova": Example("anymal_b_simple_description/robots/anymal-kinova.urdf", True),
    "b1": Example("b1_description/urdf/b1.urdf", True),
    "b1-z1": Example("b1_description/urdf/b1-z1.urdf", True),  # quadruped with an arm
    "baxter": Example("baxter_description/urdf/baxter.urdf", False),  # two arms, prismatic grippers
    "bolt": Example("bolt_description/robots/bolt.urdf", True),
    "borinot": Example("borinot_description/urdf/borinot_flying_arm_2.urdf", True),
    "centauro": Example("centauro_description/urdf/centauro.urdf", True),
    "finger_edu": Example("finger_edu_description/robots/finger_edu.urdf", False),
    "g1": Example("g1_description/urdf/g1_29dof_rev_1_0.urdf", True),
    "g1_with_hands": Example("g1_description/urdf/g1_29dof_with_hand_rev_1_0.urdf", True),
    "go1": Example("go1_description/urdf/go1.urdf", True),
    "go2": Example("go2_description/urdf/go2.urdf", True),
    "hector": Example("hector_description/robots/quadrotor_base.urdf", True),
    "hextilt": Example("hextilt_description/urdf/hextilt_flying_arm_5.urdf", True),
    "human": Example("human_description/robots/human.urdf", True),
    "hyq": Example("hyq_description/robots/hyq_no_sensors.urdf", True),
    "icub": Example("icub_description/robots/icub.urdf", True),
    "icub_reduced": Example("icub_description/robots/icub_reduced.urdf", True),
    "iris": Example("iris_description/robots/iris.urdf", True),
    "kinova": Example("kinova_description/robots/kinova.urdf", False),  # continuous joints
    "laikago": Example("laikago_description/urdf/laikago.urdf", True),
    "panda": Example("panda_description/urdf/panda.urdf", False),  # arm with a prismatic gripper
    "pr2": Example("pr2_description/urdf/pr2.urdf", True),
    "romeo": Example("romeo_description/urdf/romeo_small.urdf", True),
    "simple_humanoid": Example("simple_humanoid_description/urdf/simple_humanoid.urdf", True),
    "so100": Example("so_arm_description/urdf/so100.urdf", False),
    "so101": Example("so_arm_description/urdf/so101.urdf", False),
    "solo8": Example("solo_description/robots/solo.urdf", True),
    "solo12": Example("solo_description/robots/solo12.urdf", True),
    "talos": Example("talos_data/robots/talos_reduced.urdf", True),
    "talos_full": Example("talos_data/robots/talos_full_v2.urdf", True),
    "tiago": Example("tiago_description/robots/tiago_no_hand.urdf", True),  # wheels, prismatic torso
    "tiago_dual": Example("tiago_description/robots/tiago_dual.urdf", True),
    "tiago_pro": Example("tiago_pro_description/robots/tiago_pro.urdf", True),
    "ur3": Example("ur_description/urdf/ur3_robot.urdf", False),
    "ur5": Example("ur_description/urdf/ur5_robot.urdf", False),
    "ur10": Example("ur_description/urdf/ur10_robot.urdf", False),
    "xarm7": Example("xarm_description/urdf/xarm7.urdf", False),
    "z1": Example("z1_description/urdf/z1.urdf", False),
}


@dataclass(frozen=True)
class Installed:
    """A description of another package. floating_base: None leaves it as described."""

    path: Path
    floating_base: bool | None
    package_dirs: tuple[Path, ...] = ()


def find_installed(name: str) -> Installed | None:
    """The description of that name, None if no package knows it.

    A package that knows it but is not installed, or has not fetched it, is a `MissingFile` that says what to do.
    """
    if name in EXAMPLES:
        return Installed(example_file(name), EXAMPLES[name].floating_base, _example_packages())
    folder = examples_folder()
    if folder is not None and re.fullmatch(r"[\w.-]+", name):
        found = sorted(folder.rglob(f"{name}.urdf"))
        if len(found) == 1:
            return Installed(found[0], None, _example_packages())
    return _described(name)


def installed_names() -> list[str]:
    """Names of the robots of example-robot-data, if it is installed."""
    return list(EXAMPLES) if examples_folder() is not None else []


def pinocchio_prefix(folder: str) -> Path | None:
    """The prefix that Pinocchio is installed in, if that has this folder below it."""
    spec = util.find_spec("pinocchio")
    parents = Path(spec.origin).parents if spec is not None and spec.origin is not None else ()
    return next((parent for parent in parents if (parent / folder).is_dir()), None)


@cache
def examples_folder() -> Path | None:
    """Where example-robot-data keeps its robots, if installed: in the prefix that it shares with Pinocchio, in a ROS
    workspace or where the system has it."""
    prefix = pinocchio_prefix(_EXAMPLES_FOLDER)
    if prefix is not None:
        return prefix / _EXAMPLES_FOLDER
    spec = util.find_spec("cmeel")
    places = [Path(spec.origin).parents[1] / "cmeel.prefix"] if spec is not None and spec.origin else []
    places += [Path(each) for each in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if each]
    places += [Path("/opt/openrobots"), Path("/usr/local"), Path("/usr")]
    found = (place / _EXAMPLES_FOLDER for place in places)
    return next((folder for folder in found if folder.is_dir()), None)


def example_file(name: str) -> Path:
    """Path of an example's URDF."""
    folder = examples_folder()
    if folder is None:
        message = f"robot {name!r} is in the package example-robot-data: pip install 'footfall[robots]'"
        raise MissingFile(message)
    path = folder / EXAMPLES[name].path
    if not path.is_file():
        raise MissingFile(
            f"robot {name!r} is not in this version of example-robot-data, which lacks {str(path)!r}"
        )
    return path


def _example_packages() -> tuple[Path, ...]:
    folder = examples_folder()
    return () if folder is None else (folder, folder.parent, folder.parent.parent)


def _described(name: str) -> Installed | None:
    """Of robot_descriptions: `g1_description`, or `g1` for it; `g1_mj` for its MJCF."""
    package = util.find_spec("robot_descriptions")
    if not re.fullmatch(r"[a-z0-9_]+", name):
        return None
    if package is None or not package.submodule_search_locations:
        if name.endswith(("_description", "_mj")):
            raise MissingFile(
                f"robot {name!r} looks like one of the package robot_descriptions, which is not installed: "
                "pip install robot_descriptions"
            )
        return None
    for module in (name, f"{name}_description"):
        source = Path(package.submodule_search_locations[0]) / f"{module}.py"
        if module.endswith("_description") and source.is_file():
            return _described_by(module, source)
    return None


def _described_by(module: str, source: Path) -> Installed:
    repository = re.search(r"clone_to_cache\(\s*[\"']([\w.-]+)[\"']", source.read_text())
    place = _repository_cache(repository[1]) if repository else None
    if place is None or not place.is_dir():
        raise MissingFile(
            f"robot {module!r} of robot_descriptions is not fetched yet; with git and a network, once: "
            f'python -c "import robot_descriptions.{module}"'
        )
    from importlib import import_module

    try:
        described = import_module(f"robot_descriptions.{module}")
    except Exception as problem:  # of git: a cache that is half there, a commit that it lacks
        reason = " ".join(str(problem).split())[:300]
        raise MissingFile(f"robot {module!r} of robot_descriptions cannot be used: {reason}") from None
    for attribute in ("URDF_PATH", "MJCF_PATH", "XACRO_PATH", "SDF_PATH"):
        path = getattr(described, attribute, None)
        if isinstance(path, str):
            root = Path(getattr(described, "PACKAGE_PATH", place))
            return Installed(Path(path), None, (root, root.parent, place, place.parent))
    raise MissingFile(f"robot {module!r} of robot_descriptions has no URDF, MJCF or xacro")


def _repository_cache(repository: str) -> Path | None:
    """Where robot_descriptions keeps a repository."""
    try:
        from robot_descriptions._repositories import REPOSITORIES
    except ImportError:
        return None
    if repository not in REPOSITORIES:
        return None
    root = os.environ.get("ROBOT_DESCRIPTIONS_CACHE", "~/.cache/robot_descriptions")
    return Path(root).expanduser() / str(REPOSITORIES[repository].cache_path)
