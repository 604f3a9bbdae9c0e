"""Robots that cannot be, or hardly: one test for each way."""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from footfall.errors import RobotError, RobotWarning
from footfall.math.transform import Transform
from footfall.robot.model import Body, Box, Frame, Geometry, Joint, JointType, Mimic, Robot, Sphere
from footfall.robot.validation import check_physics, warn_of

INERTIA = np.diag([0.1, 0.1, 0.1])
BASE, ARM = Body("base", 1.0, inertia=INERTIA), Body("arm", 1.0, inertia=INERTIA)
ROOT = Joint("root", JointType.FIXED, "world", "base")
ELBOW = Joint("elbow", JointType.REVOLUTE, "base", "arm")


def robot(**changes: Any) -> Robot:
    return Robot(**{"name": "r", "bodies": (BASE, ARM), "joints": (ROOT, ELBOW), **changes})


def elbow(**changes: Any) -> Robot:
    return robot(joints=(ROOT, replace(ELBOW, **changes)))


def arm(**changes: Any) -> Robot:
    return robot(bodies=(BASE, replace(ARM, **changes)))


BAD: list[tuple[str, type[RobotError], str, Callable[[], Any]]] = [
    ("two bodies", RobotError, "body 'arm': two bodies", lambda: robot(bodies=(ARM, ARM, BASE))),
    ("two joints", RobotError, "joint 'root'", lambda: elbow(name="root")),
    ("two frames", RobotError, "frame 'f'", lambda: robot(frames=(Frame("f", "arm"), Frame("f", "base")))),
    ("frame like body", RobotError, "frame 'arm'", lambda: robot(frames=(Frame("arm", "base"),))),
    ("frame named world", RobotError, "frame 'world'", lambda: robot(frames=(Frame("world", "base"),))),
    ("body named world", RobotError, "body 'world'", lambda: robot(bodies=(BASE, ARM, Body("world")))),
    ("empty name", RobotError, "printable", lambda: elbow(name="")),
    ("line in name", RobotError, "printable", lambda: elbow(name="a\nb")),
    ("unknown parent", RobotError, "'bas' does not exist; there are: base", lambda: elbow(parent="bas")),
    ("unknown child", RobotError, "child body 'leg'", lambda: elbow(child="leg")),
    ("unknown body", RobotError, "frame 'f': body 'x'", lambda: robot(frames=(Frame("f", "x"),))),
    ("two parents", RobotError, "carries already", lambda: robot(joints=(ROOT, ELBOW, replace(ELBOW, name="k")))),
    ("no joint", RobotError, "body 'arm': no joint carries it", lambda: robot(joints=(ROOT,))),
    ("cycle", RobotError, "bodies base, arm", lambda: robot(joints=(replace(ROOT, parent="arm"), ELBOW))),
    ("own parent", RobotError, "cycle among the bodies arm", lambda: elbow(parent="arm")),
    ("zero axis", RobotError, "axis is zero", lambda: elbow(axis=(0, 0, 0))),
    ("nan axis", RobotError, "axis has the entry nan", lambda: elbow(axis=(0, math.nan, 0))),
    ("short axis", RobotError, "shape", lambda: elbow(axis=(0, 1))),
    ("parallel axes", RobotError, "parallel", lambda: elbow(type="universal", second_axis=(0, 0, -2))),
    ("nan position", RobotError, "position", lambda: elbow(placement=Transform(np.eye(3), np.full(3, np.nan)))),
    ("sheared", RobotError, "orthonormal", lambda: elbow(placement=Transform(2 * np.eye(3), np.zeros(3)))),
    ("mirrored", RobotError, "right-handed", lambda: elbow(placement=Transform(-np.eye(3), np.zeros(3)))),
    ("lower above upper", RobotError, "lower limit 2 is above", lambda: elbow(lower=(2.0,), upper=(1.0,))),
    ("nan limit", RobotError, "lower is nan", lambda: elbow(lower=(math.nan,))),
    ("two limits", RobotError, "lower has 2 values; it must have none or 1", lambda: elbow(lower=(0.0, 0.0))),
    ("limits of a ball", RobotError, "no position limits", lambda: elbow(type="spherical", lower=(0.0,) * 3)),
    ("limits without stops", RobotError, "no position limits", lambda: elbow(type="continuous", upper=(1.0,))),
    ("negative velocity", RobotError, "velocity is -1", lambda: elbow(velocity=(-1.0,))),
    ("negative damping", RobotError, "damping is -1; it must be at least 0", lambda: elbow(damping=-1.0)),
    ("negative armature", RobotError, "armature is -1", lambda: elbow(armature=-1.0)),
    ("text as number", RobotError, "must be a number", lambda: elbow(damping="much")),
    ("mimic of nothing", RobotError, "mimicked joint 'x'", lambda: elbow(mimic=Mimic("x"))),
    ("mimic of fixed", RobotError, "one coordinate", lambda: elbow(mimic=Mimic("root"))),
    ("mimic of itself", RobotError, "mimics itself", lambda: elbow(mimic=Mimic("elbow"))),
    ("nan mimic", RobotError, "multiplier is nan", lambda: elbow(mimic=Mimic("root", math.nan))),
    ("negative mass", RobotError, "body 'arm': mass is -1", lambda: arm(mass=-1.0)),
    ("nan mass", RobotError, "mass is nan", lambda: arm(mass=math.nan)),
    ("huge mass", RobotError, "below 1e30", lambda: arm(mass=1e300)),
    ("centre of two", RobotError, "center_of_mass has shape", lambda: arm(center_of_mass=np.zeros(2))),
    ("inertia not symmetric", RobotError, "not symmetric", lambda: arm(inertia=np.triu(np.ones((3, 3))))),
    ("negative radius", RobotError, "radius is -1", lambda: Sphere(-1.0)),
    ("box of two", RobotError, "size has shape", lambda: Box((1.0, 1.0))),  # type: ignore[arg-type]
    ("color of three", RobotError, "color has shape", lambda: Geometry(Sphere(1.0), color=(1, 1, 1))),  # type: ignore[arg-type]
    ("short configuration", RobotError, "has 1 coordinates", lambda: robot(configurations={"c": np.zeros(2)})),
    ("long quaternion", RobotError, "norm 2",
     lambda: replace(elbow(type="spherical"), configurations={"c": np.array([2.0, 0, 0, 0])})),
    ("group of nothing", RobotError, "group 'g': joint 'x'", lambda: robot(groups={"g": ("x",)})),
    ("region of nothing", RobotError, "region 'g': body 'x'", lambda: robot(regions={"g": ("x",)})),
    ("limits of nothing", RobotError, "limit set 's'", lambda: robot(limit_sets={"s": {"x": (0, 1)}})),
    ("limits swapped", RobotError, "lower limit 1 above", lambda: robot(limit_sets={"s": {"elbow": (1, 0)}})),
    ("limits of fixed", RobotError, "one coordinate", lambda: robot(limit_sets={"s": {"root": (0, 1)}})),
    ("gravity of two", RobotError, "gravity has shape", lambda: robot(gravity=(0, 0))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "message", "make"), [case[1:] for case in BAD], ids=[case[0] for case in BAD]
)
def test_bad_robot(error: type[RobotError], message: str, make: Callable[[], Any]) -> None:
    with pytest.raises(error, match=message):
        make()


