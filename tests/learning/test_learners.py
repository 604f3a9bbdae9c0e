"""Learners of others train in our environments without a word in between; our own example runs to its end."""

from __future__ import annotations

import runpy
import sys
from dataclasses import replace
from pathlib import Path

import gymnasium
import numpy as np
import pytest

import footfall.learning
from footfall.errors import InvalidInput
from footfall.learning import FootfallVectorEnv, RslRlEnv, terms

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


def test_rsl_rl_trains_with_a_critic_of_its_own(short_task, tmp_path):
    """Runner, PPO and networks are those of rsl-rl; the critic also sees contact forces."""
    pytest.importorskip("rsl_rl")
    from rsl_rl.runners import OnPolicyRunner

    critic = {**short_task.observations, "contact": terms.foot_touching}
    env = FootfallVectorEnv(replace(short_task, critic=critic), 16, critic=True, autoreset_mode="SameStep")
    adapter = RslRlEnv(env, seed=0)
    sizes = {name: tuple(value.shape) for name, value in adapter.get_observations().items()}
    assert sizes == {"actor": (16, 48), "critic": (16, 52)}
    torch.manual_seed(0)
    net = {"class_name": "MLPModel", "hidden_dims": [16], "activation": "elu", "obs_normalization": True}
    actor = {**net, "distribution_cfg": {"class_name": "GaussianDistribution", "init_std": 0.5}}
    cfg = {
        "algorithm": {"class_name": "PPO", "num_learning_epochs": 1, "num_mini_batches": 2},
        "actor": actor, "critic": net, "obs_groups": {"actor": ["actor"], "critic": ["critic"]},
        "num_steps_per_env": 8, "save_interval": 100,
    }  # fmt: skip
    runner = OnPolicyRunner(adapter, cfg, device="cpu")
    before = [each.detach().clone() for each in runner.alg.get_policy().parameters()]
    runner.learn(num_learning_iterations=2, init_at_random_ep_len=True)
    after = list(runner.alg.get_policy().parameters())
    assert all(torch.isfinite(each).all() for each in after)
    assert any(not torch.equal(old, new) for old, new in zip(before, after, strict=True))


def test_rsl_rl_is_told_which_rows_ended_by_time(short_task):
    pytest.importorskip("tensordict")
    with pytest.raises(InvalidInput, match="SameStep"):
        RslRlEnv(FootfallVectorEnv(short_task, 4))
    adapter = RslRlEnv(FootfallVectorEnv(short_task, 4, autoreset_mode="SameStep"), seed=1)
    assert adapter.max_episode_length == 15
    still = torch.zeros(4, 12)
    for _ in range(14):
        _, reward, done, extras = adapter.step(still)
        assert reward.shape == done.shape == (4,)
    assert (adapter.episode_length_buf[done == 0] <= 14).all()
    _, _, done, extras = adapter.step(still)
    assert (extras["time_outs"] <= (done > 0)).all()
    assert extras["time_outs"].any()
    assert "/reward/track_velocity" in extras["log"]
    adapter.episode_length_buf = torch.full((4,), 7)
    assert (adapter.env.rows["elapsed"] == 7.0).all()


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
