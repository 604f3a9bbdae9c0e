"""A task as native code: physics, terms, ends, commands and new beginnings of a row are one traced function."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from footfall.arrays import Array
from footfall.compiler import Kernel, build_kernel, greater, less, maximum, minimum, repeat, where
from footfall.errors import InvalidInput
from footfall.learning.quantities import Quantities, Setup, evaluate
from footfall.learning.random_streams import STREAM, Draw
from footfall.learning.task import RESETS, LearningTask, Term, as_term
from footfall.simulation.lanes.batch_step import RowReport, RowSettings, RowState

_FASTEST = 1e4  # sum of the squares of velocities, beyond which a row is lost: m2/s2, rad2/s2

Rows = dict[str, Any]


class CompiledTask:
    """rows: shapes of all that a row keeps from step to step. sizes, critic_sizes: of the parts of an observation."""

    def __init__(self, task: LearningTask, count: int = 1) -> None:
        """count: of rows."""
        self.task, self.count = task, count
        step = task.step
        scan = np.zeros((0, 2)) if task.scan is None else np.asarray(task.scan, dtype=np.float64)
        if scan.ndim != 2 or scan.shape[1] != 2 or not np.isfinite(scan).all():
            raise InvalidInput(f"scan has shape {scan.shape}; it must be points (n, 2), finite, in m")
        self.setup = Setup(step, task.joints, task.default, scan, task.dt * task.substeps, task.seconds)
        self.joints = len(task.joints)
        self.terms = tuple(task.rewards)
        joints, settings = (self.joints,), step.setting_shapes()
        self.rows: dict[str, tuple[int, ...]] = {
            **step.state_shapes(),
            **{name: settings[name] for name in RowSettings._fields if name != "push"},
            "stream": (STREAM,),
            "command": (3,),
            "command_left": (),
            "kick_left": (),
            "action": joints,
            "encoder_bias": joints,
            "elapsed": (),
            "level": (),
            "origin": (2,),
            "sums": (len(self.terms),),
        }
        self._try_terms()

    @cached_property
    def step_kernel(self) -> Kernel:
        """rows, given (joints,), pending, same_step, number -> rows and what a step gives."""
        inputs = {**self.rows, "given": (self.joints,), "pending": (), "same_step": (), "number": ()}
        return build_kernel(self._step, inputs, name="environment", check_finite=False)

    @cached_property
    def reset_kernel(self) -> Kernel:
        """rows -> rows, observation, critic; all begin anew."""

        def begun(**rows: Any) -> Mapping[str, Any]:
            return dict(zip([*self.rows, *self._seen], self._begun(rows), strict=True))

        return build_kernel(begun, self.rows, name="begin", check_finite=False)

    @property
    def observation_size(self) -> int:
        return sum(self.sizes.values())

    @property
    def critic_size(self) -> int:
        return sum(self.critic_sizes.values())

    @property
    def _seen(self) -> list[str]:
        return ["observation", "critic"] if self.task.critic is not None else ["observation"]

    # One step

    def _step(
        self, *, given: Array, pending: Any, same_step: Any, number: Any, **rows: Any
    ) -> Mapping[str, Any]:
        task, setup = self.task, self.setup
        draw = Draw(rows["stream"])
        action = maximum(minimum(given, task.action_limit), -task.action_limit)
        rows = {**rows, **self._kicked(rows, draw)}
        state = RowState(*(rows[name] for name in RowState._fields))
        settings = RowSettings(*({**rows, "push": np.zeros(6)}[name] for name in RowSettings._fields))
        places = [coordinate for coordinate, _ in setup.joints]
        wanted = setup.default[places] + task.scales * action - rows["encoder_bias"]
        moved = dict(zip(places, wanted, strict=True))
        driven = [coordinate for coordinate, _ in setup.step.joints]
        goal = np.array([moved.get(place, setup.default[place]) for place in driven])
        after, report = setup.step.trace(state, settings, goal, number, self.count)
        report = report._replace(effort=report.effort[task.moved])
        done: Rows = {**rows, **after._asdict(), "action": action, "elapsed": rows["elapsed"] + 1.0}
        at = Quantities(setup, done, action, rows["action"], report)
        good = less(sum(value * value for value in after.v), _FASTEST)  # not so where it is not a number
        values = [
            as_term(name, term).weight * self._value("reward", name, term, at)
            for name, term in task.rewards.items()
        ]
        terms = np.array([where(good, setup.period * value, 0.0) for value in values])
        ends = self._ended(at)
        late = greater(setup.period * (done["elapsed"] + 0.5), setup.limit)
        playing = less(pending, 0.5)
        terms = where(playing, terms, 0.0)
        over = where(playing, where(good, where(ends, 1.0, 0.0), 1.0), 0.0)
        cut = where(playing, where(late, 1.0, 0.0), 0.0)
        done["sums"] = rows["sums"] + terms
        done |= self._redrawn(done, draw)
        at = Quantities(setup, done, action, rows["action"], report)
        seen = [where(good, part, 0.0) for part in self._observed(at, draw)]
        done["stream"] = np.array(draw.stream)
        begins = maximum(pending, same_step * maximum(over, cut))
        *values, = repeat(
            lambda *values: self._begun(dict(zip(self.rows, values, strict=False))),
            (*(done[name] for name in self.rows), *seen),
            count=1,
            until=lambda *_: less(begins, 0.5),
        )  # fmt: skip
        result = dict(zip([*self.rows, *self._seen], values, strict=True))
        return {
            **result,
            **{f"final_{name}": part for name, part in zip(self._seen, seen, strict=True)},
            "reward": np.sum(terms),
            "terminated": over,
            "truncated": cut,
            "terms": terms,
            "ended": done["sums"],
            "steps": done["elapsed"],
            "lost": where(good, 0.0, 1.0),
            "residual": report.residual,
            "found": report.found,
        }

    def _kicked(self, rows: Rows, draw: Draw) -> Rows:
        """The base's velocity changes where it is time."""
        kick, period = self.task.kick, self.setup.period
        if kick is None:
            return {}
        assert isinstance(kick, Term)
        at = Quantities(self.setup, rows, rows["action"], rows["action"], None)
        now = less(rows["kick_left"], 0.5 * period)
        change = np.asarray(evaluate("kick", "kick", kick.function, kick.options, at, draw))
        v = np.concatenate([rows["v"][:6] + where(now, change, 0.0), rows["v"][6:]])
        left = where(now, draw.uniform(*self.task.kick_every), rows["kick_left"] - period)
        return {"v": v, "kick_left": left}

    def _redrawn(self, rows: Rows, draw: Draw) -> Rows:
        """A new command where it is time."""
        period = self.setup.period
        now = less(rows["command_left"], 0.5 * period)
        left = where(now, draw.uniform(*self.task.redraw), rows["command_left"] - period)
        return {"command": where(now, self._command(rows, draw), rows["command"]), "command_left": left}

    def _command(self, rows: Rows, draw: Draw) -> Array:
        term = self.task.command
        assert isinstance(term, Term)
        at = Quantities(self.setup, rows, rows["action"], rows["action"], None)
        return np.asarray(evaluate("command", "command", term.function, term.options, at, draw))

    def _ended(self, at: Quantities) -> Any:
        result: Any = False
        for name, term in self.task.terminations.items():
            result = self._value("termination", name, term, at) | result
        return result

    @staticmethod
    def _value(kind: str, name: str, term: Any, at: Quantities) -> Any:
        value = evaluate(kind, name, term.function, term.options, at, None)
        return value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value

    def _observed(self, at: Quantities, draw: Draw) -> list[Array]:
        """Observation, and that of the critic if there is one."""
        seen = []
        for kind, terms in (("observation", self.task.observations), ("critic", self.task.critic)):
            if terms is None:
                continue
            parts = []
            for name, term in terms.items():
                assert isinstance(term, Term)
                value = evaluate(
                    kind, name, term.function, term.options, at, draw if kind == "observation" else None
                )
                part = np.ravel(np.asarray(value))
                parts.append(part + draw.uniform(-term.noise, term.noise, len(part)) if term.noise else part)
            seen.append(np.concatenate(parts))
        return seen

    # A new beginning

    def _begun(self, rows: Rows) -> tuple[Any, ...]:
        """All values of a row that begins anew, and what it sees."""
        setup, task = self.setup, self.task
        draw = Draw(rows["stream"])
        kp, kd = task.gains
        still = np.zeros(self.joints)
        new: Rows = {
            "q": np.array(setup.default),
            "v": np.zeros(setup.step.robot.nv),
            "friction": 0.8,
            "kp_factor": 1.0,
            "kd_factor": 1.0,
            "delay": 0.0,
            "base_mass": 0.0,
            "base_shift": np.zeros(3),
            "encoder_bias": still,
            "origin": np.zeros(2),
            "level": rows["level"],
        }
        if task.curriculum is not None:
            assert isinstance(task.curriculum, Term)
            at = Quantities(setup, rows, rows["action"], rows["action"], None)
            level = evaluate(
                "curriculum", "level", task.curriculum.function, task.curriculum.options, at, draw
            )
            new["level"] = where(greater(rows["elapsed"], 0.5), level, rows["level"])
        for name in [name for name in RESETS if name in task.resets]:
            term = task.resets[name]
            assert isinstance(term, Term)
            at = Quantities(setup, {**rows, **new}, still, still, None)
            new[name] = evaluate("reset", name, term.function, term.options, at, draw)
        factors = new.pop("kp_factor"), new.pop("kd_factor")
        places = [coordinate for coordinate, _ in setup.step.joints]
        zero = {name: np.zeros(shape) for name, shape in self.rows.items() if name in _ZERO}
        new = {**rows, **new, **zero, "kp": factors[0] * kp, "kd": factors[1] * kd}
        new["friction"] = new["friction"] * np.ones(self.rows["friction"])
        new["q"] = self._set_down(np.asarray(new["q"]))
        new["held"] = new["q"][places]
        new["command"] = self._command(new, draw)
        new["command_left"] = draw.uniform(*task.redraw)
        new["kick_left"] = draw.uniform(*task.kick_every)
        seen = self._observed(Quantities(setup, new, still, still, None), draw)
        new["stream"] = np.array(draw.stream)
        shaped = [np.asarray(new[name], dtype=object).reshape(shape) for name, shape in self.rows.items()]
        return (*(each.item() if each.ndim == 0 else each for each in shaped), *seen)

    def _set_down(self, q: Array) -> Array:
        """On heights: as much higher as the ground is under the highest of the feet."""
        if self.task.ground is None:
            return q
        step = self.setup.step
        at = Quantities(self.setup, {"q": q}, q[:0], q[:0], None)
        highest = step.height(*at.foot_position[0, :2])
        for place in at.foot_position[1:]:
            highest = maximum(highest, step.height(place[0], place[1]))
        return np.concatenate([q[:2], [q[2] + highest], q[3:]])

    # Terms on numbers

    def _try_terms(self) -> None:
        """Run each term once on numbers, so that what is wrong with it is told by its name; sizes of observations."""
        rows: Rows = {name: np.zeros(shape) if shape else 0.0 for name, shape in self.rows.items()}
        rows |= {"q": np.array(self.setup.default), "stream": np.array([1.0] * STREAM)}
        feet = len(self.setup.step.feet)
        report = RowReport(
            np.zeros((feet, 3)), np.zeros(feet), np.zeros(feet), np.zeros(self.joints), 0.0, 0.0
        )
        at = Quantities(self.setup, rows, rows["action"], rows["action"], report)
        sizes: dict[str, dict[str, int]] = {}
        for kind, terms in (
            ("observations", self.task.observations),
            ("critic", self.task.critic or {}),
            ("rewards", self.task.rewards),
            ("terminations", self.task.terminations),
        ):
            sizes[kind] = {}
            for name, term in terms.items():
                assert isinstance(term, Term)
                value = _tried(kind, name, term, at)
                sizes[kind][name] = int(np.size(value))
                if kind in ("rewards", "terminations") and np.size(value) != 1:
                    raise InvalidInput(f"{kind} {name!r} has shape {np.shape(value)}; it must be one number")
        self.sizes, self.critic_sizes = sizes["observations"], sizes["critic"]
        singles: tuple[Any, ...] = (("command", self.task.command, (3,)), ("kick", self.task.kick, (6,)))
        for name, term, shape in singles:
            if isinstance(term, Term) and np.shape(_tried(name, name, term, at)) != shape:
                raise InvalidInput(
                    f"{name} has shape {np.shape(_tried(name, name, term, at))}; it must be {shape}"
                )


_ZERO = ("impulses", "air_time", "lies", "action", "elapsed", "sums")


def _tried(kind: str, name: str, term: Term, at: Quantities) -> Any:
    try:
        return evaluate(kind, name, term.function, term.options, at, Draw(np.full(STREAM, 12345.0)))
    except Exception as error:
        raise InvalidInput(
            f"{kind} {name!r} cannot be computed at the default configuration: {error}"
        ) from error
