"""Policies as files, and the verdict on them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from footfall.errors import FootfallError, MissingFile
from footfall.learning import FootfallVectorEnv, Policy, judge, save_policy

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")


def layers_of(rng, *sizes):
    return [(0.1 * rng.normal(size=(b, a)), 0.1 * rng.normal(size=b)) for a, b in pairwise(sizes)]


def test_a_policy_is_the_network_that_was_saved(short_task, tmp_path):
    rng = np.random.default_rng(0)
    layers = layers_of(rng, 48, 16, 12)
    mean, variance = rng.normal(size=48), rng.uniform(0.5, 2.0, 48)
    path = tmp_path / "policy.onnx"
    save_policy(path, short_task, layers, mean=mean, variance=variance, activation="tanh")
    policy = Policy(path)
    seen = rng.normal(size=(5, 48))
    scaled = np.clip((seen - mean) / np.sqrt(variance), -10.0, 10.0)
    wanted = np.tanh(scaled @ layers[0][0].T + layers[0][1]) @ layers[1][0].T + layers[1][1]
    np.testing.assert_allclose(policy(seen), wanted, atol=1e-5)  # single precision
    assert policy.note.joints[0] == "FL_hip_joint"
    assert sum(policy.note.parts.values()) == 48
    verdict = judge(policy, FootfallVectorEnv(short_task, 6, autoreset_mode="Disabled"))
    assert 0.0 <= verdict.falls <= 1.0
    with pytest.raises(FootfallError, match=r"the policy takes \(rows, 48\)"):
        policy(np.zeros((2, 3)))


def test_wrong_policies_are_told(short_task, tmp_path):
    with pytest.raises(MissingFile, match="is not there"):
        Policy(tmp_path / "none.onnx")
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(FootfallError, match="no ONNX model"):
        Policy(tmp_path / "text.onnx")
    layers = layers_of(np.random.default_rng(0), 7, 12)
    with pytest.raises(FootfallError, match="must lead from 48 to 12"):
        save_policy(tmp_path / "p.onnx", short_task, layers, mean=np.zeros(7), variance=np.ones(7))
    layers = layers_of(np.random.default_rng(0), 48, 12)
    layers[0][0][0, 0] = np.nan
    with pytest.raises(FootfallError, match="weight0"):
        save_policy(tmp_path / "p.onnx", short_task, layers, mean=np.zeros(48), variance=np.ones(48))
    assert not (tmp_path / "p.onnx").exists()
