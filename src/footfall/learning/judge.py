"""How well a policy follows a joystick: `python -m footfall.learning.judge go2.onnx`.

Episodes with commands, friction, masses and kicks of the task's own, none of which it learned from; the policy acts
without noise of its own.
"""

from __future__ import annotations

import argparse
import inspect
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from footfall.errors import InvalidInput
from footfall.learning.policy import Policy
from footfall.learning.policy_note import note_of
from footfall.learning.task import LearningTask, Term, as_term
from footfall.learning.vector_environment import FootfallVectorEnv, as_task

_SETTLED = 50  # steps after a change of the command, from which on the velocity counts


class Verdict(NamedTuple):
    """Errors of the mean velocity, m/s and rad/s, between two changes of the command; falls as a share of episodes."""

    episodes: int
    velocity_error: float
    rate_error: float
    falls: float

    def __str__(self) -> str:
        return (
            f"{self.episodes} episodes: mean velocity {self.velocity_error:.3f} m/s and "
            f"{self.rate_error:.3f} rad/s off, {100 * self.falls:.2f} % fall"
        )


def judge(
    policy: Policy,
    env: FootfallVectorEnv,
    *,
    seed: int = 10_000,
    steps: int | None = None,
    command: bool = True,
    level: float = 0.0,
) -> Verdict:
    """Run one episode in each row of an environment without autoreset (`autoreset_mode="Disabled"`).

    command: whether what counts begins 1 s after each change of the command, else at once. level: of the curriculum,
    0 to 1, on which all rows begin.
    """
    if not 0.0 <= level <= 1.0:
        raise InvalidInput(f"level is {level}; it must be from 0 to 1")
    note = note_of(env.task)
    own = policy.note
    if own is not None and (own.joints, own.parts) != (note.joints, note.parts):
        raise InvalidInput(
            f"the policy was trained for {own.robot!r} with observations {own.parts}; the task has {note.robot!r} with "
            f"{note.parts}"
        )
    env.rows["level"][:], env.rows["elapsed"][:] = level, 0.0  # rows that begin leave the curriculum alone
    seen, _ = env.reset(seed=seed)
    rows, settled = env.num_envs, _SETTLED if command else 0
    fallen, since = np.zeros(rows, dtype=bool), np.zeros(rows)
    sums, wanted, errors = np.zeros((rows, 3)), env.rows["command"].copy(), []
    count = steps or round(env.task.seconds / env.compiled.setup.period) - 1
    for _ in range(count):
        seen, _, terminated, _, _ = env.step(policy(seen))
        fallen |= terminated
        env._done[:] = False  # who has fallen is not looked at again
        turn = np.arctan2(
            2 * (env.rows["q"][:, 3] * env.rows["q"][:, 6] + env.rows["q"][:, 4] * env.rows["q"][:, 5]),
            1 - 2 * (env.rows["q"][:, 5] ** 2 + env.rows["q"][:, 6] ** 2),
        )
        cosine, sine, v = np.cos(turn), np.sin(turn), env.rows["v"]
        moving = np.stack(
            [cosine * v[:, 0] + sine * v[:, 1], cosine * v[:, 1] - sine * v[:, 0], v[:, 5]], axis=1
        )
        changed = (env.rows["command"] != wanted).any(axis=1)
        for row in np.flatnonzero(changed & (since > settled + 25) & ~fallen):
            errors.append(sums[row] / (since[row] - settled) - wanted[row])
        sums[changed], since[changed] = 0.0, 0.0
        wanted = env.rows["command"].copy()
        since += 1.0
        sums[since > settled] += moving[since > settled]
    off = np.array(errors).reshape(-1, 3)
    return Verdict(
        rows,
        float(np.linalg.norm(off[:, :2], axis=1).mean()) if len(off) else float("nan"),
        float(np.abs(off[:, 2]).mean()) if len(off) else float("nan"),
        float(fallen.mean()),
    )


def slower(task: LearningTask, share: float) -> LearningTask:
    """The task with a share of its commands."""
    if not 0.0 < share < np.inf:
        raise InvalidInput(f"speed is {share}; it must be above zero and finite")
    term = as_term("command", task.command)

    def command(**given: Any) -> Any:
        return share * term.function(**given)

    command.__signature__ = inspect.signature(term.function)  # type: ignore[attr-defined]
    return replace(task, command=Term(command, options=term.options))


def main() -> None:
    """Print the verdict on a policy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("policy", help="an ONNX file of save_policy")
    parser.add_argument("--task", default="Go2-Velocity", help="a task that we ship, or a TOML file")
    parser.add_argument("--episodes", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=10_000)
    parser.add_argument(
        "--speed", type=float, default=1.0, help="share of the task's commands that is asked for"
    )
    parser.add_argument(
        "--level", type=float, default=0.0, help="of the curriculum, 0 to 1: how rough the ground is"
    )
    options = parser.parse_args()
    task = slower(as_task(options.task), options.speed)
    env = FootfallVectorEnv(task, options.episodes, autoreset_mode="Disabled")
    print(judge(Policy(options.policy), env, seed=options.seed, level=options.level))


if __name__ == "__main__":
    main()
