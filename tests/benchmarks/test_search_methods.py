"""What Schwienbacher (2014, section 4.2) says of methods of inverse kinematics, in counts."""

from __future__ import annotations

import pytest

from benchmarks.lab.search_methods import arm, chain, compare, searches_markdown


@pytest.mark.parametrize("make", [arm, lambda: chain(20)])
def test_newton_needs_the_fewest_evaluations_near_the_target(make: object) -> None:
    problem = make()  # type: ignore[operator]
    found = {row.method: row for row in compare(problem, "near", targets=5)}
    newton = found.pop("Newton")
    assert newton.met == 1.0
    found.pop("Levenberg-Marquardt, native")  # its evaluations are not counted
    for row in found.values():
        assert not row.met or newton.evaluations < row.evaluations


def test_wolfe_beats_armijo_with_conjugate_gradients() -> None:
    names = ("conjugate gradient, Wolfe", "conjugate gradient, Armijo")
    for problem in (arm(), chain(20)):
        wolfe, armijo = compare(problem, "near", targets=6, methods=names)
        assert wolfe.met >= armijo.met
        assert wolfe.evaluations < armijo.evaluations


def test_the_report_tells_what_was_met() -> None:
    problem = arm()
    rows = compare(problem, "near", targets=2, methods=("Newton", "Levenberg-Marquardt, native"))
    text = searches_markdown([(problem.name, "near", rows)], load_before="0, 0")
    newton, native = (f"{row.iterations:.0f}" for row in rows)
    assert f"| 7-joint arm, near | Newton | 100 % | {newton} | {rows[0].evaluations:.0f} |" in text
    assert f"| 7-joint arm, near | Levenberg-Marquardt, native | 100 % | {native} |  |" in text
