"""Records, arrays of records and lists in routines."""

from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
import pytest
from msgspec import Meta

from footfall.compiler.routines import (
    ArrayOf,
    Vector2,
    Vector3,
    as_records,
    new_records,
    record_dtype,
    record_from_numbers,
    routine,
)
from footfall.errors import RoutineError, RoutineFailed
from footfall.math.transform import Transform

Array = np.ndarray[Any, Any]


class Kind(enum.IntEnum):
    BALL = 1
    BOX = 2


class Material(NamedTuple):
    friction: float
    layers: int = 3
    soft: bool = False

    def doubled(self, by: float = 2.0) -> Material:
        return self._replace(friction=by * self.friction)

    @property
    def is_rough(self) -> bool:
        return self.friction > 0.5


@dataclass(frozen=True)
class Ground:
    heights: Array
    material: Material
    normal: Vector3

    def height(self, k: int) -> float:
        return self.heights[k] + self.material.friction  # type: ignore[no-any-return]


@routine
def on_ground(ground: Ground, k: int, scale: float) -> tuple[float, Ground, Material, bool]:
    rough = ground.material.doubled()
    higher = replace(ground, material=rough, heights=scale * ground.heights)
    ground.heights[0] = 7.0
    chosen = rough if rough.is_rough else Material(0.25, soft=True)
    plain = Material(friction=1) if k == Kind.BOX else chosen.doubled(by=3.0)
    return higher.height(k) + ground.normal[2], higher, plain, plain.layers in (1, 3)


@pytest.mark.parametrize("k", [1, 2])
def test_records_come_in_and_go_out(k: int) -> None:
    results = []
    for function in (on_ground, on_ground.python):
        ground = Ground(np.arange(4.0), Material(0.2), np.array([0.0, 0.0, 1.0]))
        results.append((function(ground, k, 2.0), ground))
    (ours, ours_ground), (python, python_ground) = results
    assert (ours[0], ours[2], ours[3]) == (python[0], python[2], python[3])
    assert [type(ours[1]), type(ours[2]), type(ours[2].soft)] == [Ground, Material, bool]
    np.testing.assert_array_equal(ours[1].heights, python[1].heights)
    np.testing.assert_array_equal(ours_ground.heights, python_ground.heights)
    assert ours_ground.heights[0] == 7.0


def test_arrays_in_records_are_copied_back_and_protected() -> None:
    strided = np.zeros((4, 2))
    on_ground(Ground(strided[:, 0], Material(1), np.zeros(3)), 1, 1.0)  # type: ignore[arg-type]
    assert strided[:, 0].tolist() == [7.0, 0.0, 0.0, 0.0]
    frozen = np.zeros(4)
    frozen.flags.writeable = False
    with pytest.raises(RoutineError, match=r"ground\.heights is written to, but is read-only"):
        on_ground(Ground(frozen, Material(1.0), np.zeros(3)), 1, 1.0)


def test_wrong_records_are_told() -> None:
    with pytest.raises(RoutineError, match="ground is a Material, not a Ground"):
        on_ground(Material(1.0), 1, 1.0)
    with pytest.raises(RoutineError, match=r"ground\.material is 3, needed is Material"):
        on_ground(Ground(np.zeros(3), 3, np.zeros(3)), 1, 1.0)  # type: ignore[arg-type]
    with pytest.raises(RoutineError, match=r"ground\.normal has the shape \(2,\)"):
        on_ground(Ground(np.zeros(3), Material(1.0), np.zeros(2)), 1, 1.0)


@routine
def composed(one: Transform, other: Transform, point: Vector3) -> tuple[Transform, Vector3]:
    return one @ other.inverse(), (one @ other).apply(point)


def test_operators_and_methods_of_records() -> None:
    rng = np.random.default_rng(0)
    one = Transform(np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3))
    other = Transform(np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.normal(size=3))
    point = rng.normal(size=3)
    (ours, ours_point), (python, python_point) = (
        composed(one, other, point),
        composed.python(one, other, point),
    )
    np.testing.assert_allclose(ours.rotation, python.rotation, atol=1e-15)
    np.testing.assert_allclose(ours.translation, python.translation, atol=1e-15)
    np.testing.assert_allclose(ours_point, python_point, atol=1e-15)


class Contact(NamedTuple):
    place: Vector3
    gap: float
    material: Material
    body: int
    active: bool


