"""Bisection for each seed: it finds every threshold, and says if there is none in the range."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.studies import Limit, Study
from footfall.studies.rounds import Bracket, rounds_of

LIMIT = Limit(parameter="x", first=-3.0, last=17.0, within=0.1)


def looked_for(thresholds: list[float]) -> tuple[list[Bracket], int]:
    """What the rounds of a cell find if seeds fail from their thresholds on, and how many runs that takes."""
    rounds = rounds_of(Study(name="x", seeds=len(thresholds), limit=LIMIT))
    brackets, runs, answers = [Bracket()] * len(thresholds), 0, None
    while True:
        try:
            asks = next(rounds) if answers is None else rounds.send(answers)
        except StopIteration:
            return brackets, runs
        runs += len(asks)
        answers = []
        for ask in asks:
            assert ask.level is not None
            answers.append(ask.level < thresholds[ask.number])
            brackets[ask.number] = brackets[ask.number].after(ask.level, answers[-1])


@given(st.lists(st.floats(-5.0, 20.0), min_size=1, max_size=6))
def test_every_threshold_is_found(thresholds: list[float]) -> None:
    brackets, runs = looked_for(thresholds)
    assert runs <= LIMIT.runs(len(thresholds))
    for threshold, bracket in zip(thresholds, brackets, strict=True):
        inside = LIMIT.first < threshold <= LIMIT.last
        assert bracket.outside() != inside
        expected = min(max(threshold, LIMIT.first), LIMIT.last)
        assert bracket.estimate(LIMIT) == pytest.approx(expected, abs=LIMIT.within)


def test_seeds_near_the_first_take_few_runs() -> None:
    # The first one: 200 times `within` in eight halves. The others enclose their limit by steps of 2, 4, 8, ... times
    # `within` from where that is: 2 + 2 log2(d / within) at the most, whatever the range is.
    near = [5.0, 5.05, 5.3, 4.8, 5.1]
    _, alone = looked_for(near[:1])
    _, runs = looked_for(near)
    assert alone == 8
    assert runs - alone <= sum(
        2 + 2 * np.ceil(np.log2(max(abs(each - 5.0) / 0.1, 1.0) + 1.0)) for each in near[1:]
    )
    assert runs - alone < 4 * (alone - 2)


def test_without_a_limit_all_seeds_are_asked_at_once() -> None:
    rounds = rounds_of(Study(name="x", seeds=4))
    assert [(ask.number, ask.level) for ask in next(rounds)] == [(n, None) for n in range(4)]
    with pytest.raises(StopIteration):
        rounds.send([True] * 4)
