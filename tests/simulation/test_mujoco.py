"""The same robots in MuJoCo, exported by our MJCF writer: impulses, rest heights and the split of forces.

MuJoCo's contact is soft: it sinks, and with impratio 1 feet creep. Compared is with its round cone and impratio 100;
what is left between both is its sink, which is measured here and shrinks with its time constant.
"""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from footfall.benchmarks.contact_scenes import DT, ContactScene
from footfall.simulation.simulation import Trajectory
from tests.simulation.test_standing import scene_named
from tests.simulation.worlds import Array

pytest.importorskip("mujoco")

SECONDS = 1.0
STEPS = round(SECONDS / DT)


class Outcome:
    """A run in MuJoCo: base height at the end, m; impulse (3,) of all contacts, N s; mean force of each body in the
    last fifth, N; mean depth of the contacts at the end, m."""

    def __init__(self, scene: ContactScene, time_constant: float) -> None:
        import mujoco

        from footfall.benchmarks.contact_mujoco import ContactPeer

        peer = ContactPeer(scene, elliptic=True, impratio=100.0, time_constant=time_constant)
        model, data = peer.model, peer.data
        self.impulse = np.zeros(3)
        self.force: dict[str, Array] = {body: np.zeros(3) for body in bodies(scene)}
        for k in range(STEPS):
            mujoco.mj_step1(model, data)
            mujoco.mj_step2(model, data)
            _, forces = peer.contact_forces()
            self.impulse += forces.sum(axis=0) * DT
            if k >= 4 * STEPS // 5:
                for contact, force in zip(data.contact, forces, strict=True):
                    names = [model.body(model.geom_bodyid[geom]).name for geom in contact.geom]
                    body = next(name for name in names if name in self.force)
                    self.force[body] += force / (STEPS - 4 * STEPS // 5)
        self.height = float(data.qpos[peer.order_q[2]])
        self.sink = -float(np.mean([contact.dist for contact in data.contact]))


def bodies(scene: ContactScene) -> list[str]:
    return list(dict.fromkeys(candidate.body for candidate in scene.candidates))


@cache
def ours(name: str) -> Trajectory:
    scene = scene_named(name)
    simulation = scene.simulation()
    return simulation.run(scene.command(simulation), SECONDS)


@cache
def theirs(name: str, time_constant: float = 0.02) -> Outcome:
    return Outcome(scene_named(name), time_constant)


ROBOTS = ["ANYmal standing", "ANYmal dropped", "LOLA standing, 8 points", "LOLA dropped, 8 points"]


@pytest.mark.parametrize("name", ROBOTS)
def test_impulses_agree(name: str) -> None:
    weight = scene_named(name).robot.mass * 9.81 * SECONDS
    impulse = ours(name).forces.sum(axis=(0, 1)) * DT
    assert impulse == pytest.approx(theirs(name).impulse, abs=0.01 * weight)
    assert impulse[2] == pytest.approx(weight, rel=0.02)


@pytest.mark.parametrize("name", ROBOTS)
def test_rest_heights_differ_by_the_sink(name: str) -> None:
    peer = theirs(name)
    lower = ours(name).q[-1, 2] - peer.height
    assert peer.sink > 1e-4
    assert 0.0 < lower < 1.5 * peer.sink


def test_a_harder_contact_comes_closer() -> None:
    name = "ANYmal standing"
    height = ours(name).q[-1, 2]
    soft, hard = theirs(name), theirs(name, 0.005)
    assert hard.sink < soft.sink / 4
    assert abs(height - hard.height) < abs(height - soft.height) / 4


@pytest.mark.parametrize("name", ["ANYmal standing", "ANYmal dropped", "LOLA standing, 8 points"])
def test_the_split_of_forces_agrees(name: str) -> None:
    """By feet and by parts of feet: among the points of one rigid part there is no unique split.

    Heel and toe of LOLA share a load as stiff joints say; a sink of half a millimetre turns the joints enough to shift
    a third of it, so MuJoCo's contact is made harder.
    """
    scene, peer = scene_named(name), theirs(name, 0.005)
    last = ours(name).forces[4 * STEPS // 5 :].mean(axis=0)
    weight = scene.robot.mass * 9.81
    for body in bodies(scene):
        mine = sum(last[k] for k, each in enumerate(scene.candidates) if each.body == body)
        assert mine[2] == pytest.approx(peer.force[body][2], rel=0.05), body
        if scene.robot.name.startswith("anymal"):
            # Stuck feet keep the tension of their landing; in MuJoCo that of LOLA's heels and toes creeps away.
            assert np.abs(mine[:2] - peer.force[body][:2]).max() < 0.05 * weight, body
