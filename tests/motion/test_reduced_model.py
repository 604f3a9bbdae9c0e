"""Reduced models: LOLA's published constants against those derived from its description, files, other humanoids."""

from __future__ import annotations

import warnings
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import footfall
from footfall.bench.robots import examples_folder, load_measured
from footfall.errors import InvalidInput, MisplacedFrame, MissingFile, UnknownName, UnsuitableRobot
from footfall.motion.landmarks import landmarks
from footfall.motion.model_derivation import derived_model, reduced_model
from footfall.motion.reduced_model import PlanarLeg, ReducedModel
from footfall.motion.reduced_model_file import read_reduced_model, write_reduced_model
from footfall.robot.variants import lock_joints
from tests.armless_biped import armless_biped
from tests.motion.walks import lola_model

LOLA = footfall.load("lola")
LOLA_FRAMES = {name: name for name in ("RF", "LF", "RH", "LH", "UB", "VTCP")}
needs_examples = pytest.mark.skipif(examples_folder() is None, reason="example-robot-data is not installed")


def derived(**options: Any) -> ReducedModel:
    values: dict[str, Any] = {
        "sole": (-0.2336, 0.0425, -0.11, 0.11),
        "knee_angle": np.deg2rad(48.66),
        "limit_margin": np.deg2rad(5.0),
        "hand_radius": 0.05,
    }
    return derived_model(LOLA, LOLA_FRAMES, **{**values, **options})


def example(name: str) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_measured(name)


def assert_equal(ours: ReducedModel, theirs: ReducedModel) -> None:
    for field in fields(ReducedModel):
        first, second = getattr(ours, field.name), getattr(theirs, field.name)
        if field.name == "leg":
            for part in fields(PlanarLeg):
                if getattr(first, part.name) is None:
                    assert getattr(second, part.name) is None
                else:
                    np.testing.assert_allclose(
                        getattr(first, part.name), getattr(second, part.name), rtol=1e-12
                    )
        elif isinstance(first, str) or first is None or field.name in ("frames", "bulk"):
            assert first == second
        elif field.name == "hand_space":
            for one, other in zip(first, second, strict=True):
                np.testing.assert_array_equal(one, other)
        else:
            np.testing.assert_allclose(first, second, rtol=1e-12)


def test_lola_has_its_published_constants() -> None:
    # Where hands get is compared in tests/planning/test_reach_and_room.py.
    published = replace(reduced_model(LOLA), hand_space=None, hand_reach=None)
    assert_equal(published, lola_model(frames=LOLA_FRAMES))


def test_lola_derived_from_its_description_is_close_to_what_was_published() -> None:
    """Geometry to a millimetre and a tenth of a degree. Mass shares were fitted to a simulation in the source (11 %
    and 2 %); the lever rule gives 8.8 % and 3.7 %."""
    ours, published = derived(), reduced_model(LOLA)
    for name in ("lower_leg", "upper_leg"):
        assert getattr(ours.leg, name) == pytest.approx(getattr(published.leg, name), abs=1e-3)
    for name in ("hip_limits", "knee_limits", "ankle_limits"):
        np.testing.assert_allclose(
            getattr(ours.leg, name), getattr(published.leg, name), atol=np.deg2rad(0.1)
        )
    for name in ("toe_height", "toe_shift", "mid_foot_length", "mid_foot_height"):
        assert getattr(ours.leg, name) == pytest.approx(getattr(published.leg, name), abs=1e-4)
    for name in (
        "hip_width",
        "shoulder_width",
        "shoulder_height",
        "upper_arm",
        "foot_distance",
        "com_height",
    ):
        assert getattr(ours, name) == pytest.approx(getattr(published, name), abs=1e-3)
    np.testing.assert_allclose(ours.hand_offset, published.hand_offset, atol=1e-3)
    assert ours.mass == pytest.approx(published.mass, rel=1e-3)
    assert ours.foot_share == pytest.approx(0.088, abs=1e-3)
    assert ours.hand_share == pytest.approx(0.037, abs=1e-3)
    eigenvalues = np.linalg.eigvalsh(ours.torso_inertia)
    assert eigenvalues[0] > 0.0
    assert eigenvalues[2] < eigenvalues[0] + eigenvalues[1]


def test_toes_of_a_derived_model_are_those_that_were_published() -> None:
    """The sole reaches from the heel to the toes, and joints of toes have signs and limits (less 5 degrees) of both
    sides. With welded toes the frame stands on a foot of one piece."""
    ours, published = derived(sole=None), reduced_model(LOLA)
    np.testing.assert_allclose(ours.sole, published.sole, atol=1e-4)
    np.testing.assert_allclose(ours.toe_sole, published.toe_sole, atol=1e-4)
    assert ours.toe_signs == published.toe_signs
    assert ours.toe_limits is not None
    assert published.toe_limits is not None
    room = np.array([[1.0, -1.0]]) * np.deg2rad(5.0)
    np.testing.assert_allclose(ours.toe_limits, np.array(published.toe_limits) + room, atol=np.deg2rad(0.1))
    stiff = reduced_model(replace(lock_joints(LOLA, ["zfr", "zfl"]), name="stiff"))
    assert stiff.toe_limits is None
    assert stiff.toe_sole == stiff.sole
    np.testing.assert_allclose(stiff.sole, published.sole, atol=1e-4)
    assert stiff.leg.mid_foot_length == pytest.approx(0.0145 + 0.1301, abs=1e-4)


