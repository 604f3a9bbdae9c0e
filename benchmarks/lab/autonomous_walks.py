"""Walks that something happens to: boxes that appear ahead, stops at any time, velocities as from a joystick, ten
minutes in a building with pushes, boxes and doors. LOLA, with noise; a row each."""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple

import numpy as np

from benchmarks.lab.building_walks import building_of
from benchmarks.lab.furnished import free_place, rooms_of
from footfall import save_scene
from footfall.math.rotations import yaw_of
from footfall.planning.contacts import Goal
from footfall.planning.teleoperation import VelocityCommand, clipped_command
from footfall.scenarios.walk_outputs import WalkRecorder
from footfall.scene.load import load_scene
from footfall.scene.model import Scene
from footfall.walking import WalkRequest, WalkSession
from footfall.walking.arrival import standing
from footfall.walking.request import WalkMode
from footfall.walking.routes import goal_of_scene
from footfall.walking.walk import cause_of_fall
from footfall.walking.walker import WalkingCode

SCENES = (
    "corridor",
    "stairs",
    "platform",
    "right-wall",
    "obstacles",
    "ramps",
    "stairs-partial",
    "right-table",
    "flat",
)
SEEN_IN_TIME = 0.8  # m: boxes that appear farther ahead of the pelvis are not touched
STEP = 0.8  # s, of walks by velocity
_RECORDED = 50  # periods for a row of the recording of ten minutes


def outcome(session: WalkSession) -> str:
    """What came of a walk."""
    if session.fallen:
        return f"fell: {cause_of_fall(session.walker)}"
    return "arrived" if session.succeeded else f"stood: {session.problem}"


def touched(session: WalkSession) -> tuple[str, ...]:
    """What bodies besides feet and planned hands have touched."""
    return tuple(str(each) for each in session.walker.touches() if not each.planned)


class BoxRow(NamedTuple):
    """A box of a seed. face: how far ahead of the pelvis it appeared, m. speed: of the base then, m/s. outcome: what
    came of it. touched: by what. strike: speed of the base as it was touched first, m/s, -1 if it was not."""

    seed: int
    face: float
    speed: float
    outcome: str
    touched: tuple[str, ...]
    strike: float


