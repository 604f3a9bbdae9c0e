"""Indices of materials against their proportionalities, and the ranking that Seiwald 2023, section 3.5 states."""

from __future__ import annotations

import itertools

import pytest

from examples.materials import MATERIALS, deflection_in_bending, strain_in_tension, twist_in_torsion


def test_specific_stiffness_of_metals() -> None:
    """24 to 27e6 m2/s2 for steel, titanium, aluminium and magnesium alike."""
    for material in MATERIALS.values():
        assert 24e6 < material.specific_stiffness < 27e6


def test_indices() -> None:
    """At given load, length and mass: strain ~ density / E, bending ~ density^2 / E, torsion too but for Poisson."""
    for one, other in itertools.combinations(MATERIALS.values(), 2):
        index = (one.density / one.modulus) / (other.density / other.modulus)
        ratio = strain_in_tension(one, 50.0, 0.3, 0.7) / strain_in_tension(other, 50.0, 0.3, 0.7)
        assert ratio == pytest.approx(index, rel=1e-12)
        square = index * one.density / other.density
        ratio = deflection_in_bending(one, 50.0, 0.3, 0.7) / deflection_in_bending(other, 50.0, 0.3, 0.7)
        assert ratio == pytest.approx(square, rel=1e-12)
        ratio = twist_in_torsion(one, 5.0, 0.3, 0.7) / twist_in_torsion(other, 5.0, 0.3, 0.7)
        assert ratio == pytest.approx(square * (1 + one.poisson) / (1 + other.poisson), rel=1e-12)


def test_ranking() -> None:
    """In bending and torsion the lightest wins; where the section is given steel does."""
    names = ["magnesium AZ91", "aluminium AlZnMgCu1.5", "titanium Ti6Al4V", "steel X10CrNiS18-9"]
    for index in (deflection_in_bending, twist_in_torsion):
        assert sorted(MATERIALS, key=lambda name: index(MATERIALS[name], 10.0, 0.4, 1.0)) == names
    assert max(MATERIALS, key=lambda name: MATERIALS[name].modulus) == names[-1]
