"""Scenes of a seed that try one thing each: a narrow beam, a plate that rocks, walls that only a camera has seen, walls
that are not where they are seen, hands at other paces. LOLA, with noise; a row each."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import msgspec
import numpy as np

from footfall import save_scene
from footfall.errors import FootfallError
from footfall.math.transform import Transform
from footfall.robot.shapes import Box
from footfall.scene.load import load_scene
from footfall.scene.model import Mass, Scene, SceneObject
from footfall.scene.parts import at, block, floor
from footfall.walking import WalkRequest, walk
from footfall.walking.request import WalkMode
from footfall.walking.runs import RUNS
from footfall.walking.signals import Set, WalkTo
from footfall.walking.walker import WalkingCode

_GOAL = 3.0  # m ahead
_WIDE = 0.35  # m, of the beam
_DEEP = 0.6  # m, of the ground below it
_PLATE, _PLATE_MASS = (0.8, 1.0, 0.02), 9.0  # m, kg
_BAR = 0.012  # m, below the middle of the plate
_OFF = 0.07  # m, by which walls are seen nearer or farther than they are
_WAVE, _LENGTH, _SLICE = 0.02, 0.4, 0.05  # m: height and length of a wave, and of a piece that is seen
_CARRIES = 0.999  # of its load: what rounding leaves of all

Made = Scene | str  # a scene, or the name of one


class Trial(NamedTuple):
    """What is tried: the scene of a seed, the walk in it, and on which drives. about: in words."""

    about: str
    scene: Callable[[np.random.Generator], Made]
    request: WalkRequest
    mode: WalkMode = "reduced"


def beam(rng: np.random.Generator) -> Scene:
    """A beam between two grounds, up to 5 cm beside the way."""
    begin, long, aside = (float(each) for each in rng.uniform((0.8, 1.0, -0.05), (1.1, 1.4, 0.05)))
    end, half = begin + long, _WIDE / 2
    return _with_goal(
        block("near", "floor", (-2.0, begin), (-2.0, 2.0), (-_DEEP - 0.1, 0.0)),
        block("far", "floor", (end, 6.0), (-2.0, 2.0), (-_DEEP - 0.1, 0.0)),
        block("beam", "floor", (begin, end), (aside - half, aside + half), (-0.3, 0.0)),
        block("bottom", "floor", (-2.0, 6.0), (-2.0, 2.0), (-_DEEP - 0.2, -_DEEP)),
    )


def rocking_plate(rng: np.random.Generator) -> Scene:
    """A loose plate on a bar across the way."""
    x, y = (float(each) for each in rng.uniform((1.1, -0.05), (1.6, 0.05)))
    a, b, c = (size * size for size in _PLATE)
    inertia = _PLATE_MASS / 12.0 * np.diag([b + c, a + c, a + b])
    plate = SceneObject(
        "plate",
        Box(_PLATE),
        at(x, y, _BAR + _PLATE[2] / 2),
        category="floor",
        free=Mass(_PLATE_MASS, np.zeros(3), inertia),
    )
    bar = block("bar", "floor", (x - 0.01, x + 0.01), (y - 0.5, y + 0.5), (0.0, _BAR))
    return _with_goal(floor(), bar, plate)


def _with_goal(*objects: SceneObject) -> Scene:
    return Scene("trial", objects, start=at(0.0, 0.0), goal=at(_GOAL, 0.0))


def corridor(rng: np.random.Generator) -> str:
    """The shipped one."""
    return "corridor"


def flat(rng: np.random.Generator) -> str:
    """Level ground."""
    return "flat"


def displaced_walls(rng: np.random.Generator) -> Scene:
    """The corridor with each wall seen nearer or farther than it is."""
    return _seen_otherwise(lambda wall: [_moved(wall, 0.0, _OFF * float(rng.choice([-1.0, 1.0])))])


def rippled_walls(rng: np.random.Generator) -> Scene:
    """The corridor with waves on both walls that are not there, of a random phase."""

    def slices(wall: SceneObject) -> list[SceneObject]:
        assert isinstance(wall.shape, Box)
        (long, deep, high), phase = wall.shape.size, float(rng.uniform(0.0, 2.0 * np.pi))
        along = np.arange(-long / 2 + _SLICE / 2, long / 2, _SLICE)
        piece = replace(wall, shape=Box((_SLICE, deep, high)))
        return [
            replace(
                _moved(piece, float(x), _WAVE * float(np.sin(2.0 * np.pi * x / _LENGTH + phase))),
                name=f"{wall.name}-{k}",
            )
            for k, x in enumerate(along)
        ]

    return _seen_otherwise(slices)


def _seen_otherwise(seen: Callable[[SceneObject], list[SceneObject]]) -> Scene:
    """The corridor whose walls are touched where they are, and seen as something else that cannot be touched."""
    scene, things = load_scene("corridor"), []
    for each in scene.objects:
        if each.category != "wall":
            things.append(each)
            continue
        things.append(replace(each, name=f"true-{each.name}", visible=False))
        things += [replace(part, contact=False) for part in seen(each)]
    return replace(scene, objects=tuple(things))


def _moved(wall: SceneObject, along: float, aside: float) -> SceneObject:
    place = wall.placement
    return replace(
        wall, placement=Transform(place.rotation, place.translation + np.array([along, aside, 0.0]))
    )


def _paced(factor: float) -> WalkRequest:
    """Through the corridor with steps so much longer in time where hands touch something."""
    pace = Set(name="planner.timing.hands_factor", value=factor)
    ahead = WalkTo(time=0.1, x=_GOAL, y=0.0, yaw=0.0)
    return WalkRequest(scene="corridor", sight="exact", signals=(pace, ahead))


_SEEN = RUNS["vision"].request
TRIALS: dict[str, Trial] = {
    "beam": Trial("a beam of 35 cm", beam, WalkRequest(), "full"),
    "plate": Trial("a plate that rocks", rocking_plate, WalkRequest(), "full"),
    "vision": Trial("a corridor by camera", corridor, _SEEN),
    "vision-wall": Trial("a wall to the left, by camera", flat, RUNS["vision-wall"].request),
    "displaced": Trial("walls seen 7 cm off, by camera", displaced_walls, _SEEN),
    "waves": Trial("waves of 4 cm seen on walls, by camera", rippled_walls, _SEEN),
    "exact": Trial("a corridor by exact sight", corridor, WalkRequest(sight="exact")),
    "quick-hands": Trial("hands at the pace of other steps, exact sight", corridor, _paced(1.0)),
    "slow-hands": Trial("steps with hands 2.5 times as long, exact sight", corridor, _paced(2.5)),
}


class TrialRow(NamedTuple):
    """A walk of a seed. what: became of it, if it did not arrive. force: the greatest on a hand, N. carried: how long
    a planned contact had all of its load, s in the mean. strain: greatest current, as a part of what a motor can have.
    seconds: of CPU."""

    seed: int
    trial: str
    reached: bool
    what: str
    touched: tuple[str, ...]
    planned_hands: int
    hands: int
    force: float
    carried: float
    strain: float
    time: float
    seconds: float


def walk_trials(code: WalkingCode | None, seeds: range, trial: str) -> Iterator[TrialRow]:
    """Walk in the scenes of some seeds, with noise."""
    tried = TRIALS[trial]
    for seed in seeds:
        begin = time.process_time()
        made = tried.scene(np.random.default_rng(seed))
        with tempfile.TemporaryDirectory() as folder:
            if not isinstance(made, str):
                path = Path(folder) / "scene.toml"
                save_scene(made, path)
                made = str(path)
            request = msgspec.structs.replace(
                tried.request, scene=made, noise=True, seed=seed, mode=tried.mode
            )
            try:
                done = walk(request, code=code)
            except FootfallError as error:
                seconds = time.process_time() - begin
                yield TrialRow(seed, trial, False, str(error), (), 0, 0, 0.0, 0.0, 0.0, 0.0, seconds)
                continue
        found = done.summary
        loaded = float((done.signals["hand_loads"] > _CARRIES).sum()) * done.walker.row_time
        yield TrialRow(
            seed,
            trial,
            found.reached,
            "" if found.reached else found.cause or found.problem or f"stands {found.goal_error:.2f} m off",
            found.touched,
            found.planned_hand_contacts,
            found.made_hand_contacts,
            found.peak_hand_force,
            loaded / max(found.planned_hand_contacts, 1),
            found.strain,
            found.time,
            time.process_time() - begin,
        )


def trials_table(rows: list[TrialRow]) -> str:
    """What became of the walks, as Markdown, with each that failed or touched something."""
    lines = [
        "| scene | walks | arrived | touched something | contacts planned | made | greatest force, N "
        "| all of the load, s a contact | greatest current |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for trial in dict.fromkeys(row.trial for row in rows):
        chosen = [row for row in rows if row.trial == trial]
        leant = [row for row in chosen if row.planned_hands]
        forces = (
            f"{min(row.force for row in leant):.0f} to {max(row.force for row in leant):.0f}" if leant else ""
        )
        carried = f"{np.mean([row.carried for row in leant]):.2f}" if leant else ""
        strain = max(row.strain for row in chosen)
        lines.append(
            f"| {TRIALS[trial].about} | {len(chosen)} | {sum(row.reached for row in chosen)} "
            f"| {sum(bool(row.touched) for row in chosen)} "
            f"| {', '.join(str(row.planned_hands) for row in leant)} | {sum(row.hands for row in chosen)} "
            f"| {forces} | {carried} | {f'{strain:.2f}' if strain > 0.0 else ''} |"
        )
    for row in rows:
        if not row.reached or row.touched:
            lines.append(
                f"- {row.trial}, seed {row.seed}: {'; '.join((row.what or 'arrived', *row.touched))}"
            )
    return "\n".join(lines)
