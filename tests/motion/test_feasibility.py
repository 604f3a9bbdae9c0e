"""Broad random walks: each is refused, warned of, or keeps all that a motion promises."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import footfall
from benchmarks.lab.broad_walks import BROKEN, study_broad_walks, walked
from benchmarks.lab.random_walks import broad_walk
from footfall.math.rotations import matrix_from_quaternion
from footfall.motion.centre_of_mass import MassSamples
from footfall.motion.feasibility import balance_of
from footfall.motion.five_mass import masses_of
from footfall.motion.leg_bounds import height_ranges, legs_of
from footfall.motion.leg_room import rooms_in_space
from footfall.motion.stretched_leg import height_ranges_in_space
from footfall.motion.verification import loads, zmp_margins
from tests.motion.legs import leg_samples
from tests.motion.lola import LOLA, MODEL, straight


class Drawn:
    """Numbers that hypothesis chooses, as those of a generator of NumPy."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def uniform(self, low: float, high: float) -> float:
        # A swing timing of 1e-7 makes a segment of 20 ns, whose acceleration is rounding (jumps of 2e-8).
        return round(self.data.draw(st.floats(low, high)), 4)


@settings(max_examples=60)
@given(st.data())
def test_broad_walks_are_refused_warned_of_or_keep_their_promises(data: Any) -> None:
    outcome = walked(broad_walk(Drawn(data), LOLA, steps=4), MODEL)
    assert outcome.kind != BROKEN, outcome.reason


def test_a_study_counts_all_of_them() -> None:
    study = study_broad_walks(MODEL, 8)
    assert sum(study.outcomes.values()) == 8
    assert study.broken == ()
    assert sum(study.refusals.values()) == study.outcomes["refused"] > 0


def test_native_room_is_that_of_the_verification() -> None:
    """Two ways to the same margins: polygons and wrenches in NumPy, and the loop of the check."""
    motion = straight(3, 0.45)
    times = np.linspace(motion.begin_time + 1e-3, motion.end_time - 1e-3, 400)
    times = times[np.abs(times[:, None] - motion.phases.times).min(axis=1) > 1e-6]
    torso = motion.curves.torso.sample(times)
    masses = MassSamples(times, motion.curves.packed.sample(times), torso)
    room = balance_of(masses, motion.phases.times, motion.phases.soles, masses_of(MODEL))
    assert room.border == pytest.approx(zmp_margins(motion, times), abs=1e-12)
    assert room.load == pytest.approx(loads(motion, times), abs=1e-12)


def test_legs_in_space_against_matrices() -> None:
    """Hip and ankle placed by rotation matrices, for random feet, toes and bodies."""
    generator, count = np.random.default_rng(3), 50
    turns = generator.normal(0.0, 0.1, (2, count, 4)) + np.array([1.0, 0.0, 0.0, 0.0])
    body = generator.normal(0.0, 0.1, (count, 4)) + np.array([1.0, 0.0, 0.0, 0.0])
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    body /= np.linalg.norm(body, axis=-1, keepdims=True)
    feet = generator.normal(0.0, 0.1, (2, count, 3))
    toes = generator.uniform(-0.3, 0.3, (2, count))
    torso = generator.normal(0.0, 0.1, (count, 3)) + np.array([0.0, 0.0, 1.1])
    found = rooms_in_space(leg_samples(feet, turns, toes, body), torso, legs_of(MODEL))
    leg, expected = MODEL.leg, np.full((3, count), np.inf)
    knee = leg.knee_limits[0]
    longest = abs(leg.lower_leg + leg.upper_leg * np.exp(1j * knee))
    assert leg.hip_roll_limits is not None
    assert leg.ankle_roll_limits is not None
    for k in range(count):
        for side, outward in ((0, -1.0), (1, 1.0)):
            foot, upper = matrix_from_quaternion(turns[side, k]), matrix_from_quaternion(body[k])
            angle = MODEL.toe_signs[side] * toes[side, k]
            lifted = np.array(
                [[np.cos(angle), 0, np.sin(angle)], [0, 1, 0], [-np.sin(angle), 0, np.cos(angle)]]
            )
            middle = lifted @ [-leg.mid_foot_length, 0.0, leg.mid_foot_height]
            ankle = feet[side, k] + foot @ (np.array([-leg.toe_shift, 0.0, leg.toe_height]) + middle)
            hip = torso[k] + upper @ [-leg.torso_ahead, outward * MODEL.hip_width / 2, -leg.hip_to_torso]
            down, up = upper.T @ (ankle - hip), foot.T @ (hip - ankle)
            leans = np.arctan2(outward * down[1], -down[2]), np.arctan2(outward * up[1], up[2])
            rooms = [longest - np.linalg.norm(hip - ankle)]
            for lean, (low, high) in zip(leans, (leg.hip_roll_limits, leg.ankle_roll_limits), strict=True):
                rooms.append(min(lean - low, high - lean))
            expected[:, k] = np.minimum(expected[:, k], rooms)
    assert np.array(found) == pytest.approx(expected, abs=1e-12)


