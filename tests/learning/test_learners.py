"""Learners of others train in our environments without a word in between; our own example runs to its end."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import footfall.learning

torch = pytest.importorskip("torch")

EXAMPLE = Path(__file__).parents[2] / "examples" / "18_learning_to_walk.py"


def test_skrl_trains_in_a_vector_environment(short_task, tmp_path):
    pytest.importorskip("skrl")
    from skrl.agents.torch.ppo import PPO, PPO_CFG
    from skrl.envs.wrappers.torch import wrap_env
    from skrl.memories.torch import RandomMemory
    from skrl.models.torch import DeterministicMixin, GaussianMixin, Model
    from skrl.trainers.torch import SequentialTrainer

    footfall.learning.register()
    torch.manual_seed(0)
    env = wrap_env(gymnasium.make_vec("footfall/Task-v0", num_envs=16, task=short_task))
    assert (env.num_envs, env.num_agents) == (16, 1)

    def spaces():
        return {"observation_space": env.observation_space, "action_space": env.action_space, "device": "cpu"}

    class Actor(GaussianMixin, Model):
        def __init__(self):
            Model.__init__(self, **spaces())
            GaussianMixin.__init__(self)
            self.net = torch.nn.Sequential(torch.nn.Linear(48, 16), torch.nn.ELU(), torch.nn.Linear(16, 12))
            self.deviation = torch.nn.Parameter(torch.full((12,), -1.0))

        def compute(self, inputs, role):
            return self.net(inputs["observations"]), {"log_std": self.deviation}

    class Critic(DeterministicMixin, Model):
        def __init__(self):
            Model.__init__(self, **spaces())
            DeterministicMixin.__init__(self)
            self.net = torch.nn.Linear(48, 1)

        def compute(self, inputs, role):
            return self.net(inputs["observations"]), {}

    models = {"policy": Actor(), "value": Critic()}
    before = models["policy"].net[0].weight.detach().clone()
    cfg = PPO_CFG(rollouts=8, learning_epochs=1)
    cfg.experiment.directory, cfg.experiment.write_interval = str(tmp_path), 0
    cfg.experiment.checkpoint_interval = 0
    agent = PPO(
        models=models, memory=RandomMemory(memory_size=8, num_envs=16, device="cpu"), cfg=cfg,
        observation_space=env.observation_space, action_space=env.action_space, device="cpu",
    )  # fmt: skip
    steps = {
        "timesteps": 24,
        "headless": True,
        "disable_progressbar": True,
        "close_environment_at_exit": False,
    }
    SequentialTrainer(env=env, agents=agent, cfg=steps).train()
    after = models["policy"].net[0].weight
    assert torch.isfinite(after).all()
    assert not torch.equal(after, before)  # it has learned something


def test_the_example_trains_and_writes_a_policy(tmp_path, monkeypatch, capsys):
    """A few iterations; the same seed gives the same weights with one and two threads of the simulation."""
    pytest.importorskip("onnx")
    written = []
    for threads in (1, 2):
        path = tmp_path / f"{threads}.onnx"
        arguments = f"--iterations 2 --rows 64 --steps 8 --epochs 1 --report 1 --threads {threads} --seed 3"
        monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *arguments.split(), "--output", str(path)])
        runpy.run_path(str(EXAMPLE), run_name="__main__")
        written.append(path.read_bytes())
    torch.use_deterministic_algorithms(False)
    assert written[0] == written[1]
    assert "wrote" in capsys.readouterr().out
    policy = footfall.learning.Policy(path)
    assert policy.note.speeds == (1.0, 0.5, 1.0)  # those that are asked, not those of the training
    assert np.isfinite(policy(np.zeros((2, 48)))).all()