def test_the_torso_of_a_derived_model_is_above_the_hips_at_rest() -> None:
    """Hip height and hip_to_torso make up the height that the centre of mass asks for."""
    model = derived()
    knee, leg = np.deg2rad(48.66), model.leg
    stretch = np.sqrt(leg.lower_leg**2 + leg.upper_leg**2 + 2 * leg.lower_leg * leg.upper_leg * np.cos(knee))
    torso = model.com_height / (1 - 2 * model.foot_share)
    ankle = leg.toe_height + leg.mid_foot_height
    assert torso - leg.hip_to_torso - ankle == pytest.approx(stretch, abs=2e-3)


@needs_examples
@pytest.mark.parametrize(
    ("name", "mass", "shank", "thigh"), [("talos", 90.27, 0.325, 0.38), ("romeo", 40.53, 0.29, 0.32)]
)
def test_other_humanoids(name: str, mass: float, shank: float, thigh: float) -> None:
    model = reduced_model(example(name))
    assert model.mass == pytest.approx(mass, abs=0.01)
    assert (model.leg.lower_leg, model.leg.upper_leg) == pytest.approx((shank, thigh), abs=1e-6)
    rear, front, right, left = model.sole
    assert -0.13 < rear < -0.05 < 0.05 < front < 0.15
    assert -0.08 < right < 0.0 < left < 0.08
    assert 0.05 < model.foot_share < 0.15
    assert 0.01 < model.hand_share < 0.05
    assert 0.0 < model.leg.hip_to_torso < 0.4
    assert model.leg.knee_limits[0] > 0.0
    assert model.toe_limits is None


@needs_examples
def test_a_foot_frame_above_the_sole_is_refused() -> None:
    with pytest.raises(MisplacedFrame, match=r"z = -0.035 m of frame 'right_ankle_roll_link'"):
        reduced_model(example("g1"))


def test_landmarks_by_name() -> None:
    assert landmarks(LOLA, LOLA_FRAMES) == LOLA_FRAMES
    with pytest.raises(UnsuitableRobot, match="RF and LF"):
        landmarks(footfall.load("arm-7r"))
    with pytest.raises(UnknownName, match="RF"):
        landmarks(LOLA, {**LOLA_FRAMES, "RF": "RX"})
    with pytest.raises(UnknownName, match="landmark"):
        landmarks(LOLA, {"nose": "RF"})
    with pytest.raises(InvalidInput, match="frames are 3; they must be names"):
        landmarks(LOLA, 3)  # type: ignore[arg-type]


def test_robots_without_legs_are_refused() -> None:
    arm = footfall.load("arm-7r")
    frame = arm.bodies[-1].name
    with pytest.raises((UnsuitableRobot, MisplacedFrame)):
        reduced_model(arm, frames=dict.fromkeys(LOLA_FRAMES, frame), sole=(-0.1, 0.1, -0.1, 0.1))


def test_files_keep_a_model(tmp_path: Path) -> None:
    armless = reduced_model(armless_biped())
    for model in (reduced_model(LOLA), derived(), armless):
        path = tmp_path / "model.toml"
        write_reduced_model(model, path)
        assert_equal(read_reduced_model(path), model)


def test_wrong_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.toml"
    with pytest.raises(MissingFile):
        read_reduced_model(path)
    path.write_text("name = 3")
    with pytest.raises(InvalidInput, match="name"):
        read_reduced_model(path)
    write_reduced_model(reduced_model(LOLA), path)
    path.write_text("colour = 1\n" + path.read_text())
    with pytest.raises(InvalidInput, match="colour"):
        read_reduced_model(path)


def test_wrong_values_are_refused() -> None:
    model = reduced_model(LOLA)
    with pytest.raises(InvalidInput, match="mass"):
        replace(model, mass=0.0)
    with pytest.raises(InvalidInput, match="leave mass"):
        replace(model, foot_share=0.49)
    with pytest.raises(InvalidInput, match="rear, front"):
        replace(model, sole=(0.1, 0.0, -0.1, 0.1))
    with pytest.raises(InvalidInput, match="torso_inertia"):
        replace(model, torso_inertia=np.eye(2))
    with pytest.raises(InvalidInput, match="hip_limits"):
        replace(model.leg, hip_limits=(1.0, 0.0))
    with pytest.raises(InvalidInput, match="lower_leg"):
        replace(model.leg, lower_leg=0.0)