PHYSICS = [
    ("negative moment", RobotError, "none may be negative", arm(inertia=np.diag([-0.1, 0.1, 0.1]))),
    ("triangle", RobotError, "must not exceed the sum of the others, 2", arm(inertia=np.diag([1, 1, 2.1]))),
    ("no inertia", RobotError, "joint 'elbow': moves body 'arm'", arm(mass=0.0, inertia=np.zeros((3, 3)))),
    ("point on the axis", RobotError, "joint 'elbow'", arm(inertia=np.zeros((3, 3)))),
    ("rod that floats", RobotError, "joint 'elbow'",
     replace(elbow(type="spherical"), bodies=(BASE, replace(ARM, inertia=np.diag([1.0, 1.0, 0.0]))))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("error", "message", "bad"), [case[1:] for case in PHYSICS], ids=[case[0] for case in PHYSICS]
)
def test_bad_physics(error: type[RobotError], message: str, bad: Robot) -> None:
    with pytest.raises(error, match=rf"{message}.*; strict=False \(--lenient\) only warns"):
        check_physics(bad)
    findings = check_physics(bad, strict=False)
    assert error in map(type, findings)
    with pytest.warns(RobotWarning) as warned:
        warn_of(findings)
    assert any(re.search(message, str(warning.message)) for warning in warned)


GOOD = [
    ("disc", arm(inertia=np.diag([1.0, 1.0, 2.0]))),
    ("disc with rounding", arm(inertia=np.diag([1.0, 1.0, 2.0000001]))),
    ("noise", arm(inertia=np.diag([-1e-20, 0.0, 1e-20]), center_of_mass=(1, 0, 0))),
    ("rotor", elbow(armature=0.1)),
    ("massless with rotor", replace(elbow(armature=0.1), bodies=(BASE, Body("arm")))),
    ("point off the axis", arm(inertia=np.zeros((3, 3)), center_of_mass=(1, 0, 0))),
    ("massless and fixed", Robot("r", (Body("a"),), (Joint("j", JointType.FIXED, "world", "a"),))),
]  # fmt: skip


@pytest.mark.parametrize("good", [case[1] for case in GOOD], ids=[case[0] for case in GOOD])
def test_good_physics(good: Robot) -> None:
    assert check_physics(good) == []


def test_massless_link_between_is_fine() -> None:
    bodies = (BASE, Body("cross"), ARM)
    joints = (
        ROOT,
        replace(ELBOW, child="cross"),
        Joint("twist", JointType.REVOLUTE, "cross", "arm", axis=(1, 0, 0)),
    )
    assert check_physics(Robot("r", bodies, joints)) == []


def test_rotor_at_the_end_does_not_load_the_joint_before() -> None:
    bodies = (BASE, Body("upper"), Body("lower"))
    joints = (
        ROOT,
        replace(ELBOW, child="upper"),
        Joint("twist", JointType.REVOLUTE, "upper", "lower", armature=1.0),
    )
    with pytest.raises(RobotError, match="joint 'elbow'"):
        check_physics(Robot("r", bodies, joints))


def test_foreign_bodies_may_break_the_triangle_but_not_whole_links() -> None:
    bad = Body("camera", 0.1, inertia=np.diag([-1e-4, 1e-3, 1e-3]))
    weld = Joint("weld", JointType.FIXED, "arm", "camera")
    made = Robot("r", (BASE, ARM, bad), (ROOT, ELBOW, weld))
    assert [finding.subject for finding in check_physics(made, foreign=True)] == [("body", "camera")]
    with pytest.raises(RobotError, match="camera"):
        check_physics(made)
    with pytest.raises(RobotError, match="with all that is fixed to it"):
        check_physics(arm(inertia=np.diag([-0.1, 0.1, 0.1])), foreign=True)


SUSPICIOUS = [
    ("mass", "kilograms", arm(mass=20_000.0)),
    ("centre", "metres", arm(center_of_mass=(200.0, 0.0, 0.0))),
    ("position", "metres", elbow(placement=Transform(np.eye(3), np.array([0.0, 500.0, 0.0])))),
    ("angle", "radians", elbow(lower=(-90.0,), upper=(90.0,))),
]


@pytest.mark.parametrize(
    ("message", "odd"), [case[1:] for case in SUSPICIOUS], ids=[case[0] for case in SUSPICIOUS]
)
def test_suspicious_magnitudes_warn(message: str, odd: Robot) -> None:
    with pytest.warns(RobotWarning, match=message):
        warn_of(check_physics(odd))


def test_ordinary_magnitudes_do_not_warn() -> None:
    slide = elbow(type="prismatic", lower=(-50.0,), upper=(50.0,))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for plain in (robot(), slide, elbow(lower=(-math.inf,), upper=(12.0,))):
            warn_of(check_physics(plain))
