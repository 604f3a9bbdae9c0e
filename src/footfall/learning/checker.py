"""Whether a vector environment keeps Gymnasium's rules; it also runs on environments of others."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv

from footfall.errors import InvalidInput

_STEPS = 40


def check_vector_environment(
    make: Callable[[int], VectorEnv[Any, Any, Any]], *, num_envs: int = 5, steps: int = _STEPS, seed: int = 1
) -> list[str]:
    """Run an environment, made by `make(num_envs)`, and compare it with the rules; gives what was checked.

    Raises `InvalidInput` at the first rule that is broken: spaces and shapes, types, seeds that repeat to the
    bit, arrays that stay as they are after the next step, what happens after the end in each autoreset mode, resets by
    mask, and rows that do not depend on how many there are.
    """
    checked: list[str] = []
    env = make(num_envs)
    mode = _metadata(env, num_envs)
    checked.append("metadata and spaces")
    env.action_space.seed(seed)
    actions = [env.action_space.sample() for _ in range(steps)]
    first = _run(env, actions, seed, mode, watched=True)
    checked += ["shapes and types", "returned arrays are not reused", f"ends, {mode.value}"]
    again = _run(env, actions, seed, mode)
    _same(first, again, "the same seed and actions on the same environment")
    other = make(num_envs)
    _same(first, _run(other, actions, seed, mode), "the same seed and actions on another environment")
    checked.append("seeds repeat to the bit")
    _differ(first, _run(other, actions, seed + 1000, mode))
    checked.append("another seed differs")
    alone = make(1)
    part = _run(alone, [_rows(each, slice(0, 1)) for each in actions], seed, mode)
    _same([tuple(_rows(value, slice(0, 1)) for value in each) for each in first], part, "row 0 alone")
    checked.append("rows do not depend on their number")
    if mode is AutoresetMode.DISABLED:
        _check_mask(env, seed)
        checked.append("reset by mask")
    for each in (env, other, alone):
        each.close()
    return checked


def _metadata(env: VectorEnv[Any, Any, Any], num_envs: int) -> AutoresetMode:
    mode = env.metadata.get("autoreset_mode")
    if not isinstance(mode, AutoresetMode):
        raise InvalidInput(f"metadata['autoreset_mode'] is {mode!r}; it must be an AutoresetMode")
    if env.num_envs != num_envs:
        raise InvalidInput(f"num_envs is {env.num_envs} of an environment made for {num_envs}")
    for name in ("observation_space", "action_space"):
        single, whole = getattr(env, f"single_{name}"), getattr(env, name)
        sample = whole.sample()
        if not whole.contains(sample):
            raise InvalidInput(f"{name} does not contain its own sample")
        if not single.contains(_rows(sample, 0)):
            raise InvalidInput(f"a row of {name} is not in single_{name}")
    return mode


def _run(
    env: VectorEnv[Any, Any, Any],
    actions: list[Any],
    seed: int,
    mode: AutoresetMode,
    *,
    watched: bool = False,
) -> list[tuple[Any, ...]]:
    """All that was returned, as copies; watched: with checks of each step."""
    seen, info = env.reset(seed=seed)
    if watched and (not isinstance(info, dict) or not env.observation_space.contains(seen)):
        raise InvalidInput("reset must give an observation of the space, and a dictionary")
    result: list[tuple[Any, ...]] = [(deepcopy(seen),)]
    kept: tuple[Any, ...] = (seen,)
    last: tuple[Any, ...] = (deepcopy(seen),)
    done = np.zeros(env.num_envs, dtype=bool)
    for number, action in enumerate(actions):
        if mode is AutoresetMode.DISABLED and done.any():
            seen, _ = env.reset(options={"reset_mask": done.copy()})
        given = deepcopy(action)
        values = env.step(action)
        if len(values) != 5:
            raise InvalidInput(f"step gives {len(values)} values; it must give 5")
        seen, reward, terminated, truncated, info = values
        if watched:
            _check_step(env, values, number)
            if not _equal(kept, last):
                raise InvalidInput(f"step {number} changed arrays that were returned before")
            if not _equal(given, action):
                raise InvalidInput(f"step {number} changed the actions that it was given")
            _check_end(mode, done, values, number)
        kept, last = (seen, reward, terminated, truncated), deepcopy((seen, reward, terminated, truncated))
        result.append(last)
        done = np.asarray(terminated) | np.asarray(truncated)
    return result


def _check_step(env: VectorEnv[Any, Any, Any], values: Any, number: int) -> None:
    seen, reward, terminated, truncated, info = values
    if not env.observation_space.contains(seen):
        raise InvalidInput(f"the observation of step {number} is not in observation_space")
    for name, value in (("rewards", reward), ("terminations", terminated), ("truncations", truncated)):
        if np.shape(value) != (env.num_envs,):
            raise InvalidInput(f"{name} of step {number} have shape {np.shape(value)}, not ({env.num_envs},)")
    for name, value in (("terminations", terminated), ("truncations", truncated)):
        if np.asarray(value).dtype != np.bool_:
            raise InvalidInput(f"{name} are of type {np.asarray(value).dtype}; they must be truth values")
    if not np.isfinite(np.asarray(reward, dtype=np.float64)).all():
        row = int(np.flatnonzero(~np.isfinite(np.asarray(reward, dtype=np.float64)))[0])
        raise InvalidInput(f"the reward of row {row} in step {number} is not finite")
    if not isinstance(info, dict):
        raise InvalidInput(f"info of step {number} is a {type(info).__name__}; it must be a dictionary")


def _check_end(mode: AutoresetMode, done: Any, values: Any, number: int) -> None:
    """What the mode asks for. done: rows that ended in the step before."""
    _, reward, terminated, truncated, info = values
    ended = np.asarray(terminated) | np.asarray(truncated)
    if mode is AutoresetMode.NEXT_STEP and done.any():
        again = done & (ended | (np.asarray(reward) != 0.0))
        if again.any():
            row = int(np.flatnonzero(again)[0])
            raise InvalidInput(
                f"row {row} ended in step {number - 1}: step {number} begins it anew, so that its reward must be 0 and "
                "it must not end"
            )
    if mode is AutoresetMode.SAME_STEP and ended.any():
        mask = info.get("_final_obs")
        if "final_obs" not in info or mask is None or not np.array_equal(mask, ended):
            raise InvalidInput(
                f"rows ended in step {number}, but info['final_obs'] with the mask info['_final_obs'] does not say so"
            )


def _check_mask(env: VectorEnv[Any, Any, Any], seed: int) -> None:
    seen, _ = env.reset(seed=seed)
    before = deepcopy(seen)
    mask = np.zeros(env.num_envs, dtype=bool)
    mask[0] = True
    seen, _ = env.reset(options={"reset_mask": mask})
    if not _equal(_rows(before, slice(1, None)), _rows(seen, slice(1, None))):
        raise InvalidInput("reset by a mask changed rows that are not in it")


def _rows(value: Any, which: Any) -> Any:
    if isinstance(value, dict):
        return {name: _rows(part, which) for name, part in value.items()}
    if isinstance(value, tuple):
        return tuple(_rows(part, which) for part in value)
    return value[which]


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_equal(one[name], other[name]) for name in one)
    if isinstance(one, tuple | list):
        return len(one) == len(other) and all(_equal(a, b) for a, b in zip(one, other, strict=True))
    return bool(np.array_equal(one, other, equal_nan=True))


def _same(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]], what: str) -> None:
    for number, (a, b) in enumerate(zip(one, other, strict=True)):
        if not _equal(a, b):
            raise InvalidInput(f"{what}: something else was returned after {number} steps")


def _differ(one: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> None:
    if all(_equal(a, b) for a, b in zip(one, other, strict=True)):
        raise InvalidInput("another seed gives the very same run; reset must use its seed")
