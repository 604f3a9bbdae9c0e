"""Pairs of an MJCF file: what touches is what touches in MuJoCo."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest

import footfall
from footfall.errors import RobotWarning
from footfall.robot.mjcf import parse_mjcf

mujoco = pytest.importorskip("mujoco")

OFF = 'contype="0" conaffinity="0"'
TEXT = f"""
<mujoco><worldbody><geom name="floor" type="plane" size="9 9 1" {OFF}/>
<body name="one" pos="0 0 .5"><freejoint/><geom name="a" size=".1" {OFF}/><geom name="b" size=".3" {OFF}/></body>
<body name="two" pos="0 .01 .9"><freejoint/><geom name="c" size=".1" {OFF}/></body>
<body name="three" pos="0 -.01 1.3"><freejoint/><geom name="d" size=".1" {OFF}/></body>
</worldbody><contact>PAIRS</contact></mujoco>"""
PAIRS = """<pair geom1="a" geom2="floor" friction=".4 .4 .005 .0001 .0001"/><pair geom1="a" geom2="c"/>
<pair geom1="c" geom2="d"/>"""


def touching(robot: footfall.Robot) -> set[frozenset[str]]:
    """Names of shapes whose groups and masks meet."""
    shapes = [shape for body in robot.bodies for shape in body.collisions]
    return {
        frozenset((one.name, other.name))
        for one, other in combinations(shapes, 2)
        if one.group & other.mask or other.group & one.mask
    }


def test_only_what_is_paired_touches() -> None:
    robot = parse_mjcf(TEXT.replace("PAIRS", PAIRS))
    assert touching(robot) == {frozenset("ac"), frozenset("cd")}
    one = robot.body("one")
    assert [shape.name for shape in one.collisions] == ["a"]
    assert [shape.name for shape in one.visuals] == ["b"]
    assert one.collisions[0].friction == 0.4
    assert one.collisions[0].mask & 1  # of what is in scenes


def test_pairs_join_what_masks_say() -> None:
    """Shapes that touch by their masks still do, and a pair's bit is one that they do not have."""
    text = TEXT.replace(f'name="b" size=".3" {OFF}', 'name="b" size=".3" contype="6" conaffinity="0"')
    text = text.replace(f'name="d" size=".1" {OFF}', 'name="d" size=".1" contype="0" conaffinity="4"')
    assert touching(parse_mjcf(text.replace("PAIRS", PAIRS))) == {
        frozenset("ac"),
        frozenset("cd"),
        frozenset("bd"),
    }


def test_a_tower_of_pairs_stands_as_in_mujoco() -> None:
    """Three balls fall onto each other and the floor; in both the second passes the large ball, which is no pair."""
    pairs = TEXT.replace("PAIRS", PAIRS).replace("0 .01 .9", "0 0 .9").replace("0 -.01 1.3", "0 0 1.3")
    simulation = footfall.Simulation(parse_mjcf(pairs), "flat", dt=1e-3)
    simulation.run(simulation.zero_command, 1.5)
    model = mujoco.MjModel.from_xml_string(pairs)
    data = mujoco.MjData(model)
    for _ in range(1500):
        mujoco.mj_step(model, data)
    heights = simulation.q[[2, 9, 16]]
    # What is in one file is one robot, whose parts lie up to 1e-5 m deep in each other; the ground is no part of it.
    np.testing.assert_allclose(heights, [0.1, 0.3, 0.5], atol=2.1e-5)
    assert abs(heights[0] - 0.1) < 1e-6
    np.testing.assert_allclose(heights, data.qpos[[2, 9, 16]], atol=5e-3)  # MuJoCo's contacts are soft


def test_pairs_of_neighbours_are_told() -> None:
    body = '<body name="arm"><joint/><geom name="e" size=".1" mass="1"/></body></body>\n<body name="two"'
    text = TEXT.replace('</body>\n<body name="two"', body)
    with pytest.warns(RobotWarning, match="1 contact pairs of bodies that do not touch"):
        parse_mjcf(text.replace("PAIRS", '<pair geom1="a" geom2="e"/>'))
