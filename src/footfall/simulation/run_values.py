"""What a simulation goes on from, and what a run of it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from footfall.arrays import Array, Integers
from footfall.errors import InvalidInput, UnknownName
from footfall.renamed import renamed_keywords, warn_renamed


@renamed_keywords(touches="contacts")
@dataclass(frozen=True)
class SimulationState:
    """All that a simulation goes on from: time (s), q (nq,), v (nv,), integral (joints,) of the joint controllers,
    impulses (rows,) of the last step and the state of the drives, see `DriveTrain`. A value: keep it to
    return to it.

    contacts: what touched in the last step, where contacts are found while it runs; impulses are theirs, three each,
    then those of joints. layers: (3 nodes,) displacements of contact layers, along the axes of their links, m.
    """

    time: float
    q: Array
    v: Array
    integral: Array
    impulses: Array
    drives: Array = field(default_factory=lambda: np.zeros(0))
    contacts: Any = ()
    layers: Array = field(default_factory=lambda: np.zeros(0))

    @property
    def touches(self) -> Any:
        """The old name of `contacts`."""
        warn_renamed("SimulationState.touches", "contacts", depth=3)
        return self.contacts


@dataclass(frozen=True)
class ContactLog:
    """What touched at the end of each control period; those of period k stand in rows starts[k] to starts[k + 1].

    names: of bodies and objects. first, second (m,): numbers of the two that touch. positions (m, 3) m; normals (m, 3)
    from the second towards the first; forces (m, 3) on the first, N; world axes. gaps (m,): m, before the step.
    """

    names: tuple[str, ...]
    starts: Integers
    first: Integers
    second: Integers
    positions: Array
    normals: Array
    forces: Array
    gaps: Array

    @property
    def counts(self) -> Integers:
        """Number of contacts at the end of each period, (n,)."""
        return np.diff(self.starts)

    def rows(self, period: int) -> slice:
        """The rows of a period."""
        return slice(int(self.starts[period]), int(self.starts[period + 1]))

    @property
    def periods(self) -> Integers:
        """The period (m,) that each row belongs to."""
        return np.repeat(np.arange(len(self.starts) - 1), self.counts)

    def side_by_side(self, values: Array) -> Array:
        """Values (m, ...) of the rows as an array (n, most, ...), zeros behind the last of each period."""
        counts = self.counts
        result = np.zeros((len(counts), int(counts.max(initial=0)), *values.shape[1:]))
        place = np.arange(len(values)) - np.repeat(self.starts[:-1], counts)
        result[self.periods, place] = values
        return result

    def number(self, name: str) -> int:
        if name not in self.names:
            raise UnknownName("body or object that can be touched", name, self.names, "the trajectory")
        return self.names.index(name)


@dataclass(frozen=True, repr=False)
class Trajectory:
    """What a run gives, one row a control period: time (n,) s, q (n, nq), v (n, nv), effort (n, nv) N m, what touched
    (`contacts`), residual (n,) N s, solver_steps (n,): the most in a step, and currents (n, motors) A of a robot with
    drives. asked (n,): the residual that was allowed, N s, where that changes (`SolverOptions.moving_tolerance`)."""

    time: Array
    q: Array
    v: Array
    effort: Array
    contacts: ContactLog
    residual: Array
    solver_steps: Integers
    currents: Array
    asked: Array | None = None

    @property
    def touches(self) -> ContactLog:
        """The old name of `contacts`."""
        warn_renamed("Trajectory.touches", "contacts", depth=3)
        return self.contacts

    @property
    def positions(self) -> Array:
        """Where it touched (n, contacts, 3), m; zeros behind the last of each row, if their number changes."""
        return self.contacts.side_by_side(self.contacts.positions)

    @property
    def forces(self) -> Array:
        """Contact forces (n, contacts, 3), N, world axes, on the first of the two that touch; zeros likewise."""
        return self.contacts.side_by_side(self.contacts.forces)

    def force_on(self, name: str) -> Array:
        """Sum (n, 3) of the contact forces on a body or object, N, world axes."""
        return self.wrench_on(name)[:, :3]

    def wrench_on(self, name: str, *, at: Array | Sequence[float] = (0.0, 0.0, 0.0)) -> Array:
        """Sum [f; n] (n, 6) of the contact forces on a body or object, N and N m, world axes.

        at: the point (3,), or one a row (n, 3), that moments are taken about, m; the world's origin by default.
        """
        log, number = self.contacts, self.contacts.number(name)
        sign = (log.first == number).astype(np.float64) - (log.second == number)
        force = sign[:, None] * log.forces
        points = np.asarray(at, dtype=np.float64)
        if points.shape not in ((3,), (len(self.time), 3)):
            raise InvalidInput(
                f"at has shape {points.shape}; it must be (3,), or one point a row ({len(self.time)}, 3)"
            )
        points = np.broadcast_to(points, (len(self.time), 3))
        moment = np.cross(log.positions - points[log.periods], force)
        result = np.zeros((len(self.time), 6))
        np.add.at(result, log.periods, np.hstack([force, moment]))
        return result

    def centre_of_pressure(self, name: str) -> Array:
        """Where the normal forces on a body or object act (n, 3), m: their weighted mean; NaN where nothing presses."""
        log, number = self.contacts, self.contacts.number(name)
        press = np.einsum("mi,mi->m", log.normals, log.forces)
        press = press * ((log.first == number) | (log.second == number))
        count = len(self.time)
        total = np.bincount(log.periods, press, count)
        sums = np.stack(
            [np.bincount(log.periods, press * log.positions[:, i], count) for i in range(3)], axis=1
        )
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(total[:, None] > 0.0, sums / total[:, None], np.nan)

    def __repr__(self) -> str:
        span = f"{self.time[0]:.6g} to {self.time[-1]:.6g} s" if len(self.time) else "no time"
        arrays = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name != "contacts" and getattr(self, each.name) is not None
        }
        shapes = ", ".join(f"{name} {part.shape}" for name, part in arrays.items())
        most = self.contacts.counts.max(initial=0)
        return f"Trajectory over {span}: {shapes}, at most {most} contacts at a time"


def join_trajectories(parts: Sequence[Trajectory]) -> Trajectory:
    """Trajectories of one simulation, one after the other; one at least."""
    if not parts:
        raise InvalidInput("there are no trajectories to join; give one at least")
    arrays = {
        each.name: np.concatenate([getattr(part, each.name) for part in parts])
        for each in fields(Trajectory)
        if each.name not in ("contacts", "asked")
    }
    asked = [part.asked for part in parts if part.asked is not None]
    return Trajectory(
        **arrays,
        contacts=join_logs([part.contacts for part in parts]),
        asked=np.concatenate(asked) if len(asked) == len(parts) else None,
    )


def join_logs(logs: Sequence[ContactLog]) -> ContactLog:
    """Contacts of periods, one after the other."""
    names = tuple(dict.fromkeys(name for log in logs for name in log.names))
    place = {name: k for k, name in enumerate(names)}

    def renumbered(log: ContactLog, numbers: Integers) -> Integers:
        return np.array([place[name] for name in log.names], dtype=np.int64)[numbers]

    ends = np.cumsum([0, *(len(log.gaps) for log in logs)])
    starts = [log.starts[:-1] + end for log, end in zip(logs, ends[:-1], strict=True)]
    return ContactLog(
        names,
        np.concatenate([*starts, ends[-1:]]),
        np.concatenate([renumbered(log, log.first) for log in logs]),
        np.concatenate([renumbered(log, log.second) for log in logs]),
        *(
            np.concatenate([getattr(log, name) for log in logs])
            for name in ("positions", "normals", "forces", "gaps")
        ),
    )
