"""Our rows as rsl-rl wants them: `OnPolicyRunner(RslRlEnv(env), cfg).learn(iterations)`."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode

from footfall.errors import InvalidInput
from footfall.learning.vector_environment import FootfallVectorEnv


class RslRlEnv:
    """A vector environment as a `rsl_rl.env.VecEnv`, on the CPU. It needs torch and tensordict, which rsl-rl brings.

    env: whose rows begin anew in the step in which they end (`autoreset_mode="SameStep"`). seed: of its first reset.
    Groups of observations are "actor", and "critic" if the environment has one.
    """

    device = "cpu"

    def __init__(self, env: FootfallVectorEnv, *, seed: int | None = None) -> None:
        if env.autoreset_mode is not AutoresetMode.SAME_STEP:
            raise InvalidInput(
                f"autoreset_mode is {env.autoreset_mode.value!r}; rsl-rl needs rows that begin anew in the step in "
                "which they end: FootfallVectorEnv(..., autoreset_mode='SameStep')"
            )
        import torch  # an extra: who has no learner needs none

        self.env, self._tensor = env, torch.as_tensor
        self.num_envs, self.num_actions = env.num_envs, env.compiled.joints
        self.max_episode_length = round(env.task.seconds / (env.task.dt * env.task.substeps))
        self.cfg = {"robot": env.task.model.name, "seconds": env.task.seconds}
        seen, _ = env.reset(seed=seed)
        self._seen = self._grouped(seen)

    @property
    def unwrapped(self) -> FootfallVectorEnv:
        return self.env

    @property
    def episode_length_buf(self) -> Any:
        """Steps (num_envs,) since each row began; what is written holds from the next step on."""
        return self._tensor(self.env.rows["elapsed"].astype(np.int64))

    @episode_length_buf.setter
    def episode_length_buf(self, value: Any) -> None:
        self.env.rows["elapsed"][:] = np.asarray(value)

    def get_observations(self) -> Any:
        """A TensorDict of all groups."""
        return self._seen

    def step(self, actions: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
        """Observations, rewards (num_envs,), dones (num_envs,) and extras: which rows ended by time, and the mean of
        each term of the reward."""
        limit = self.env.task.action_limit
        given = np.clip(actions.detach().cpu().numpy(), -limit, limit)
        seen, reward, terminated, truncated, info = self.env.step(given)
        self._seen = self._grouped(seen)
        extras = {
            "time_outs": self._tensor(truncated & ~terminated),
            "log": {f"/reward/{name}": mean for name, mean in info["reward_terms"].items()},
        }
        done = self._tensor((terminated | truncated).astype(np.int64))
        return self._seen, self._tensor(reward.astype(np.float32)), done, extras

    def _grouped(self, seen: Any) -> Any:
        from tensordict import TensorDict

        groups = seen if isinstance(seen, dict) else {"actor": seen}
        tensors = {name: self._tensor(value) for name, value in groups.items()}
        return TensorDict(tensors, batch_size=[self.num_envs])
