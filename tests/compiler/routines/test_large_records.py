"""Records of hundreds of machine values, which functions are told the address of."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.compiler import NativeFunction, build_kernel, call
from footfall.compiler.routines import (
    Lanes,
    Matrix3,
    RoutineCallback,
    Team,
    new_team,
    next_piece,
    routine,
    together,
)
from footfall.compiler.routines.helpers import helped
from footfall.compiler.routines.types import is_passed_by_address


class Switches(NamedTuple):
    upwards: bool
    quiet: bool


class Tables(NamedTuple):
    """More than a call hands over one by one."""

    switches: Switches
    one: Matrix3
    two: Matrix3
    three: Matrix3
    four: Matrix3
    five: Matrix3
    six: Matrix3
    seven: Matrix3
    rising: bool
    values: Array

    def slope(self, k: int) -> float:
        value = self.values[k]
        return float(value if self.rising else -value)


class World(NamedTuple):
    number: int
    share: float
    tables: Tables
    last: float


@routine(fused=False, apart=True)
def level(tables: Tables, k: int) -> float:
    """Reads a little of it; in another module than those that call it."""
    sign = 1.0 if tables.switches.upwards and not tables.switches.quiet else -1.0
    return float(sign * tables.seven[2, 1] * tables.slope(k) + tables.one[0, 2])


@routine(fused=False, apart=True)
def settle(world: World, k: int) -> float:
    """Hands a part on, writes where it leads to, and lets its argument become another one."""
    before = level(world.tables, k)
    for step in range(3):
        world = world._replace(share=world.share * 2.0, number=world.number + step)
        tables = world.tables._replace(rising=not world.tables.rising)
        before += level(tables, k) * world.share + world.number
    world.tables.values[k] += before
    return before * world.last


@routine
def run(world: World, count: int) -> tuple[float, float, int]:
    total = 0.0
    for k in range(count):
        total += settle(world, k % len(world.tables.values))
        changed = world._replace(last=total)
        total -= settle(changed, 0)
    return total, world.share, world.number


def _world(upwards: bool, quiet: bool, rising: bool) -> World:
    rng = np.random.default_rng(3)
    one, two, three, four, five, six, seven = rng.normal(size=(7, 3, 3))
    switches = Switches(upwards, quiet)
    tables = Tables(switches, one, two, three, four, five, six, seven, rising, rng.normal(size=4))
    return World(7, 0.25, tables, -0.5)


def test_these_are_passed_by_their_address() -> None:
    kind = run.type_of_argument(0, _world(True, True, True))  # type: ignore[attr-defined]
    assert is_passed_by_address(kind)
    assert is_passed_by_address(kind.items[2])
    assert not is_passed_by_address(kind.items[2].items[0])


@pytest.mark.parametrize("upwards", [True, False])
@pytest.mark.parametrize("quiet", [True, False])
@pytest.mark.parametrize("rising", [True, False])
def test_what_is_handed_on_is_what_was_given(upwards: bool, quiet: bool, rising: bool) -> None:
    native, plain = _world(upwards, quiet, rising), _world(upwards, quiet, rising)
    assert run(native, 9) == run.python(plain, 9)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(native.tables.values, plain.tables.values)


class Wide(NamedTuple):
    """Lanes take eight places of the others."""

    flag: bool
    first: Lanes
    tables: Tables
    second: Lanes
    end: float


@routine(fused=False, apart=True)
def gathered(wide: Wide) -> float:
    product = np.sum(wide.first * wide.second) * wide.tables.five[1, 1]
    return float(product + (wide.end if wide.flag else 0.0))


@routine
def spread(tables: Tables, flag: bool) -> float:
    first: Lanes = np.zeros(8)
    second: Lanes = np.zeros(8)
    for k in range(8):
        first[k], second[k] = 1.0 + k, 0.5 * k
    return gathered(Wide(flag, first, tables, second, 11.0))


@pytest.mark.parametrize("flag", [True, False])
def test_lanes_in_them(flag: bool) -> None:
    tables = _world(True, False, True).tables
    expected = 84.0 * tables.five[1, 1] + (11.0 if flag else 0.0)
    assert spread(tables, flag) == pytest.approx(expected, rel=1e-15)


class Growing(NamedTuple):
    tables: Tables
    found: list[float]


def collect(growing: Growing) -> None:
    for k in range(len(growing.tables.values)):
        growing.found.append(level(growing.tables, k))


@routine
def collected(tables: Tables) -> float:
    found: list[float] = []
    collect(Growing(tables, found))
    collect(Growing(tables, found))
    return len(found) + found[5]


def test_lists_in_them_grow() -> None:
    tables = _world(True, False, False).tables
    assert collected(tables) == collected.python(tables)  # type: ignore[attr-defined]


@pytest.mark.parametrize("upwards", [True, False])
def test_traced_kernels_hand_them_over(upwards: bool) -> None:
    @routine
    def weighed(inputs: Array, outputs: Array, world: World) -> None:
        outputs[0] = level(world.tables, 1) * inputs[0] + world.last

    world = _world(upwards, False, True)
    callback = RoutineCallback(weighed, record=world)
    native = NativeFunction("weighed", callback.address, 1, data=callback.data, owner=callback)
    kernel = build_kernel(lambda x: call(native, x), {"x": 1}, name="weighed")
    expected = 3.0 * level.python(world.tables, 1) + world.last  # type: ignore[attr-defined]
    assert kernel(np.array([3.0]))[0] == pytest.approx(expected, rel=1e-15)


@routine
def _some(team: Team, world: World, results: Array) -> None:
    piece = next_piece(team, -1, len(results))
    while piece < len(results):
        results[piece] = level(world.tables, piece % 4) + world.last + world.number
        piece = next_piece(team, piece, len(results))


@routine
def _shared(team: Team, world: World, results: Array) -> None:
    together(team, _some, team, world, results)


@pytest.mark.parametrize("threads", [1, 2])
def test_teams_share_them(threads: int) -> None:
    world, results, team = _world(False, True, False), np.zeros(500), new_team(threads)
    with helped(team):
        _shared(team, world, results)
    expected: list[Any] = [level.python(world.tables, k % 4) + 6.5 for k in range(500)]  # type: ignore[attr-defined]
    np.testing.assert_allclose(results, expected, rtol=1e-15)