def walk_at_boxes(code: WalkingCode, seeds: range) -> Iterator[BoxRow]:
    """A box of random size and turn appears before a robot that walks, its face 0.5 to 1.1 m ahead of the pelvis."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        goal = (5.0, float(rng.uniform(-1.0, 1.0)), 0.0)
        session = WalkSession(scene="flat", noise=True, seed=seed, goal=goal, code=code)
        begin, face = rng.uniform(2.0, 6.0), float(rng.uniform(0.5, 1.1))
        depth, width, height = rng.uniform((0.2, 0.3, 0.2), (0.6, 1.2, 1.2)).tolist()
        aside, turn = rng.uniform((-0.3, -0.6), (0.3, 0.6)).tolist()
        session.run(begin)
        q = session.walker.arrays[0].q
        yaw, speed = float(yaw_of(np.array(q[3:7]))), _speed(session)
        ahead, left = np.array([np.cos(yaw), np.sin(yaw)]), np.array([-np.sin(yaw), np.cos(yaw)])
        nearest = (depth * abs(np.cos(turn)) + width * abs(np.sin(turn))) / 2
        x, y = (q[:2] + ahead * (face + nearest) + left * aside).tolist()
        session.happen(
            "add", name="box", size=(depth, width, height), position=(x, y, height / 2), yaw=yaw + turn
        )
        session.run_to_rest(90.0)
        what = [each for each in session.walker.touches() if not each.planned]
        strike = -1.0
        if what:
            log = session.walker.log
            row = round(min(each.begin for each in what) / session.walker.gains.period) - log.first
            strike = float(np.hypot(*log.v[min(max(row, 0), len(log.v) - 1), :2]))
        yield BoxRow(seed, face, speed, outcome(session), tuple(map(str, what)), strike)


def _speed(session: WalkSession) -> float:
    """Of the base, m/s."""
    return float(np.hypot(*session.walker.arrays[0].v[:2]))


def boxes_table(rows: list[BoxRow]) -> str:
    """By how far ahead they appeared, and each that did not go well."""
    lines = ["| face ahead | boxes | arrived | touched | fell | stood |", "|---|---|---|---|---|---|"]
    for name, low, high in (
        (f"{SEEN_IN_TIME:g} m and more", SEEN_IN_TIME, np.inf),
        (f"0.65 to {SEEN_IN_TIME:g} m", 0.65, SEEN_IN_TIME),
        ("below 0.65 m", 0.0, 0.65),
    ):
        chosen = [row for row in rows if low <= row.face < high]
        ends = [row.outcome.partition(":")[0] for row in chosen]
        lines.append(
            f"| {name} | {len(chosen)} | {ends.count('arrived')} | {sum(bool(row.touched) for row in chosen)} "
            f"| {ends.count('fell')} | {ends.count('stood')} |"
        )
    for row in sorted(rows, key=lambda row: row.face):
        if row.touched or row.outcome != "arrived":
            struck = f", touched at {row.strike:.2f} m/s: {'; '.join(row.touched)}" if row.touched else ""
            lines.append(f"- {row.face:.2f} m (seed {row.seed}, {row.speed:.2f} m/s): {row.outcome}{struck}")
    return "\n".join(lines)


class StopRow(NamedTuple):
    """A walk that was stopped at a random time. kind: what happened before. refused: stops that were refused."""

    seed: int
    scene: str
    kind: str
    stands: bool
    outcome: str
    refused: int
    touched: tuple[str, ...]


def stop_walks(code: WalkingCode, seeds: range) -> Iterator[StopRow]:
    """A walk to a goal or by a velocity in a random scene is stopped at a random time, pushed before or sent
    elsewhere."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        scene = str(rng.choice(SCENES))
        goal = goal_of_scene(load_scene(scene))
        there = None if goal is None else (goal.x, goal.y, goal.yaw)
        session = WalkSession(scene=scene, noise=True, seed=seed, goal=there, code=code)
        if there is None:
            session.drive(*rng.uniform((-0.2, -0.1, -0.4), (0.6, 0.1, 0.4)).tolist())
        session.run(float(rng.uniform(1.0, 8.0)))
        kind = str(rng.choice(["stop", "stumble", "replan"]))
        if kind == "stumble":
            _push(session, 8.0, float(rng.uniform(0.0, 2.0 * np.pi)))
            session.run(float(rng.uniform(0.0, 0.5)))
        if kind == "replan" and there is not None:
            session.walk_to(there[0] - float(rng.uniform(0.0, 1.0)), there[1], there[2])
            session.run(float(rng.uniform(0.0, 1.0)))
        session.stop()
        stands = session.run_to_rest(20.0)
        refused = sum(each.about == "stop" and each.problem is not None for each in session.pilot.versions)
        yield StopRow(
            seed, scene, kind, stands, "stands" if stands else outcome(session), refused, touched(session)
        )


def _push(session: WalkSession, impulse: float, angle: float) -> None:
    """A push of some N s within a tenth of a second."""
    force = (10.0 * impulse * math.cos(angle), 10.0 * impulse * math.sin(angle), 0.0)
    session.happen("push", body="torso", force=force, seconds=0.1)


def stops_table(rows: list[StopRow]) -> str:
    """By what happened before."""
    lines = [
        "| before the stop | walks | stand | stops refused | touched something |",
        "|---|---|---|---|---|",
    ]
    for kind in ("stop", "stumble", "replan"):
        chosen = [row for row in rows if row.kind == kind]
        lines.append(
            f"| {kind} | {len(chosen)} | {sum(row.stands for row in chosen)} "
            f"| {sum(row.refused for row in chosen)} | {sum(bool(row.touched) for row in chosen)} |"
        )
    for row in rows:
        if not row.stands or row.touched:
            lines.append(
                f"- seed {row.seed}, {row.scene}, {row.kind}: {'; '.join((row.outcome, *row.touched))}"
            )
    return "\n".join(lines)


class Held(NamedTuple):
    """A command that was held. command: what was asked for, walked: what came over the last four steps of it, in the
    true world: forward, left in m/s and turn in rad/s."""

    command: tuple[float, float, float]
    walked: tuple[float, float, float]

    @property
    def within(self) -> bool:
        """Whether each is within 10 % of its command, or 0.02 m/s and 0.03 rad/s."""
        room = zip(self.command, self.walked, (0.02, 0.02, 0.03), strict=True)
        return all(abs(walked - wanted) <= max(0.1 * abs(wanted), most) for wanted, walked, most in room)


