"""The shipped policy in MuJoCo, seen by the same terms: a walk that only our simulator lets pass is none."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("mujoco")
pytest.importorskip("onnxruntime")

from benchmarks.lab.learning_mujoco import MujocoRows
from benchmarks.lab.sim_to_sim import LaneRows, commands, follow
from footfall.learning import Policy, velocity_task


@pytest.fixture(scope="module")
def task():
    return velocity_task("Go2-Velocity")


def test_the_shipped_policy_walks_in_mujoco_as_in_ours(task):
    policy = Policy("go2")
    wanted = commands(6, 0.8 * np.array(policy.note.speeds), seed=1001)
    ours = follow(LaneRows(task, 6), policy, task, wanted, seconds=5.0)
    theirs = follow(MujocoRows(task, 6), policy, task, wanted, seconds=5.0)
    for found in (ours, theirs):
        assert found.up == 6
        assert found.velocity_error < 0.2
        assert found.rate_error < 0.2
    # Who does not act as the policy says does not follow: the comparison can fail.
    still = follow(LaneRows(task, 6), _still(policy), task, wanted, seconds=5.0)
    assert still.velocity_error > 2 * ours.velocity_error


def test_models_are_the_same(task):
    """Mass, and how far the servos of a robot that stands give way."""
    rows, ours = MujocoRows(task, 2), LaneRows(task, 2)
    assert rows.model.body_mass.sum() == pytest.approx(task.model.mass, rel=1e-9)
    goals = rows.goals(np.zeros((2, 12)))
    for _ in range(50):
        rows.step(goals)
        ours.step(goals)
    assert not rows.fallen.any()
    # MuJoCo's contacts are soft, and its feet creep apart.
    assert rows.positions[:, 2] == pytest.approx(ours.positions[:, 2], abs=0.02)


def _still(policy):
    class Still:
        note = policy.note

        def __call__(self, seen):
            return np.zeros((len(seen), 12))

    return Still()
