"""Gait tables: duty factors, pairs of legs, feet on the ground, Ayit 2015, chapter 2."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from footfall.errors import InvalidInput, UnknownName
from footfall.gait.gaits import GAITS, LEGS, Gait, gait

CYCLE = (np.arange(10_000) + 0.5) / 10_000


@pytest.mark.parametrize("name", GAITS)
def test_each_foot_is_down_for_its_duty(name: str) -> None:
    assert gait(name).stance(CYCLE).mean(axis=0) == pytest.approx(np.full(4, gait(name).duty), abs=2e-4)


@pytest.mark.parametrize(
    ("name", "fewest"), [("crawl", 3), ("trot", 2), ("pace", 2), ("canter", 0), ("gallop", 0)]
)
def test_feet_on_the_ground(name: str, fewest: int) -> None:
    counts = gait(name).stance(CYCLE).sum(axis=1)
    assert counts.min() == fewest
    assert gait(name).fewest_feet() == fewest


def test_crawl_lifts_in_order() -> None:
    crawl = gait("crawl")
    assert crawl.duty >= 0.75
    assert sorted(LEGS, key=lambda leg: crawl.offsets[leg]) == ["LF", "RB", "RF", "LB"]


def test_trot_is_diagonal_and_pace_lateral() -> None:
    for name, pairs in (("trot", [("RB", "LF"), ("LB", "RF")]), ("pace", [("RB", "RF"), ("LB", "LF")])):
        stance = gait(name).stance(CYCLE)
        for one, other in pairs:
            assert (stance[:, LEGS.index(one)] == stance[:, LEGS.index(other)]).all()
        assert (stance[:, 0] != stance[:, 1]).mean() == 1.0  # the hind legs alternate


def test_canter_has_three_beats_and_gallop_four() -> None:
    assert len(set(gait("canter").offsets.values())) == 3
    assert gait("canter").offsets["LB"] == gait("canter").offsets["RF"]
    assert len(set(gait("gallop").offsets.values())) == 4


@given(st.floats(-3, 3), st.sampled_from(sorted(GAITS)))
def test_phases_are_periodic(phase: float, name: str) -> None:
    one, next_cycle = gait(name).leg_phases(phase), gait(name).leg_phases(phase + 1.0)
    assert np.abs((one - next_cycle + 0.5) % 1.0 - 0.5).max() < 1e-12
    assert ((one >= 0.0) & (one < 1.0 + 1e-15)).all()


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(UnknownName, match=r"no gait 'trott'; there are: trot"):
        gait("trott")
    with pytest.raises(InvalidInput, match="duty is 1"):
        Gait("stand", {"LF": 0.0}, 1.0)
    with pytest.raises(InvalidInput, match=r"offset of LF is 1.5"):
        Gait("late", {"LF": 1.5}, 0.5)
