"""Robots with kinematic loops: textbook mechanisms and random ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from footfall.arrays import Array
from footfall.dynamics.kinematics import frame_pose
from footfall.errors import LoopError
from footfall.math.transform import Transform
from footfall.robot.model import Body, Frame, Joint, JointType, Loop, LoopType, Robot
from tests.random_robots import random_robot, random_rotation, random_state

CRANK, COUPLER, ROCKER, BASE = 0.3, 0.8, 0.6, 0.9  # m: a crank-rocker
_TURNS = (JointType.REVOLUTE, JointType.CONTINUOUS, JointType.PRISMATIC)


def at(x: float, y: float = 0.0, z: float = 0.0) -> Transform:
    return Transform(np.eye(3), np.array([x, y, z]))


def rod(name: str, length: float, mass: float = 1.0) -> Body:
    """A thin rod along x."""
    inertia = mass * length**2 / 12
    return Body(name, mass, np.array([length / 2, 0.0, 0.0]), np.diag([1e-3, inertia, inertia]))


def four_bar(
    kind: str = "point",
    *,
    lengths: tuple[float, float, float, float] = (CRANK, COUPLER, ROCKER, BASE),
    start: tuple[float, float, float] = (1.0, -0.5, 1.8),
    dependent: tuple[str, ...] = (),
) -> Robot:
    """Four-bar linkage in the xy plane, gravity along -y; the cut is between coupler and rocker."""
    crank, coupler, rocker, base = lengths
    return Robot(
        "four-bar",
        (rod("crank", crank), rod("coupler", coupler), rod("rocker", rocker)),
        (
            Joint("crank", JointType.CONTINUOUS, "world", "crank"),
            Joint("coupler", JointType.CONTINUOUS, "crank", "coupler", at(crank)),
            Joint("rocker", JointType.CONTINUOUS, "world", "rocker", at(base)),
        ),
        (Frame("coupler_tip", "coupler", at(coupler)), Frame("rocker_tip", "rocker", at(rocker))),
        {"assembly": np.array(start)},
        gravity=(0.0, -9.81, 0.0),
        loops=(Loop("closure", LoopType(kind), "coupler_tip", "rocker_tip", dependent=dependent),),
    )


def slider_crank(crank: float = 0.2, rod_length: float = 0.7) -> Robot:
    """Crank about z, connecting rod, and a slider along x; its pin meets the rod's end."""
    return Robot(
        "slider-crank",
        (rod("crank", crank), rod("rod", rod_length), Body("slider", 0.8, inertia=1e-3 * np.eye(3))),
        (
            Joint("crank", JointType.CONTINUOUS, "world", "crank"),
            Joint("rod", JointType.CONTINUOUS, "crank", "rod", at(crank)),
            Joint("slider", JointType.PRISMATIC, "world", "slider", axis=(1.0, 0.0, 0.0)),
        ),
        (Frame("rod_tip", "rod", at(rod_length)),),
        {"assembly": np.array([0.5, -0.6, 0.8])},
        gravity=(0.0, -9.81, 0.0),
        loops=(Loop("pin", LoopType.POINT, "rod_tip", "slider"),),
    )


def six_bar() -> Robot:
    """Watt's linkage: a four-bar, whose coupler carries a second one that ends on the rocker."""
    four = four_bar()
    return replace(
        four,
        name="six-bar",
        bodies=(*four.bodies, rod("link", 0.5), rod("arm", 0.45)),
        joints=(
            *four.joints,
            Joint("link", JointType.CONTINUOUS, "coupler", "link", at(0.5, 0.3)),
            Joint("arm", JointType.CONTINUOUS, "rocker", "arm", at(0.3, -0.2)),
        ),
        frames=(*four.frames, Frame("link_tip", "link", at(0.5)), Frame("arm_tip", "arm", at(0.45))),
        configurations={"assembly": np.array([1.0, -0.5, 0.2, 1.8, 0.4])},
        loops=(*four.loops, Loop("second", LoopType.POINT, "link_tip", "arm_tip")),
    )


def spatial_linkage(kind: str) -> Robot:
    """Bennett's linkage (opposite sides equal, lengths as the sines of their twists), or hinges through one point."""
    twists, lengths = (0.5, 0.9, 0.8, 1.0), (0.0, 0.0, 0.0, 0.0)
    if kind == "bennett":
        twists = (0.6, 1.1, 0.6, 1.1)
        first, second = 0.4, 0.4 * float(np.sin(1.1) / np.sin(0.6))
        lengths = (first, second, first, second)
    sides = []
    for twist, length in zip(twists, lengths, strict=True):
        c, s = np.cos(twist), np.sin(twist)
        sides.append(Transform(np.array([[1.0, 0, 0], [0, c, -s], [0, s, c]]), np.array([length, 0.0, 0.0])))
    names = ("a", "b", "c")
    return Robot(
        kind,
        tuple(Body(name, 1.0, np.array([0.1, 0.05, 0.02]), 0.01 * np.eye(3)) for name in names),
        (
            Joint("a", JointType.CONTINUOUS, "world", "a"),
            Joint("b", JointType.CONTINUOUS, "a", "b", sides[0]),
            Joint("c", JointType.CONTINUOUS, "b", "c", sides[1]),
        ),
        (Frame("end", "c", sides[2]), Frame("ground", "world", sides[3].inverse())),
        {"assembly": np.array([1.0, -1.5, 2.0]) if kind == "bennett" else np.array([1.0, 2.0, 1.5])},
        loops=(Loop("last hinge", LoopType.HINGE, "end", "ground"),),
    )


