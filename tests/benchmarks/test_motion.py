"""The benchmark of the motion generator runs, and its report has all tables."""

from __future__ import annotations

from benchmarks.lab.motion import (
    SOURCE_COM_ERROR,
    com_errors,
    measure_generation,
    measure_growth,
    measure_samples,
    straight_plan,
    study_random_walks,
)
from benchmarks.lab.motion_report import markdown
from footfall.gait.plan_file import build_plan, read_plan_description
from footfall.motion.pipeline import gait_dimensions, generate_motion
from tests.motion.lola import MODEL


def test_report_has_all_tables() -> None:
    plan = straight_plan(MODEL, 9)
    generation = measure_generation("straight, 9", plan, MODEL, runs=5)
    assert generation.transitions == 9
    assert len(generation.stages) == 18
    motion = generate_motion(plan, MODEL)
    study = study_random_walks(MODEL, 2)
    text = markdown(
        [generation],
        measure_samples(motion, runs=5),
        measure_growth(MODEL, (5, 10), runs=2),
        study,
        com_errors(motion),
        load_before="0",
    )
    for words in ("Stage by stage", "RMT-xy cycle 2", "snapshot", "Growth", "Random walks", "Centre of mass"):
        assert words in text
    assert study.broken == ()


def test_centre_of_mass_is_closer_than_in_the_source() -> None:
    """R-02, on the platform, where a hand is blended in and out; without blending it is exact."""
    plan = build_plan(read_plan_description("platform"), gait_dimensions(MODEL))
    errors = com_errors(generate_motion(plan, MODEL))
    assert all(mine < source for mine, source in zip(errors, SOURCE_COM_ERROR, strict=True))
    assert com_errors(generate_motion(straight_plan(MODEL, 5), MODEL))[0] < 1e-12
