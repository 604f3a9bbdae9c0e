"""Gymnasium's vector environment over native rows: each step of all of them is one native call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from footfall.arrays import Array
from footfall.errors import InvalidInput, RewardNotFinite
from footfall.learning.compiled import CompiledTask
from footfall.learning.random_streams import streams
from footfall.learning.shipped_tasks import velocity_task
from footfall.learning.task import LearningTask
from footfall.learning.task_file import read_task


class FootfallVectorEnv(VectorEnv[Any, Any, Any]):
    """Rows of a task, as Gymnasium wants them.

    task: by value, by name or a TOML file. num_envs: rows. autoreset_mode: when rows that have
    ended begin anew: in the next step, in the same one (`info["final_obs"]` then has the last observation), or when
    `reset(options={"reset_mask": ...})` says so. critic: whether observations are a dictionary of "actor" and "critic".
    threads: of the simulation, by default all cores; results do not depend on it.

    Row k begins with the seed plus k, and does not depend on the others. `info["reward_terms"]` has the mean of each
    term, `info["episode_terms"]` the sums of episodes that have ended, `info["found_share"]` how many steps of the
    physics were taken with contacts that were found, because more than feet may have touched.
    """

    metadata = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012  (Gymnasium has it so)

    def __init__(
        self,
        task: LearningTask | str | Path,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        critic: bool = False,
        threads: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        if isinstance(num_envs, bool) or num_envs != int(num_envs) or num_envs < 1:
            raise InvalidInput(f"num_envs is {num_envs}; it must be at least 1, and whole")
        if render_mode is not None:
            raise InvalidInput(
                f"render_mode is {render_mode!r}; rows are not drawn: `footfall simulate --policy` is"
            )
        self.task = as_task(task)
        if critic and self.task.critic is None:
            raise InvalidInput("critic is asked for, but the task has no critic's observations")
        self.num_envs = int(num_envs)
        self.compiled = CompiledTask(self.task, self.num_envs)
        self.threads = threads
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self._asymmetric = critic
        actor = spaces.Box(-np.inf, np.inf, (self.compiled.observation_size,), np.float32)
        self.single_observation_space = actor
        if critic:
            other = spaces.Box(-np.inf, np.inf, (self.compiled.critic_size,), np.float32)
            self.single_observation_space = spaces.Dict({"actor": actor, "critic": other})
        most = self.task.action_limit
        self.single_action_space = spaces.Box(-most, most, (self.compiled.joints,), np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        shapes, outputs = self.compiled.rows, self.compiled.step_kernel.signature.outputs
        # Each step reads one of these and writes the other.
        self._rows, self._next = (
            {name: np.zeros((self.num_envs, *shape)) for name, shape in shapes.items()} for _ in range(2)
        )
        self._outputs = {
            name: np.zeros((self.num_envs, *shape)) for name, shape in outputs if name not in shapes
        }
        self._given = np.zeros((self.num_envs, self.compiled.joints))
        self._pending = np.zeros(self.num_envs)
        self._numbers = np.arange(float(self.num_envs))
        self._done = np.zeros(self.num_envs, dtype=bool)
        self._same_step = np.array([float(self.autoreset_mode is AutoresetMode.SAME_STEP)])
        self._begun = False

    @property
    def substeps(self) -> int:
        """Steps of the physics in a step of the environment."""
        return self.task.substeps

    @property
    def rows(self) -> dict[str, Array]:
        """All that the rows keep from step to step, by name, (num_envs, ...) each; valid until the next step. What is
        written here holds from the next step on."""
        return self._rows

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, dict[str, Any]]:
        """Let all rows begin anew, or those of `options["reset_mask"]`, a mask (num_envs,)."""
        mask = self._mask(options)
        seeds = self._seeds(seed)
        if not self._begun:
            fresh = np.random.SeedSequence().generate_state(1, np.uint64)[0]
            self._rows["stream"][:] = streams([int(fresh) + k for k in range(self.num_envs)])
            self._begun = True
        named = [k for k, each in enumerate(seeds) if each is not None and mask[k]]
        if named:
            self._rows["stream"][named] = streams([seeds[k] for k in named])  # type: ignore[misc]
        if isinstance(seed, int):
            self._np_random, self._np_random_seed = gymnasium.utils.seeding.np_random(seed)
        kernel = self.compiled.reset_kernel
        found = kernel.batch(*self._rows.values(), threads=self.threads)
        values = dict(zip([name for name, _ in kernel.signature.outputs], found, strict=True))
        for name, array in (*self._rows.items(), ("observation", self._outputs["observation"])):
            array[mask] = values[name][mask]
        if "critic" in values:
            self._outputs["critic"][mask] = values["critic"][mask]
        self._pending[mask] = 0.0
        self._done[mask] = False
        return self._seen(""), {}

    def step(self, actions: Any) -> tuple[Any, Array, Any, Any, dict[str, Any]]:
        """One step of all rows under actions (num_envs, joints): observations, rewards, terminated, truncated, info."""
        if not self._begun:
            raise gymnasium.error.ResetNeeded("call reset before step")
        given = self._actions(actions)
        if self.autoreset_mode is AutoresetMode.DISABLED and self._done.any():
            row = int(np.flatnonzero(self._done)[0])
            raise InvalidInput(
                f"row {row} has ended; with autoreset disabled call reset(options={{'reset_mask': ...}}) before step"
            )
        outputs = self._outputs
        self._given[:] = given
        self._steps[0]()
        self._steps.reverse()
        self._rows, self._next = self._next, self._rows
        reward = outputs["reward"].copy()
        if not np.isfinite(reward).all():
            self._blame()
        terminated, truncated = outputs["terminated"] > 0.5, outputs["truncated"] > 0.5
        self._done = terminated | truncated
        if self.autoreset_mode is AutoresetMode.NEXT_STEP:
            self._pending[:] = self._done
        return self._seen(""), reward, terminated, truncated, self._info()

    @cached_property
    def _steps(self) -> list[Callable[[], None]]:
        """The step from the rows that hold now to the others, and back."""
        kernel = self.compiled.step_kernel
        return [
            kernel.bind_batch(
                *now.values(), self._given, self._pending, self._same_step, self._numbers, threads=self.threads,
                out=[{**self._outputs, **after}[name] for name, _ in kernel.signature.outputs],
            )
            for now, after in ((self._rows, self._next), (self._next, self._rows))
        ]  # fmt: skip

    def _info(self) -> dict[str, Any]:
        outputs, done, terms = self._outputs, self._done, self.compiled.terms
        means = outputs["terms"].mean(axis=0)
        info: dict[str, Any] = {"reward_terms": dict(zip(terms, means.tolist(), strict=True))}
        info["found_share"] = float(outputs["found"].mean()) / self.substeps
        if done.any():
            sums = outputs["ended"][done].mean(axis=0)
            info["episode_terms"] = dict(zip(terms, sums.tolist(), strict=True))
            info["episode_steps"] = float(outputs["steps"][done].mean())
            lost = int(outputs["lost"].sum())
            if lost:
                info["lost_rows"] = lost
            if self.autoreset_mode is AutoresetMode.SAME_STEP:
                info["final_obs"] = self._seen("final_")
                info["_final_obs"] = done.copy()
        return info

    def _seen(self, prefix: str) -> Any:
        """Copies, which the next step leaves alone."""
        actor = self._outputs[f"{prefix}observation"].astype(np.float32)
        if not self._asymmetric:
            return actor
        return {"actor": actor, "critic": self._outputs[f"{prefix}critic"].astype(np.float32)}

    def _actions(self, actions: Any) -> Array:
        given = np.asarray(actions, dtype=np.float64)
        wanted = (self.num_envs, self.compiled.joints)
        if given.shape != wanted:
            raise InvalidInput(
                f"actions have shape {given.shape}; they must be {wanted}, a row for each environment"
            )
        if not np.isfinite(given).all():
            row, joint = np.argwhere(~np.isfinite(given))[0].tolist()
            raise InvalidInput(
                f"action of row {row}, joint {joint} is {given[row, joint]}; actions must be finite"
            )
        return given

    def _blame(self) -> None:
        """Say which row and term it is."""
        terms = self._outputs["terms"]
        row, term = np.argwhere(~np.isfinite(terms))[0].tolist()
        raise RewardNotFinite(row, self.compiled.terms[term], float(terms[row, term]))

    def _mask(self, options: dict[str, Any] | None) -> Any:
        if not options or "reset_mask" not in options:
            return np.ones(self.num_envs, dtype=bool)
        mask = options["reset_mask"]
        if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_ or mask.shape != (self.num_envs,):
            raise InvalidInput(f"reset_mask is {mask!r}; it must be an array of {self.num_envs} truth values")
        if not mask.any():
            raise InvalidInput("reset_mask has no row that is true; leave reset out instead")
        return mask

    def _seeds(self, seed: int | Sequence[int | None] | None) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, int | np.integer):
            if seed < 0:
                raise InvalidInput(f"seed is {seed}; it must be at least 0")
            return [int(seed) + k for k in range(self.num_envs)]
        if len(seed) != self.num_envs:
            raise InvalidInput(
                f"there are {len(seed)} seeds; there must be {self.num_envs}, one for each row"
            )
        return list(seed)


def as_task(given: LearningTask | str | Path) -> LearningTask:
    """A task, by value, by name or from a file."""
    if isinstance(given, LearningTask):
        return given
    if isinstance(given, Path) or str(given).endswith(".toml"):
        return read_task(given)
    return velocity_task(str(given))