def tower(units: int) -> Robot:
    """Four-bars, each on the coupler of the one before: one velocity and one sub-system each."""
    bodies: list[Body] = []
    joints: list[Joint] = []
    frames: list[Frame] = []
    parent, along = "world", 0.0
    for k in range(units):
        crank, coupler, rocker = f"crank{k}", f"coupler{k}", f"rocker{k}"
        bodies += [rod(crank, CRANK), rod(coupler, COUPLER), rod(rocker, ROCKER)]
        joints += [
            Joint(crank, JointType.CONTINUOUS, parent, crank, at(along)),
            Joint(coupler, JointType.CONTINUOUS, crank, coupler, at(CRANK)),
            Joint(rocker, JointType.CONTINUOUS, parent, rocker, at(along + BASE)),
        ]
        frames += [Frame(f"{coupler}_tip", coupler, at(COUPLER)), Frame(f"{rocker}_tip", rocker, at(ROCKER))]
        parent, along = coupler, 0.2
    tree = Robot("tower", tuple(bodies), tuple(joints), tuple(frames))
    start = np.zeros(tree.nq)
    for kind, angle in (("crank", 1.0), ("coupler", -0.5), ("rocker", 1.8)):
        for k in range(units):
            start[tree.q_slice(f"{kind}{k}")] = angle
    loops = tuple(Loop(f"loop{k}", LoopType.POINT, f"coupler{k}_tip", f"rocker{k}_tip") for k in range(units))
    return replace(tree, configurations={"assembly": start}, loops=loops)


def geared_rotor(ratio: float = 50.0, rotor_inertia: float = 1e-4) -> Robot:
    """A pendulum driven by a rotor on the same axis, Schwienbacher 2014, chapter 3."""
    rotor = Body("rotor", 0.0, inertia=rotor_inertia * np.eye(3))
    return Robot(
        "geared",
        (rod("arm", 0.5), rotor),
        (
            Joint("arm", JointType.REVOLUTE, "world", "arm", axis=(0.0, 0.0, 1.0)),
            Joint("rotor", JointType.CONTINUOUS, "world", "rotor"),
        ),
        gravity=(0.0, -9.81, 0.0),
        loops=(Loop("gear", LoopType.GEAR, joints=("rotor", "arm"), coefficients=(ratio,)),),
    )


def random_looped_robot(seed: int, *, loops: int = 2, joints: int = 10, floating_base: bool = True) -> Robot:
    """A random tree with random loops that close at a random configuration, which is "assembly"."""
    rng = np.random.default_rng(seed)
    kinds = rng.choice([str(kind) for kind in JointType if kind is not JointType.FLOATING], joints)
    robot = random_robot(seed, types=[str(kind) for kind in kinds], floating_base=floating_base)
    q = random_state(robot, rng).q
    robot = replace(robot, configurations={"assembly": q})
    for _ in range(40):
        if len(robot.loops) == loops:
            break
        kind = LoopType(str(rng.choice([str(kind) for kind in LoopType])))
        try:
            robot = _with_random_loop(robot, q, kind, rng)
        except LoopError:
            continue
    return robot


def _with_random_loop(robot: Robot, q: Array, kind: LoopType, rng: np.random.Generator) -> Robot:
    name = f"loop{len(robot.loops)}"
    coordinates = {joint.name: q[robot.q_slice(joint.name)] for joint in robot.joints if joint.type in _TURNS}
    names = [str(joint) for joint in rng.permutation(list(coordinates))]
    values = [float(coordinates[joint][0]) for joint in names]
    frames: tuple[Frame, ...] = ()
    parts: dict[str, object] = {}
    if kind.joins_frames:
        first, second = rng.permutation([body.name for body in robot.bodies])[:2]
        spanning = robot.spanning
        offset = Transform(random_rotation(rng), rng.uniform(-0.3, 0.3, 3))
        pose = frame_pose.textbook(spanning, q, str(first)) @ offset
        if kind in (LoopType.DISTANCE, LoopType.SCREW):
            pose = pose @ Transform(np.eye(3), rng.normal(size=3))
            parts["length"] = float(
                np.linalg.norm(pose.translation - _origin(spanning, q, str(first), offset))
            )
        there = frame_pose.textbook(spanning, q, str(second)).inverse() @ pose
        frames = (Frame(f"{name}_a", str(first), offset), Frame(f"{name}_b", str(second), there))
        parts |= {"frame": f"{name}_a", "against": f"{name}_b"}
        if kind is LoopType.HINGE:
            parts["axis"] = tuple(rng.normal(size=3))
    if kind.is_explicit:
        if len(names) < 3:
            return robot
        c = [float(number) for number in rng.uniform(0.5, 2.0, 3)]
        length = parts.pop("length", 0.0)
        parts |= {
            LoopType.GEAR: {
                "joints": names[:3],
                "coefficients": c[:2],
                "offset": values[0] - c[0] * values[1] - c[1] * values[2],
            },
            LoopType.ROLLING: {
                "joints": names[:2],
                "coefficients": c[:2],
                "offset": c[0] * values[0] + c[1] * values[1],
            },
            LoopType.POLYNOMIAL: {
                "joints": names[:2],
                "coefficients": c,
                "offset": values[0] - c[0] - c[1] * values[1] - c[2] * values[1] ** 2,
            },
            LoopType.SCREW: {
                "joints": names[:1],
                "coefficients": c[:1],
                "offset": values[0] - c[0] * float(length),  # type: ignore[arg-type]
            },
        }[kind]
    loop = Loop(name, kind, **parts)  # type: ignore[arg-type]
    return replace(robot, frames=(*robot.frames, *frames), loops=(*robot.loops, loop))


def _origin(robot: Robot, q: Array, body: str, offset: Transform) -> Array:
    return np.asarray((frame_pose.textbook(robot, q, body) @ offset).translation)
