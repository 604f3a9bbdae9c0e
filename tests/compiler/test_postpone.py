"""What only a loop needs is computed when the loop is entered, and values are the same with it and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from footfall.compiler import build_kernel, cache, postpone, repeat, sqrt, where
from footfall.compiler import schedule as scheduling
from footfall.compiler.postpone import postponed
from footfall.compiler.schedule import Repetition, Schedule, Segment, schedule
from footfall.compiler.trace import Program, trace


def preparation(x: Any) -> Any:
    """Something long that depends on x (4,)."""
    y = x
    for k in range(40):
        y = y * x[k % 4] + 0.1 * k
    return y


def prepared_loop(x: Any) -> Any:
    prepared = preparation(x)
    return repeat(lambda y: y * 0.5 + prepared, x, count=5, until=lambda y: y[0] < 0.0)


def live_nodes(program: Program) -> list[int]:
    return scheduling._live_nodes(program)


def opening_sizes(plan: Schedule) -> dict[int, int]:
    """Nodes in the openings of loops, by region."""
    sizes: dict[int, int] = {}

    def visit(pieces: list[Segment | Repetition], region: int) -> None:
        for piece in pieces:
            if isinstance(piece, Repetition):
                visit(piece.pieces, piece.loop.region)
            elif piece.opening:
                sizes[region] = sizes.get(region, 0) + len(piece.nodes)

    visit(plan.pieces, 0)
    return sizes


def test_what_only_a_loop_needs_waits_for_it() -> None:
    plan = schedule(trace(prepared_loop, {"x": 4}))
    assert opening_sizes(plan)[1] > 100
    kernel = build_kernel(prepared_loop, {"x": 4}, name="prepared")
    x = np.array([[0.1, 0.2, 0.3, -0.4], [-1.0, 0.2, 0.3, 0.4]])  # enters the loop, and does not
    for row, result in zip(x, kernel.batch(x), strict=True):
        assert np.abs(result - prepared_loop(row)).max() <= 1e-12 * np.abs(result).max()
        assert (kernel(row) == result).all()


def test_what_is_needed_elsewhere_stays() -> None:
    def function(x: Any) -> Any:
        prepared = preparation(x)
        result = repeat(lambda y: y * 0.5 + prepared, x, count=5, until=lambda y: y[0] < 0.0)
        return result + prepared

    assert not opening_sizes(schedule(trace(function, {"x": 4})))


def test_what_the_test_needs_comes_before_it() -> None:
    def function(x: Any) -> Any:
        prepared = preparation(x)
        return repeat(lambda y: y * 0.5 + prepared, x, count=5, until=lambda y: y[0] < prepared[0])

    program = trace(function, {"x": 4})
    places = postponed(program, live_nodes(program))
    assert program.graph.loops[0].done not in places
    kernel = build_kernel(function, {"x": 4}, name="needed_by_test")
    x = np.array([0.3, 0.2, 0.3, -0.4])
    assert np.abs(kernel(x) - function(x)).max() <= 1e-12


@pytest.mark.parametrize(("turns", "region"), [(1, 2), (3, 1)])
def test_it_moves_on_through_a_loop_of_one_turn(turns: int, region: int) -> None:
    """In the opening of an inner loop it would be computed in each turn of the outer one."""

    def function(x: Any) -> Any:
        prepared = preparation(x)

        def outer(y: Any) -> Any:
            return repeat(lambda z: z * 0.5 + prepared, y, count=4, until=lambda z: z[1] > 1e3)

        return repeat(outer, x, count=turns, until=lambda y: y[0] < 0.0)

    assert list(opening_sizes(schedule(trace(function, {"x": 4})))) == [region]
    kernel = build_kernel(function, {"x": 4}, name=f"turns{turns}")
    x = np.array([0.3, 0.2, 0.3, -0.4])
    assert np.abs(kernel(x) - function(x)).max() <= 1e-12


@st.composite
def programs(draw: st.DrawFn) -> Any:
    """Functions of x (3,) with loops in loops, each of which uses values from anywhere outside."""
    choices = draw(st.lists(st.integers(0, 10**6), min_size=40, max_size=40))

    def function(x: Any) -> Any:
        def pick(values: list[Any], *place: int) -> Any:
            return values[choices[hash(place) % len(choices)] % len(values)]

        def work(values: list[Any], *place: int) -> list[Any]:
            values = list(values)
            for k in range(5):
                a, b, c = (pick(values, *place, k, i) for i in range(3))
                values.append(0.5 * a - 0.25 * b * c)
            if len(place) < 3:
                bound, start = pick(values, *place, 0), [pick(values, *place, 1), pick(values, *place, 2)]

                def body(y: Any) -> Any:
                    inner = work([*values, *y], *place, 3)
                    return np.array([0.9 * pick(inner, *place, 4 + k) - 0.1 for k in range(2)])

                def until(y: Any) -> Any:
                    size = sqrt(y[0] * y[0] + 1.0)  # through slots that are free again when the loop opens
                    return sqrt(size + y[1] * y[1]) * size > bound * bound + 1.5

                limit = 1 + choices[len(place)] % 3
                values += list(repeat(body, np.array(start), count=limit, until=until))
            return [where(value * value < 1e6, value, 1.0) for value in values[-6:]]

        return np.array(work(list(x), 7))

    return function


@settings(max_examples=6)
@given(programs(), st.integers(1, 5))
def test_random_programs_are_not_changed(function: Any, size: int) -> None:
    """Small segments, so that nearly all values go through slots; everything that can wait does."""
    x = np.random.default_rng(0).normal(size=(11, 3))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scheduling, "SEGMENT_SIZE", size)
        patch.setattr(postpone, "LEAST", 10**9)
        patch.setattr(cache, "read", lambda key: None)  # both have the same graph
        before = build_kernel(function, {"x": 3}, name="before")
        expected = before.batch(x)
        patch.setattr(postpone, "LEAST", 1)
        waiting = build_kernel(function, {"x": 3}, name="waiting")
        got = waiting.batch(x)
        assert (got == expected).all()
        assert (np.array([waiting(row) for row in x]) == expected).all()
        numbers = np.array([function(row) for row in x])
    close = np.abs(got - numbers) <= 1e-9 * (1 + np.abs(numbers))
    assert close.all(axis=1).mean() > 0.8  # rounding may turn a test over