@routine
def touching(contacts: ArrayOf[Contact], limit: float) -> tuple[ArrayOf[Contact], int]:
    kept = new_records(Contact, len(contacts))
    count = 0
    for k in range(len(contacts)):
        one = contacts[k]
        if one.gap < limit and one.active:
            kept[count] = one._replace(body=k, material=one.material.doubled())
            count += 1
        contacts[k] = Contact(2.0 * one.place, one.gap, one.material, one.body, not one.active)
    return kept[:count], count


def test_arrays_of_records() -> None:
    contacts = new_records(Contact, 4)
    contacts["gap"] = [0.1, -0.2, 0.3, -0.4]
    contacts["active"] = [True, True, True, False]
    contacts["place"][:, 1] = [1.0, 2.0, 3.0, 4.0]
    contacts["material"]["friction"] = 0.5
    kept, count = touching(contacts, 0.2)
    assert count == 2
    assert kept.dtype == record_dtype(Contact)
    assert kept["body"].tolist() == [0, 1]
    assert kept["gap"].tolist() == [0.1, -0.2]
    assert kept["material"]["friction"].tolist() == [1.0, 1.0]
    assert contacts["active"].tolist() == [False, False, False, True]
    assert contacts["place"][:, 1].tolist() == [2.0, 4.0, 6.0, 8.0]
    with pytest.raises(
        RoutineError, match=r"contacts is no array of Contact: use new_records\(Contact, count\)"
    ):
        touching(np.zeros(3), 0.2)


@routine
def divisors(number: int) -> tuple[Array, Array, int]:
    found = []
    pairs = [(0, 0.5)]
    for k in range(1, number + 1):
        if number % k == 0:
            found.append(k)
            remember(pairs, k)
    last = found.pop()
    found[0] = -1
    total = 0
    for one, half in pairs:
        total += int(one + 2 * half)
    return np.array(found), np.array([last, len(found), len(pairs)]), total


def remember(pairs: Any, k: int) -> None:
    """A list of the caller grows here, and stays."""
    scratch = np.zeros(100)
    pairs.append((k, scratch[k % 100] + 0.5 * k))


@pytest.mark.parametrize("number", [2, 12, 360, 5040])
def test_lists_grow(number: int) -> None:
    for ours, python in zip(divisors(number), divisors.python(number), strict=True):
        np.testing.assert_array_equal(ours, python)


class Broken(Exception):
    pass


@routine
def guarded(values: Array, k: int) -> float:
    if k == 3:
        raise Broken("three is not allowed")
    if k == 4:
        raise ValueError("nor is four")
    return weighed(values, k)


def weighed(values: Array, k: int) -> float:
    room = np.zeros(k if k < 5 else 2**60)
    return values[k] + room[0]  # type: ignore[no-any-return]


