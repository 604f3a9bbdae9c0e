"""Many things that touch each other: piles that fall, a wall that is hit, dominoes, a house of cards; with their steps.

A scene and dt (s) each. Sizes and turns of piles come from a seed: solvers were tuned on seeds below 1000.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from benchmarks.lab.world_scenes import falling_boxes, loose
from footfall import Box, Material, Plane, Scene, SceneObject, Sphere, Transform, free_body
from footfall.math.rotations import rotation_y

_MATERIAL = Material(friction=0.5)
_GROUND = SceneObject("ground", Plane(), material=_MATERIAL)


def pile(count: int, seed: int) -> tuple[Scene, float]:
    """Boxes of random sizes that fall onto each other."""
    return Scene("pile", (_GROUND, *falling_boxes(count, seed))), 2e-3


def heaps(count: int, each: int) -> tuple[Scene, float]:
    """Several piles of so many boxes, seeds from 1001, 3 m apart; where a pile is one box, it spins."""
    things = [_GROUND]
    for k in range(count):
        aside = np.array([3.0 * (k % 30), 3.0 * (k // 30), 0.0])
        spin = np.random.default_rng(k).uniform(-5.0, 5.0, 3) if each == 1 else np.zeros(3)
        for thing in falling_boxes(each, 1001 + k):
            placement = Transform(thing.placement.rotation, thing.placement.translation + aside)
            assert thing.free is not None
            free = replace(thing.free, velocity=(0.0, 0.0, 0.0, *spin))
            things.append(replace(thing, name=f"heap{k}-{thing.name}", placement=placement, free=free))
    return Scene("heaps", tuple(things)), 2e-3


def wall(rows: int, columns: int, *, hit: bool, seed: int | None = None) -> tuple[Scene, float]:
    """Bricks of 2 kg in a running bond; hit: by a ball of 20 kg at 8 m/s, in the middle or where a seed says."""
    size = np.array([0.2, 0.1, 0.1])
    things = []
    for row in range(rows):
        for column in range(columns):
            x = (column - columns / 2 + 0.5 * (row % 2)) * size[0]
            place = np.array([x, 0.0, (row + 0.5) * size[2]])
            things.append(loose(f"brick{row}-{column}", Box(tuple(size)), place, mass=2.0))
    if hit:
        free = free_body(Sphere(0.15), 20.0, velocity=(0.0, 8.0, 0.0, 0.0, 0.0, 0.0))
        rng = np.random.default_rng(seed)
        aside = np.array([rng.uniform(-0.2, 0.2), 0.0, rng.uniform(-0.15, 0.25)]) if seed is not None else 0.0
        pose = Transform(np.eye(3), np.array([0.0, -0.5, 0.05 * rows]) + aside)
        things.append(SceneObject("ball", Sphere(0.15), pose, _MATERIAL, free=free))
    return Scene("wall", (_GROUND, *things)), 2e-3


def dominoes(count: int = 40) -> tuple[Scene, float]:
    """A row of which the first leans towards the others, on its edge."""
    things = []
    for k in range(count):
        rotation, place = np.eye(3), np.array([0.06 * k, 0.0, 0.1])
        if k == 0:
            rotation = rotation_y(0.25)
            place = np.array([0.01, 0.0, 0.0]) - rotation @ [0.01, 0.0, -0.1]
        things.append(loose(f"stone{k}", Box((0.02, 0.1, 0.2)), place, rotation, mass=0.4))
    return Scene("dominoes", (_GROUND, *things)), 1e-3


def card_house(storeys: int = 4, *, friction: float = 0.25) -> tuple[Scene, float]:
    """Pairs of cards that lean against each other at 70 degrees, with ceilings; the friction is too low for it."""
    length, thick, lean = 0.12, 0.004, np.radians(70.0)
    material = Material(friction=friction)
    height, pitch = length * np.sin(lean), 2.0 * length * np.cos(lean) + 0.02
    cards: list[SceneObject] = []
    base = 0.0

    def card(shape: Box, place: tuple[float, float, float], turn: float) -> None:
        pose = Transform(rotation_y(turn), np.array(place))
        cards.append(SceneObject(f"card{len(cards)}", shape, pose, material, free=free_body(shape, 0.05)))

    for level in range(storeys):
        pairs = storeys - level
        for pair in range(pairs):
            middle = (pair - (pairs - 1) / 2) * pitch
            for side in (-1, 1):
                x = middle + side * 0.5 * (length * np.cos(lean) + thick)
                card(
                    Box((thick, 0.08, length)),
                    (x, 0.0, base + 0.5 * (height + thick)),
                    -side * (np.pi / 2 - lean),
                )
        base += height + 1.2 * thick
        for gap in range(pairs - 1):
            x = (gap - (pairs - 2) / 2) * pitch
            card(Box((pitch, 0.08, thick)), (x, 0.0, base + 0.5 * thick), 0.0)
        base += 1.2 * thick if pairs > 1 else 0.0
    return Scene("house of cards", (SceneObject("ground", Plane(), material=material), *cards)), 1e-3