def test_a_stretched_leg_bounds_the_torso_in_space() -> None:
    """At the bound, hip and ankle are 0.8 mm nearer along z than the stretched leg is long; planar bounds miss it."""
    generator, count = np.random.default_rng(4), 60
    turns = generator.normal(0.0, 0.05, (2, count, 4)) + np.array([1.0, 0.0, 0.0, 0.0])
    body = generator.normal(0.0, 0.05, (count, 4)) + np.array([1.0, 0.0, 0.0, 0.0])
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    body /= np.linalg.norm(body, axis=-1, keepdims=True)
    feet = generator.normal(0.0, 0.1, (2, count, 3))
    toes = generator.uniform(-0.1, 0.1, (2, count))
    place = np.ascontiguousarray(generator.normal(0.0, 0.1, (count, 2)))
    legs, poses = legs_of(MODEL), leg_samples(feet, turns, toes, body)
    planar, limits = height_ranges(poses, place, legs), height_ranges_in_space(poses, place, legs)
    np.testing.assert_array_equal(limits["lowest"], planar["lowest"])
    lowered = 0
    for side in range(2):
        highest = limits["highest"][:, side]
        heights = np.column_stack([place, highest + 0.8e-3])
        alone = leg_samples(feet[[side, side]], turns[[side, side]], toes[[side, side]], body)
        # both feet at one place: the room is that of the worse hip, so the other one may have less
        rooms = np.array([rooms_in_space(each, heights, legs).stretch for each in (poses, alone)])
        lower = (highest < planar["highest"][:, side]) & (highest > planar["lowest"][:, side])
        for k in np.flatnonzero(lower):
            lowered += 1
            assert rooms[:, k].min() < 1e-12  # stretched, or the other one more than that
    assert lowered > 20
    worst = limits["highest"].min(axis=1)
    kept = (worst > limits["lowest"].max(axis=1)) & np.isfinite(worst)
    rooms = rooms_in_space(poses, np.column_stack([place, np.where(kept, worst, 0.0)]), legs).stretch
    assert (rooms[kept] > 0.0).all()  # at the lower of both bounds both legs reach
    too_high = rooms_in_space(poses, np.column_stack([place, planar["highest"].min(axis=1)]), legs).stretch
    assert (too_high[kept] < -2e-3).sum() > 5  # the planar bounds alone do not see to that


def test_limits_are_those_of_the_robot() -> None:
    """Lean of legs, outward positive, and tilt of the head: what both sides of LOLA can within its software limits."""
    robot = footfall.load("lola")
    limits = robot.limit_sets["software"]
    for joints, own in (
        (("har", "hal"), MODEL.leg.hip_roll_limits),
        (("sar", "sal"), MODEL.leg.ankle_roll_limits),
    ):
        # Positive angles of these joints take the foot inward and tilt it as a leg that leans inward does.
        low = max(-np.ravel(limits[joint][1])[0] for joint in joints)
        high = min(-np.ravel(limits[joint][0])[0] for joint in joints)
        assert own == pytest.approx((low, high))
    assert MODEL.head_tilt_limits == pytest.approx(np.ravel(limits["vt"]))
