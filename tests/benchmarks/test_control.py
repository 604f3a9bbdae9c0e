"""The benchmark of control runs, its steps are right, and its judge of quadratic programs can tell wrong ones."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.lab.control import Step, lola_steps, measure_steps
from benchmarks.lab.control_programs import (
    Comparison,
    compare_solvers,
    dumped_programs,
    residuals,
    solvers,
)
from benchmarks.lab.control_reach import lola_study, panda_study, search, search_far
from benchmarks.lab.control_reach_peers import goals_of, peer_searches
from benchmarks.lab.control_report import control_markdown, reach_markdown
from footfall.bench.measure import Race
from footfall.ik import solve_quadratic_program


def test_steps_are_right_and_can_be_timed() -> None:
    steps = lola_steps()
    assert [step.bar for step in steps if step.bar is not None] == [60e-6, 250e-6]
    for step in steps:
        assert step.error < 1e-8, step.name
    result = measure_steps(steps[:1], blocks=2)
    assert result.time(steps[0].name).median > 0.0


def test_all_solvers_agree_on_dumped_programs() -> None:
    pytest.importorskip("pinocchio", reason="TALOS comes with example-robot-data")
    assert {"ours", "DAQP"} <= set(solvers())
    for source, programs in dumped_programs(2).items():
        rows = {row.solver: row for row in compare_solvers(programs, repeats=1)}
        assert rows["ours"].solved == 2, source
        assert rows["ours"].infeasibility < 1e-8, source
        assert rows["ours"].slope < 1e-6, source


def test_the_judge_sees_wrong_solutions() -> None:
    program = dumped_programs(1)["first priority, quadruped"][0]
    x = solve_quadratic_program(program)
    assert max(residuals(program, x)) < 1e-7
    random = np.random.default_rng(0)
    assert max(residuals(program, x + 0.1 * random.normal(size=len(x)))) > 1e-3


def test_searches_are_counted() -> None:
    """A few targets of each study; the full ones are run by benchmarks/inverse_kinematics.py."""
    pytest.importorskip("pinocchio", reason="Panda comes with example-robot-data")
    panda = panda_study()
    found = search(panda, 4)
    assert found.met == 4
    assert found.iterations.max() <= 600
    far = search_far(panda, 3, starts=2)
    assert far.within == 1.0
    assert far.ours.min() > 0.01
    lola = lola_study()
    assert search(lola, 1).met == 1
    farther = search_far(lola, 1, starts=1)
    assert farther.within == 1.0
    assert farther.ours[0] > 0.5
    peers = [*peer_searches(panda, 1), *peer_searches(lola, 1)]
    assert all(outcome.targets == outcome.met == 1 for outcome in peers)
    text = reach_markdown(
        [("Panda", found), *(("Panda", peer) for peer in peers)], [("LOLA", farther)], load_before="0, 0"
    )
    assert "Bars met: 2 of 2" in text


def test_peers_get_the_same_tasks() -> None:
    """LOLA's 28 rows: three of the centre of mass, two feet, an orientation, two hands, toes and head."""
    lola = lola_study()
    goals = goals_of(lola.tasks(0))
    weights = {frame: weight for frame, (_, *weight) in goals.poses.items()}
    assert weights == {"UB": [0, 1], "RF": [1, 1], "LF": [1, 1], "RH": [1, 0], "LH": [1, 0]}
    assert goals.center is not None
    assert set(goals.joints) == {"zfr", "zfl", "vp", "vt"}
    assert 3 + sum(3 * place + 3 * turn for place, turn in weights.values()) + len(goals.joints) == 28


def test_report_tells_missed_bars() -> None:
    steps = [Step("quick", list, 1.0, 0.0), Step("slow", list, 1e-3, 1e-9)]
    race = Race({"quick": np.full(4, 0.5), "slow": np.full(4, 2e-3)})
    peers = Race({"ours": np.full(4, 1.0), "Pink": np.full(4, 6.0), "Mink": np.full(4, 4.0)})
    row = Comparison("ours", 2, 2, 1e-4, 2e-4, 0.0, 1e-12)
    text = control_markdown(steps, race, peers, {"LOLA": [row]}, blocks=4, load_before="0, 0")
    assert "Bars met: 2 of 4" in text
    assert "- slow: 2000 us, bar 1000" in text
    assert "- ours against Mink: 4.0, bar 5" in text
    assert "| LOLA | ours | 2 of 2 | 100 | 200 |" in text
