"""Steps out of stances: which of them are slow."""

from __future__ import annotations

import pytest

from footfall.environment import PerceptionOptions, perceive
from footfall.gait import FootContact, idle_pose
from footfall.gait.walking_transitions import WalkingTransition
from footfall.motion.pipeline import gait_dimensions
from footfall.planning import FootPlacement, PlannerParameters, Stance
from footfall.planning.conversion import walking_transitions
from footfall.planning.tables import tables_for
from footfall.scene import make_scene
from tests.planning.scenes import model

TABLES = tables_for(model(), PlannerParameters())


def steps_past(second: FootContact) -> list[WalkingTransition]:
    """Three steps on a level floor; the second foot stands in a given way, the others on whole soles."""
    terrain = perceive(make_scene("empty-floor"), PerceptionOptions(voxel=0.0, noise=0.0)).terrain
    start = idle_pose(gait_dimensions(model()))
    half = TABLES.biped.foot_distance / 2
    feet = [
        FootPlacement("LF", (0.2, half, 0.0), (1.0, 0.0, 0.0, 0.0)),
        FootPlacement("RF", (0.5, -half, 0.0), (1.0, 0.0, 0.0, 0.0), second),
        FootPlacement("LF", (0.8, half, 0.0), (1.0, 0.0, 0.0, 0.0)),
    ]
    return walking_transitions(
        start.with_stance("RF"),
        [Stance(foot, (), 0.0, True) for foot in feet],
        TABLES.parameters,
        terrain.packed,
        TABLES.refinement,
        TABLES.biped.foot_distance,
    )


@pytest.mark.parametrize(
    ("second", "factor"), [(FootContact.FULL, 1.0), (FootContact.PARTIAL, 1.5), (FootContact.TIPTOE, 1.0)]
)
def test_a_step_from_the_toe_pad_alone_is_slow(second: FootContact, factor: float) -> None:
    """A toe pad is too short for the zero-moment point of a quick step. Who lands on tiptoe puts the heel down."""
    usual = TABLES.parameters.timing.transition_s
    steps = steps_past(second)
    assert [step.duration for step in steps] == pytest.approx([usual, usual, factor * usual])
    assert [step.swing_timing for step in steps] == [0.0, 0.0, 1.0 if factor > 1.0 else 0.0]  # it rises first
