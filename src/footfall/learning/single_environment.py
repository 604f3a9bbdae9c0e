"""One row as a plain Gymnasium environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from footfall.learning.task import LearningTask
from footfall.learning.vector_environment import FootfallVectorEnv


class FootfallEnv(gymnasium.Env[Any, Any]):
    """A batch of one; thousands in `FootfallVectorEnv` cost a hundredth each. See there for task and critic."""

    metadata = {"render_modes": []}  # noqa: RUF012  (Gymnasium has it so)

    def __init__(
        self,
        task: LearningTask | str | Path,
        *,
        critic: bool = False,
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.batch = FootfallVectorEnv(
            task, 1, autoreset_mode=AutoresetMode.DISABLED, critic=critic, render_mode=render_mode, **options
        )
        self.observation_space = self.batch.single_observation_space
        self.action_space = self.batch.single_action_space
        self.render_mode = None

    @property
    def substeps(self) -> int:
        """Steps of the physics in a step of the environment."""
        return self.batch.substeps

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin anew."""
        super().reset(seed=seed)
        seen, info = self.batch.reset(seed=seed)
        return _first(seen), info

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """One step."""
        self.batch._done[:] = False  # who goes on after the end is warned by Gymnasium's own wrappers
        seen, reward, terminated, truncated, info = self.batch.step(np.asarray(action)[None])
        return _first(seen), float(reward[0]), bool(terminated[0]), bool(truncated[0]), info


def _first(seen: Any) -> Any:
    return {name: part[0] for name, part in seen.items()} if isinstance(seen, dict) else seen[0]