def test_routines_raise(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.ones(9)
    assert guarded(values, 1) == 1.0
    with pytest.raises(Broken, match="three is not allowed"):
        guarded(values, 3)
    with pytest.raises(ValueError, match="nor is four"):
        guarded(values, 4)
    with pytest.raises(MemoryError, match="no memory for"):
        guarded(values, 5)


def test_indices_are_checked_if_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTFALL_CHECKED_ROUTINES", "1")

    @routine
    def outside(values: Array, points: ArrayOf[Vector3], k: int) -> float:
        return values[k] + points[k][2] + points[0, k]  # type: ignore[no-any-return]

    values, points = np.ones(4), np.ones((3, 3))
    assert outside(values, points, -1) == 3.0
    for k in (3, 4, -5):
        with pytest.raises(
            RoutineFailed, match=rf"test_records.py:\d+ in outside: {k if k > 0 else -1} is outside"
        ):
            outside(values, points, k)


@routine
def applied(function: Any, x: float) -> float:
    return function(x) + function(2.0 * x)  # type: ignore[no-any-return]


def squared(x: float) -> float:
    return x * x


@routine
def by_function(x: float) -> float:
    return applied(squared, x) + applied(np.sqrt, x)


def test_functions_are_given_to_functions() -> None:
    assert by_function(2.0) == pytest.approx(4.0 + 16.0 + np.sqrt(2.0) + 2.0, rel=1e-15)


class Pair(NamedTuple):
    contact: Contact
    weight: float


@routine
def by_field(contacts: ArrayOf[Contact], k: int) -> tuple[float, float, int]:
    """Fields of records in arrays, in lists and in variables, one at a time."""
    pairs = [Pair(contacts[k], 0.5)]
    pairs.append(Pair(contacts[k + 1], contacts[k].material.friction))
    last = pairs[1]
    contacts[k] = contacts[k]._replace(gap=pairs[0].contact.gap + 1.0)
    total = contacts[k].place[2] + last.contact.place[1] + pairs[0].contact.material.friction
    return total + contacts[k].gap, pairs[1].weight, last.contact.material.layers + contacts[k + 1].body


def test_fields_are_read_one_by_one() -> None:
    contacts = new_records(Contact, 3)
    contacts["place"] = np.arange(9.0).reshape(3, 3)
    contacts["gap"] = [0.1, 0.2, 0.4]
    contacts["body"] = [7, 8, 9]
    contacts["material"]["friction"] = [0.25, 0.5, 0.75]
    contacts["material"]["layers"] = [1, 2, 3]
    total, weight, layers = by_field(contacts, 1)
    assert (total, weight, layers) == (5.0 + 7.0 + 0.5 + 1.2, 0.5, 3 + 9)
    assert contacts["gap"].tolist() == [0.1, 1.2, 0.4]
    assert contacts["place"][1].tolist() == [3.0, 4.0, 5.0]


class Store(NamedTuple):
    """Its fields hold records that no function names."""

    contacts: ArrayOf[Contact]
    pairs: ArrayOf[Pair]


@routine
def in_store(store: Store) -> float:
    return store.contacts[0].gap + store.pairs[0].weight


def test_records_in_records_need_not_be_named() -> None:
    store = Store(new_records(Contact, 1), new_records(Pair, 1))
    store.contacts["gap"], store.pairs["weight"] = 0.25, 0.5
    assert in_store(store) == 0.75


class Course(NamedTuple):
    """A record that holds lists: what they hold follows from what its methods put in."""

    now: float
    value: Any
    times: list[float]
    pieces: Any

    def to(self, value: Any, until: float) -> Course:
        if until <= self.now:
            return self
        self.times.append(self.now)
        self.pieces.append(np.array([self.value, value - self.value]))
        return self._replace(now=until, value=value)


@routine
def courses(v: Vector3, count: int) -> tuple[Any, ...]:
    numbers, vectors = Course(0.0, 1.0, [], []), Course(1.0, v, [], [])
    marks: list[Material] = []
    for k in range(count):
        numbers = numbers.to(2.0 * k, 0.5 * k)
        vectors = vectors.to(k * v, 0.5 * k)
        mark(marks, k)
    return np.array(numbers.times), np.array(numbers.pieces), np.array(vectors.pieces), np.array(marks)


def mark(marks: Any, k: int) -> None:
    marks.append(Material(0.1 * k))


def test_records_of_lists_grow() -> None:
    v = np.arange(3.0)
    *ours, marks = courses(v, 6)
    *python, _ = courses.python(v, 6)
    for one, other in zip(ours, python, strict=True):
        np.testing.assert_array_equal(one, other)
    np.testing.assert_allclose(marks["friction"], 0.1 * np.arange(6))


@routine
def unclear(count: int) -> Array:
    items: Any = []
    for k in range(count):
        remember(items, k)
    return np.array(items)


def test_lists_of_which_nothing_is_known_are_told() -> None:
    with pytest.raises(
        RoutineError, match=r"test_records.py:\d+ in unclear: nothing is known of what this list"
    ):
        unclear(3)


class Spread(NamedTuple):
    """Numbers of several sizes, which leave gaps in memory."""

    flag: bool
    number: int
    other: bool
    place: Vector3
    last: bool


@routine
def parts_of(items: ArrayOf[Spread], k: int) -> tuple[bool, int, bool, float, bool]:
    item = items[k]
    return item.flag, item.number, item.other, item.place[2], item.last


def test_records_lie_in_memory_as_numpy_lays_them_out() -> None:
    """Ints take up eight bytes at a multiple of eight, also behind a flag."""
    items = new_records(Spread, 3)
    for k in range(3):
        items[k] = (k == 1, 10**12 + k, k != 1, (1.0, 2.0, 3.0 + k), True)
    for k in range(3):
        assert parts_of(items, k) == (k == 1, 10**12 + k, k != 1, 3.0 + k, True)


class Lag(msgspec.Struct, frozen=True, kw_only=True):
    """Parameters as files have them: checked numbers."""

    share: Annotated[float, Meta(gt=0.0)] = 0.5
    ends: tuple[float, float] = (0.0, 1.0)


@routine
def lagging(lag: Lag, start: Vector3 | None) -> float:
    if start is not None and start[0] > 0.0:
        return start[0]
    begins = start is None or start[1] == 0.0
    return lag.share * (lag.ends[1] - lag.ends[0]) if begins else -1.0


def test_parameters_of_files_are_records_and_what_is_optional_may_be_missing() -> None:
    assert lagging(Lag(), None) == 0.5
    assert lagging(Lag(share=2, ends=(1, 4)), None) == 6.0  # ints where floats belong
    assert lagging(Lag(), np.array([3.0, 0.0, 0.0])) == 3.0
    assert lagging(Lag(), np.zeros(3)) == 0.5
    assert lagging(Lag(), np.array([-3.0, 1.0, 0.0])) == -1.0
    with pytest.raises(RoutineError, match="shape"):
        lagging(Lag(), np.zeros(2))


class Beam(NamedTuple):
    """Nothing but floats."""

    length: float
    end: Vector3
    material: Stiffness


class Stiffness(NamedTuple):
    modulus: float
    density: float


def test_records_are_made_of_numbers_in_a_row() -> None:
    beam = record_from_numbers(Beam, np.arange(6.0))
    assert (beam.length, beam.end.tolist()) == (0.0, [1.0, 2.0, 3.0])
    assert beam.material == Stiffness(4.0, 5.0)
    items = new_records(Beam, 1)
    items.view(np.float64)[:] = np.arange(6.0)  # as they lie in memory
    assert (items["end"][0] == beam.end).all()
    assert items["material"]["density"][0] == 5.0


@routine
def corners(place: Vector2) -> ArrayOf[Vector2]:
    result: ArrayOf[Vector2] = np.zeros((4, 2))
    result[1:3] = np.array([place, -place])
    return result


def test_a_small_matrix_fills_an_array_of_vectors() -> None:
    assert np.asarray(corners(np.array([1.0, 2.0]))).tolist() == [[0, 0], [1, 2], [-1, -2], [0, 0]]


def test_each_set_of_types_has_its_own_fast_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was called once with some types finds its native code without Python in between."""
    cases = (None, np.array([3.0, 0.0, 0.0]))
    expected = [lagging(Lag(), start) for start in cases]

    def slow(*arguments: Any) -> None:
        raise AssertionError("went the slow way")

    monkeypatch.setattr(lagging, "_general", slow)
    assert [lagging(Lag(), start) for start in cases] == expected
    with pytest.raises(AssertionError, match="slow way"):
        lagging(Lag(), np.zeros(2))


class Plumb(NamedTuple):
    """Floats only."""

    point: Vector3
    length: float


@routine
def lowered(numbers: Array, by: float) -> float:
    """Floats of an array as records, and changed as such."""
    plumbs: ArrayOf[Plumb] = as_records(Plumb, numbers[1:])
    for k in range(len(plumbs)):
        plumb = plumbs[k]
        plumbs[k] = Plumb(plumb.point - np.array([0.0, 0.0, by]), plumb.length + by)
    return float(len(plumbs)) + plumbs[1].point[2]


def test_floats_are_seen_as_records() -> None:
    numbers, others = np.arange(9.0), np.arange(9.0)
    lowest = lowered(numbers, 0.5)
    plumbs = as_records(Plumb, others[1:])
    plumbs["point"][:, 2] -= 0.5
    plumbs["length"] += 0.5
    assert lowest == 2.0 + plumbs["point"][1, 2]
    np.testing.assert_array_equal(numbers, others)
    np.testing.assert_array_equal(numbers, [0.0, 1.0, 2.0, 2.5, 4.5, 5.0, 6.0, 6.5, 8.5])
    with pytest.raises(RoutineError, match="Material has fields that are no floats"):
        as_records(Material, np.zeros(3))


@routine
def shift_contacts(contacts: ArrayOf[Contact], first: int, to: int, count: int) -> None:
    contacts[to : to + count] = contacts[first : first + count]


@pytest.mark.parametrize(("first", "to"), [(0, 1), (2, 0), (0, 3)])
def test_slices_of_records_are_copied_as_numpy_does_also_where_they_overlap(first: int, to: int) -> None:
    contacts = new_records(Contact, 6)
    contacts["gap"] = np.arange(6.0)
    expected = contacts.copy()
    expected[to : to + 3] = contacts[first : first + 3].copy()
    shift_contacts(contacts, first, to, 3)
    np.testing.assert_array_equal(contacts, expected)
    assert contacts["gap"][to] == first
