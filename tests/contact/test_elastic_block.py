"""Finite elements of a sole against closed forms of elasticity."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.contact import Elastic, sole_stiffness
from footfall.contact.contact_layer import block_stiffness, brick_stiffness
from footfall.errors import InvalidInput

SIZE = np.array([0.08, 0.05, 0.012])
CELLS = (4, 3, 2)


def node_places() -> np.ndarray:
    """Of the block's nodes (n, 3), in their order."""
    x, y, z = (np.linspace(0.0, edge, count + 1) for edge, count in zip(SIZE, CELLS, strict=True))
    return np.array([[a, b, c] for c in z for a in x for b in y])


def test_a_brick_resists_all_but_rigid_motions() -> None:
    """Six eigenvalues vanish, those of translations and small turns; 18 do not."""
    stiffness = brick_stiffness(np.array([0.01, 0.02, 0.03]), Elastic(1e6, 0.3))
    values = np.linalg.eigvalsh(stiffness)
    assert np.abs(values[:6]).max() < 1e-14 * values[-1]
    assert values[6] > 1e-3 * values[-1]


@pytest.mark.parametrize("poisson", [0.0, 0.3, 0.45])
def test_uniform_strain_needs_loads_at_the_surface_only(poisson: float) -> None:
    """The patch test: u = G x has the uniform stress C (G + G^T) / 2; nodes inside are free of forces, and a face
    bears stress times area."""
    material = Elastic(2e5, poisson)
    whole, places = block_stiffness(SIZE, CELLS, material), node_places()
    gradient = np.random.default_rng(3).normal(size=(3, 3))
    forces = (whole @ (places @ gradient.T).ravel()).reshape(-1, 3)
    strain = 0.5 * (gradient + gradient.T)
    shear = material.young / (2.0 * (1.0 + poisson))
    lame = 2.0 * shear * poisson / (1.0 - 2.0 * poisson)
    stress = 2.0 * shear * strain + lame * np.trace(strain) * np.eye(3)
    scale = np.abs(stress).max() * SIZE[0] * SIZE[1]
    inside = ((places > 1e-9) & (places < SIZE - 1e-9)).all(axis=1)
    assert inside.any()
    assert np.abs(forces[inside]).max() < 1e-12 * scale
    # With stress s on the six faces of a block, sum f_i x_j over all nodes is volume times s_ij.
    assert forces.T @ places == pytest.approx(stress * np.prod(SIZE), abs=1e-12 * scale * SIZE[0])


def test_a_block_that_does_not_bulge_is_a_spring() -> None:
    """Without lateral strain E A / t down, whatever the mesh."""
    stiffness = sole_stiffness(SIZE, CELLS, Elastic(2e5, 0.0))
    down = np.tile([0.0, 0.0, 1.0], (CELLS[0] + 1) * (CELLS[1] + 1))
    assert down @ stiffness @ down == pytest.approx(2e5 * SIZE[0] * SIZE[1] / SIZE[2], rel=1e-12)


def test_nodes_push_their_neighbours() -> None:
    """Finite elements are no independent springs. In a deep block a node under a force sinks in as the half space of
    Boussinesq does, `u(r) = (1 - nu^2) f / (pi E r)`: two and three bricks away within 15 %, where neither the brick
    under the force nor the plate eight bricks behind counts for much."""
    edge, count, poisson = 0.32, 8, 0.3
    material = Elastic(1e6, poisson)
    stiffness = sole_stiffness(np.full(3, edge), (count, count, count), material)
    middle = 3 * (count // 2 * (count + 1) + count // 2) + 2
    force = np.zeros(len(stiffness))
    force[middle] = 1.0
    sunk = np.linalg.solve(stiffness, force)[middle + 3 * np.array([2, 3])]
    expected = (1.0 - poisson**2) / (np.pi * material.young * np.array([2, 3]) * edge / count)
    assert sunk == pytest.approx(expected, rel=0.15)


def test_blocks_without_bricks_are_refused() -> None:
    with pytest.raises(InvalidInput, match="one each way"):
        block_stiffness(SIZE, (0, 3, 2), Elastic(1e6, 0.3))


@pytest.mark.parametrize(
    "material", [Elastic(-1.0, 0.3), Elastic(1e6, 0.5), Elastic(1e6, -1.0), Elastic(np.nan, 0.3)]
)
def test_materials_without_meaning_are_refused(material: Elastic) -> None:
    with pytest.raises(InvalidInput, match="young must be positive"):
        sole_stiffness(SIZE, CELLS, material)