class CommandRow(NamedTuple):
    """Random commands of a seed for some time. clipped: plans that did only a part of what was asked for. held: see
    `Held`, as two tuples each."""

    seed: int
    time: float
    plans: int
    refused: int
    clipped: int
    outcome: str
    held: tuple[tuple[tuple[float, float, float], tuple[float, float, float]], ...]


def walk_by_commands(code: WalkingCode, seeds: range, seconds: float = 600.0) -> Iterator[CommandRow]:
    """Velocities as from a joystick, in and out of the envelope, with stops; every 20 s one within it that is held."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        session = WalkSession(scene="flat", noise=True, seed=seed, code=code)
        held: list[tuple[tuple[float, float, float], tuple[float, float, float]]] = []
        session.run(0.8)
        while session.time < seconds and not session.fallen:
            end = session.time + 10.0
            while session.time < end and not session.fallen:
                session.drive(*_any_command(rng))
                session.run(0.1 + float(rng.exponential(1.5)))
            wanted = clipped_command(VelocityCommand(*_any_command(rng)), session.pilot.settings.planner)
            if wanted.stands or session.fallen:
                continue
            session.drive(wanted.forward, wanted.left, wanted.turn)
            session.run(6.0)
            before = standing(code.body, session.walker.arrays[0].q)
            session.run(4.0 * STEP)
            after = standing(code.body, session.walker.arrays[0].q)
            held.append(((wanted.forward, wanted.left, wanted.turn), _twist(before, after, 4.0 * STEP)))
        session.stop()
        rests = session.run_to_rest(20.0)
        plans = [each for each in session.pilot.versions if each.about.startswith("drive")]
        yield CommandRow(
            seed,
            session.time,
            len(plans),
            sum(each.problem is not None for each in session.pilot.versions),
            sum(any("clipped" in told for told in each.warnings) for each in plans),
            "stands" if rests else outcome(session),
            tuple(held),
        )


def _any_command(rng: np.random.Generator) -> tuple[float, float, float]:
    share = np.array([1.0, rng.integers(2), rng.integers(2)]) * (rng.uniform() > 0.2)
    forward, left, turn = (share * rng.uniform((-0.3, -0.2, -0.5), (0.75, 0.2, 0.5))).tolist()
    return forward, left, turn


def _twist(before: Goal, after: Goal, seconds: float) -> tuple[float, float, float]:
    """The velocity that leads from one place to another on an arc: the logarithm of the way between them."""
    turn = math.remainder(after.yaw - before.yaw, math.tau)
    way = np.array([after.x - before.x, after.y - before.y])
    c, s = math.cos(before.yaw), math.sin(before.yaw)
    ahead, aside = np.array([[c, s], [-s, c]]) @ way
    half = turn / 2.0
    cotangent = half / math.tan(half) if abs(half) > 1e-9 else 1.0
    forward, left = cotangent * ahead + half * aside, cotangent * aside - half * ahead
    return float(forward) / seconds, float(left) / seconds, turn / seconds


def commands_table(rows: list[CommandRow]) -> str:
    """How often commands were refused and clipped, and how well those that were held were walked."""
    lines = [
        "| seed | s | plans | refused | clipped | held | within the bar | ends |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        held = [Held(*each) for each in row.held]
        lines.append(
            f"| {row.seed} | {row.time:.0f} | {row.plans} | {row.refused} | {row.clipped} | {len(held)} "
            f"| {sum(each.within for each in held)} | {row.outcome} |"
        )
    for row in rows:
        for each in (Held(*some) for some in row.held):
            if not each.within:
                told = (", ".join(f"{number:.3f}" for number in some) for some in each)
                lines.append(f"- seed {row.seed}: wanted {next(told)}, walked {next(told)}")
    return "\n".join(lines)


class LifeRow(NamedTuple):
    """A robot that was sent from room to room for some time while things happened to it. goals, missed: that it came
    to, and that it was sent away from since there was no way or no time. pushes, boxes, doors: how many. seconds: of
    CPU."""

    seed: int
    mode: str
    time: float
    outcome: str
    goals: int
    missed: int
    pushes: int
    boxes: int
    doors: int
    touched: tuple[str, ...]
    late_plans: int
    seconds: float


def live_in_buildings(
    code: WalkingCode,
    seeds: range,
    mode: WalkMode = "reduced",
    minutes: float = 10.0,
    recordings: Path | None = None,
) -> Iterator[LifeRow]:
    """From room to room, with pushes of 5 to 15 N s, boxes that come into the way and go, doors that close and open.
    recordings: folder for one of each."""
    for seed in seeds:
        begin = time.process_time()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "building.toml"
            scene = building_of(seed)
            save_scene(scene, path)
            session = WalkSession(
                WalkRequest(scene=str(path), noise=True, seed=seed, mode=mode, seconds=60.0 * minutes),
                code=code,
                log_every=1 if recordings is None else _RECORDED,
            )
            name = f"life-{seed}-{mode}"
            with nullcontext() if recordings is None else WalkRecorder(session, recordings, name=name):
                counts = _lived(session, scene, np.random.default_rng(seed + 1), 60.0 * minutes)
        yield LifeRow(
            seed,
            mode,
            session.time,
            f"fell: {cause_of_fall(session.walker)}" if session.fallen else "on its feet",
            *counts,
            touched(session),
            sum(each.late for each in session.pilot.versions[1:]),
            time.process_time() - begin,
        )


def _lived(
    session: WalkSession, scene: Scene, rng: np.random.Generator, seconds: float
) -> tuple[int, int, int, int, int]:
    """Goals, those that were missed, pushes, boxes, doors."""
    goals = missed = pushes = boxes = doors = 0
    lintels = [each for each in scene.objects if each.name.startswith("lintel")]
    patience = 0.0
    things: list[tuple[float, str]] = []  # when they go, and their names
    next_push, next_thing = float(rng.uniform(5.0, 15.0)), float(rng.uniform(10.0, 25.0))
    while session.time < seconds and not session.fallen:
        if session.resting or session.time > patience:
            goals, missed = goals + session.succeeded, missed + (not session.succeeded)
            place = free_place(scene, rng, rooms_of(scene, rng)[0])
            session.walk_to(float(place[0]), float(place[1]), float(rng.uniform(-np.pi, np.pi)))
            patience = session.time + 120.0
        session.run(0.5)
        if session.time > next_push:
            _push(session, float(rng.uniform(5.0, 15.0)), float(rng.uniform(0.0, 2.0 * np.pi)))
            pushes, next_push = pushes + 1, session.time + float(rng.uniform(5.0, 15.0))
        if session.time > next_thing:
            q = session.walker.arrays[0].q
            name, lasts = f"thing-{boxes + doors}", float(rng.uniform(8.0, 20.0))
            if rng.random() < 0.5:
                ahead = float(yaw_of(np.array(q[3:7]))) + float(rng.uniform(-0.4, 0.4))
                away = float(rng.uniform(1.2, 2.0))
                x, y = float(q[0]) + away * math.cos(ahead), float(q[1]) + away * math.sin(ahead)
                size = rng.uniform((0.2, 0.2, 0.2), (0.5, 0.5, 1.0)).tolist()
                session.happen("add", name=name, size=tuple(size), position=(x, y, size[2] / 2), yaw=ahead)
                boxes += 1
            else:
                lintel = lintels[int(rng.integers(len(lintels)))]
                x, y, _ = lintel.placement.translation.tolist()
                if math.hypot(x - q[0], y - q[1]) > 1.3:
                    session.happen("add", name=name, size=(1.0, 0.06, 2.0), position=(x, y, 1.0), yaw=0.0)
                    doors += 1
                else:
                    name = ""
            if name:
                things.append((session.time + lasts, name))
            next_thing = session.time + float(rng.uniform(10.0, 25.0))
        for gone in [each for each in things if session.time > each[0]]:
            session.happen("remove", object=gone[1])
            things.remove(gone)
    return goals, missed, pushes, boxes, doors


def lives_table(rows: list[LifeRow]) -> str:
    """A line each."""
    lines = [
        "| seed | mode | s | goals | missed | pushes | boxes | doors | late plans | ends | touched |",
        "|---|---|---|---|---|---|---|---|---|---|---|",
    ]
    for row in rows:
        lines.append(
            f"| {row.seed} | {row.mode} | {row.time:.0f} | {row.goals} | {row.missed} | {row.pushes} | {row.boxes} "
            f"| {row.doors} | {row.late_plans} | {row.outcome} | {'; '.join(row.touched) or 'nothing'} |"
        )
    return "\n".join(lines)
