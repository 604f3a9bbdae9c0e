"""Modes against closed forms, and their identification from responses with noise."""

from __future__ import annotations

import numpy as np
import pytest

from footfall.arrays import Array
from footfall.errors import RobotError
from footfall.math.modes import Mode, frequency_response, identify_modes, vibration_modes


def chain(count: int, stiffness: float, mass: float, share: float) -> tuple[Array, Array, Array]:
    """Masses between two walls on equal springs; damping in proportion to the springs."""
    k = stiffness * (2 * np.eye(count) - np.eye(count, k=1) - np.eye(count, k=-1))
    return mass * np.eye(count), share * k, k


def test_masses_between_walls() -> None:
    """w_j = 2 sqrt(k / m) sin(j pi / (2 (n + 1))), damping ratio share w / 2, shapes sin(i j pi / (n + 1))."""
    n, k, m, share = 6, 400.0, 0.5, 1e-3
    modes = vibration_modes(*chain(n, k, m, share))
    for j, mode in enumerate(modes, start=1):
        w = 2 * np.sqrt(k / m) * np.sin(j * np.pi / (2 * (n + 1)))
        assert mode.frequency == pytest.approx(w / (2 * np.pi), rel=1e-10)
        assert mode.damping == pytest.approx(share * w / 2, rel=1e-8)
        shape = np.sin(np.arange(1, n + 1) * j * np.pi / (n + 1))
        assert (
            np.abs(
                mode.shape * shape[np.abs(shape).argmax()] - shape * mode.shape[np.abs(shape).argmax()]
            ).max()
            < 1e-8
        )
        assert mode.pole == pytest.approx(
            complex(-mode.damping * w, w * np.sqrt(1 - mode.damping**2)), rel=1e-8
        )
    assert len(modes) == n


def test_rigid_and_creeping_motion_is_no_mode() -> None:
    """A free pair of masses on a spring has one mode, w = sqrt(2 k / m); a mass in honey has none."""
    k = 100.0 * np.array([[1.0, -1.0], [-1.0, 1.0]])
    modes = vibration_modes(2.0 * np.eye(2), np.zeros((2, 2)), k)
    assert [mode.frequency for mode in modes] == pytest.approx([np.sqrt(100.0) / (2 * np.pi)])
    assert vibration_modes(np.eye(1), 100.0 * np.eye(1), np.eye(1)) == []


@pytest.mark.parametrize(("noise", "of_frequency", "of_damping"), [(0.0, 1e-9, 1e-7), (0.02, 1e-3, 0.06)])
def test_identification(noise: float, of_frequency: float, of_damping: float) -> None:
    """Six masses, shaken at the second, seen at three: all modes from 300 frequencies; noise in parts of the median."""
    system = chain(6, 4000.0, 0.5, 2e-4)
    at = np.linspace(1.0, 30.0, 300)
    seen = frequency_response(*system, at)[:, [0, 2, 3], 1]
    rng = np.random.default_rng(0)
    seen = seen + noise * np.median(np.abs(seen)) * (
        rng.normal(size=seen.shape) + 1j * rng.normal(size=seen.shape)
    )
    true = [mode for mode in vibration_modes(*system) if mode.frequency < 30.0]
    found = identify_modes(at, seen, len(true))
    for one, other in zip(found, true, strict=True):
        assert one.frequency == pytest.approx(other.frequency, rel=of_frequency)
        assert one.damping == pytest.approx(other.damping, rel=of_damping)


def test_shapes_are_those_of_the_residues() -> None:
    """Residues of one mode stand to each other as its shape: also where faster modes are outside of the band."""
    system = chain(4, 1000.0, 1.0, 1e-4)
    modes = vibration_modes(*system)
    at = np.linspace(0.5, 1.2 * modes[1].frequency, 200)
    found = identify_modes(at, frequency_response(*system, at)[:, :, 0], 2)
    for one, other in zip(found, modes[:2], strict=True):
        assert one.frequency == pytest.approx(other.frequency, rel=1e-4)
        shape = one.shape / one.shape[np.abs(one.shape).argmax()]
        np.testing.assert_allclose(np.abs(shape), np.abs(other.shape), atol=0.01)


def test_places_that_do_not_move() -> None:
    """The middle of three masses is a node of the second mode; a coordinate that nothing moves is no obstacle."""
    system = chain(3, 1000.0, 1.0, 1e-3)
    at = np.linspace(0.5, 12.0, 200)
    seen = np.concatenate([frequency_response(*system, at)[:, :, 0], np.zeros((200, 1))], axis=1)
    found = identify_modes(at, seen, 3)
    for one, other in zip(found, vibration_modes(*system), strict=True):
        assert one.frequency == pytest.approx(other.frequency, rel=1e-6)
        assert one.shape[3] == 0.0
    with pytest.raises(RobotError, match="all responses are zero"):
        identify_modes(at, np.zeros(200), 1)


def test_old_and_new_torso() -> None:
    """Twist of the legs at 6.5 Hz, torso at 9.7 or 11.6 Hz (Seiwald 2023, 3.8): told apart from one accelerometer."""
    at = np.linspace(3.0, 20.0, 200)
    for torso in (9.7, 11.6):
        poles = [Mode(6.5, 0.03, np.ones(1)).pole, Mode(torso, 0.02, np.ones(1)).pole]
        s = 2j * np.pi * at
        seen = sum(1.0 / (s - pole) + 1.0 / (s - pole.conjugate()) for pole in poles)
        found = identify_modes(at, seen, 2)
        assert [mode.frequency for mode in found] == pytest.approx([6.5, torso], rel=1e-8)
        assert [mode.damping for mode in found] == pytest.approx([0.03, 0.02], rel=1e-6)


def test_bad_input() -> None:
    with pytest.raises(RobotError, match=r"mass is \(2, 2\), damping \(1, 1\)"):
        vibration_modes(np.eye(2), np.eye(1), np.eye(2))
    with pytest.raises(RobotError, match="must be a square matrix"):
        vibration_modes(np.ones((2, 3)), np.eye(2), np.eye(2))
    with pytest.raises(RobotError, match="4 frequencies for 2 modes"):
        identify_modes(np.arange(1.0, 5.0), np.ones(4), 2)
    with pytest.raises(RobotError, match=r"frequencies are \(5,\), responses \(4, 1\)"):
        identify_modes(np.arange(1.0, 6.0), np.ones(4), 1)
