"""Guessed states of contacts: their linear laws against the law itself."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.contact.law import (
    ContactLaw,
    contact_residual,
    contact_state,
    linear_law,
    linear_row,
    made_law,
    natural_map,
    row_map,
)

HARD = 1e-7  # softness of first steps


def point(
    compliance: float = 0.0, friction: float = 0.6, extra: float = 0.0, shear: float = 0.0
) -> ContactLaw:
    return made_law(1.5, 0.4, friction, extra, compliance, shear)


@pytest.mark.parametrize("shear", [0.0, 3.0])
@pytest.mark.parametrize("compliance", [0.0, 1.8])
def test_the_natural_map_is_that_of_the_law(compliance: float, shear: float) -> None:
    """Two ways to write it: while a state is found, and in the law."""
    rng, contact = np.random.default_rng(0), point(compliance, extra=0.05, shear=shear)
    states = set()
    for _ in range(300):
        p, w = rng.normal(size=3), rng.normal(size=3)
        law, lacking = contact_state(contact, p, w, HARD)
        assert lacking == pytest.approx(contact_residual(contact, p, w), abs=1e-14)
        states.add((law.normal > 0.0, law.slides))
    assert states == {(False, False), (True, False), (True, True)}


def test_a_trace_has_the_law_of_routines() -> None:
    """Without branches, as in a trace, state and spring are those of `contact_state`."""
    rng = np.random.default_rng(3)
    for _ in range(300):
        contact = point(rng.choice([0.0, 1.8]), extra=0.05, shear=rng.choice([0.0, 3.0]))
        p, w = rng.normal(size=3), rng.normal(size=3)
        branched, lacking = contact_state(contact, p, w, 1e-2)
        chosen = linear_law(contact, p, w, 1e-2, 1.0, 1.0)
        np.testing.assert_allclose(chosen.impulse, branched.impulse, rtol=1e-14, atol=1e-14)
        np.testing.assert_allclose(chosen.stiffness, branched.stiffness, rtol=1e-14, atol=1e-14)
        f = natural_map(contact, p, w)
        assert max(np.hypot(f[0], f[1]), abs(f[2])) == pytest.approx(lacking, abs=1e-14)


def test_what_obeys_the_law_obeys_its_linear_law() -> None:
    """Sticking, open and sliding contacts whose impulse and velocity obey Coulomb's law stay as they are."""
    contact = point(friction=0.6)
    slip = np.array([0.3, -0.4])
    # Against its slip, of friction times the normal impulse.
    sliding = np.array([*(-0.6 * 2.0 * slip / 0.5), 2.0])
    cases = (
        (np.array([0.5, 0.2, 1.0]), np.zeros(3)),
        (np.zeros(3), np.array([1.0, 2.0, 0.1])),
        (sliding, np.array([*slip, 0.0])),
    )
    for p, w in cases:
        law, lacking = contact_state(contact, p, w, HARD)
        assert lacking == pytest.approx(0.0, abs=1e-15)
        np.testing.assert_allclose(law.impulse - law.stiffness @ w, p, atol=2e-5 * (1.0 + np.abs(p).max()))


def test_friction_turns_with_the_slip() -> None:
    """The linear law of a sliding contact is the derivative of -friction p_n w / |w|, and 0.6 of what p_n changes."""
    contact, load, w = point(friction=0.6), 2.0, np.array([0.3, -0.4, 0.0])

    def friction(w: np.ndarray) -> np.ndarray:
        return -0.6 * load * w[:2] / np.linalg.norm(w[:2])

    law, _ = contact_state(contact, np.array([*friction(w), load]), w, HARD)
    stiffness, step = law.stiffness, 1e-6
    for axis in (0, 1):
        change = np.zeros(3)
        change[axis] = step
        slope = (friction(w + change) - friction(w - change)) / (2.0 * step)
        np.testing.assert_allclose(-stiffness[:2, axis], slope, rtol=1e-4)
    np.testing.assert_allclose(stiffness[:2, 2], stiffness[2, 2] * -0.6 * w[:2] / 0.5, rtol=1e-12)


def test_rows_of_joints() -> None:
    rng = np.random.default_rng(1)
    for bound in (np.inf, 0.4):
        for _ in range(50):
            p, u = rng.normal(), rng.normal()
            law, lacking = linear_row(0.7, bound, p, u / 0.7, HARD)
            assert lacking == pytest.approx(row_map(0.7, bound, p, u), abs=1e-14)
            assert law.stiffness == 0.0 or law.impulse == p


def test_a_soft_contact_answers_with_its_spring() -> None:
    """p_n = -w_n / compliance, whatever the impulse was."""
    contact = point(compliance=1.8)
    law, _ = contact_state(contact, np.array([0.0, 0.0, 0.3]), np.array([0.0, 0.0, -1.0]), HARD)
    pushed = (law.impulse - law.stiffness @ np.array([0.0, 0.0, -1.0]))[2]
    assert pushed == pytest.approx(1.0 / 1.8, rel=1e-5)


def test_a_stick_spring_gives_way_until_it_slides() -> None:
    """Inside of the disc p_t = -w_t / shear; a sliding one at the velocity -shear p_t - slip has friction times p_n."""
    contact = point(friction=0.6, shear=3.0)
    law, _ = contact_state(contact, np.array([0.1, 0.0, 1.0]), np.array([-0.3, 0.0, 0.0]), HARD)
    pushed = law.impulse - law.stiffness @ np.array([-0.3, 0.0, 0.0])
    np.testing.assert_allclose(pushed[:2], [0.1, 0.0], rtol=1e-4)
    sliding, slip = np.array([0.6, 0.0, 1.0]), np.array([-0.2, 0.0, 0.0])
    w = slip - 3.0 * np.array([0.6, 0.0, 0.0])
    law, lacking = contact_state(contact, sliding, w, HARD)
    assert law.slides
    assert lacking == pytest.approx(0.0, abs=1e-15)
    # across its way it answers as a spring in series with friction that turns: 1 / (shear + slip / bound)
    assert law.stiffness[1, 1] == pytest.approx(1.0 / (3.0 + 0.2 / 0.6), rel=1e-4)


def test_a_softer_law_goes_through_the_same_solution() -> None:
    """Softness only says how far a step goes: `p = p_now - w / (softness W)`, so p_now at rest whatever it is."""
    contact, p, w = point(), np.array([0.1, -0.2, 1.0]), np.array([1e-3, -2e-3, 4e-3])
    for softness in (HARD, 1e-2):
        law, _ = contact_state(contact, p, np.zeros(3), softness)
        np.testing.assert_allclose(law.impulse, p, rtol=1e-15)
        answer = law.impulse - law.stiffness @ w
        mobility = np.array([contact.along, contact.along, contact.normal])
        np.testing.assert_allclose(answer, p - w / (softness * mobility), rtol=1e-12)
