"""Which runs a cell needs next: all seeds at once, or by bisection, each seed for itself.

A cell is a generator: it yields the runs of a round, is sent whether each succeeded, and ends when it needs no more.
What it asks for depends on nothing but these answers, so that a study can be stopped and continued anywhere, and does
not depend on who finishes first.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable
from typing import NamedTuple

from footfall.studies.study import Limit, Study


class Ask(NamedTuple):
    """A run of a cell. number: of the seed, from 0. level: of the parameter whose limit is looked for."""

    number: int
    level: float | None


Rounds = Generator[list[Ask], list[bool], None]


class Bracket(NamedTuple):
    """What is known of the limit of a seed: the largest level of a success, and the smallest of a failure."""

    success: float | None = None
    failure: float | None = None

    def next_level(self, limit: Limit, guess: float | None = None) -> float | None:
        """Where to look next; None if it is found, or lies outside of the range. The ends of the range are looked at
        last, and only if the limit has come close to them: most cells never need it.

        guess: of the limit. Steps away from it double until the limit is enclosed (Bentley and Yao 1976), so that it is
        found in 2 + 2 log2(d / within) runs from a distance d, however wide the range is.
        """
        low = limit.first if self.success is None else self.success
        high = limit.last if self.failure is None else self.failure
        if high - low > limit.within * (1.0 + 1e-9):
            middle = 0.5 * (low + high)
            if guess is None or (self.success is not None and self.failure is not None):
                return middle
            if self.success is None and self.failure is None:
                return min(max(guess, limit.first + limit.within), limit.last - limit.within)
            step = 2.0 * max(limit.within, abs((high if self.success is None else low) - guess))
            return max(high - step, middle) if self.success is None else min(low + step, middle)
        if self.success is None and high > limit.first:
            return limit.first
        if self.failure is None and low < limit.last:
            return limit.last
        return None

    def after(self, level: float, success: bool) -> Bracket:
        return self._replace(success=level) if success else self._replace(failure=level)

    def estimate(self, limit: Limit) -> float:
        """The limit; an end of the range if it lies outside."""
        if self.success is None:
            return limit.first
        return limit.last if self.failure is None else 0.5 * (self.success + self.failure)

    def outside(self) -> bool:
        return self.success is None or self.failure is None


def rounds_of(study: Study) -> Rounds:
    """The rounds of any cell of a study."""
    if study.limit is None:
        yield [Ask(number, None) for number in range(study.seeds)]
        return
    brackets = [Bracket()] * study.seeds
    # The first seed is looked for in the whole range; the others begin where its limit is.
    yield from _narrowed(brackets, study.limit, range(1), None)
    yield from _narrowed(brackets, study.limit, range(1, study.seeds), brackets[0].estimate(study.limit))


def _narrowed(brackets: list[Bracket], limit: Limit, numbers: Iterable[int], guess: float | None) -> Rounds:
    """Rounds until the limits of some seeds are found."""
    while asks := [
        Ask(number, level)
        for number in numbers
        if (level := brackets[number].next_level(limit, guess)) is not None
    ]:
        answers = yield asks
        for ask, success in zip(asks, answers, strict=True):
            assert ask.level is not None
            brackets[ask.number] = brackets[ask.number].after(ask.level, success)


def bracket_of(answers: Iterable[tuple[float, bool]]) -> Bracket:
    """What the levels of one seed, in the order of its rounds, say of its limit."""
    bracket = Bracket()
    for level, success in answers:
        bracket = bracket.after(level, success)
    return bracket
