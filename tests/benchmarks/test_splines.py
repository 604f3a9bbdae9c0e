"""The benchmark of splines runs and tells what was measured."""

from __future__ import annotations

import pytest

from benchmarks.lab.splines import markdown, quaternion_race, spline_errors, spline_races


def test_report_has_errors_and_times() -> None:
    errors = spline_errors((4, 9))
    found = {(e.system, e.consistent, e.sites, e.method): e for e in errors}
    quintic = found["under-damped", True, 9, "quintic"]
    assert (quintic.error, quintic.residual) == pytest.approx((1.46e-2, 0.119), rel=0.02)
    assert found["under-damped", False, 9, "least_squares"].residual < 0.2
    report = markdown(errors, spline_races((5,), blocks=2), quaternion_race(samples=20, blocks=2), load="0")
    assert "## under-damped, an end that does not fit" in report
    assert "| 5 |" in report
    assert "b_spline" in report
