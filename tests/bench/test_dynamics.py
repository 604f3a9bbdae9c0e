"""The benchmark itself, with the least effort: results agree with Pinocchio, and wrong ones are noticed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import footfall
from footfall.bench.cases import CASES, matching, tip
from footfall.bench.chains import measure_chains
from footfall.bench.dynamics import Effort, measure_robot
from footfall.bench.robots import MEASURED, load_measured, measurable
from footfall.bench.startup import measure_startup
from footfall.bench.states import BenchState, random_states
from footfall.errors import MissingFile

LEAST = Effort(blocks=2, block_seconds=1e-5, calls=4, batch=16)


def test_our_times_need_no_peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.bench.dynamics.has_pinocchio", lambda: False)
    report = measure_robot("wrist", cases=matching("inverse dynamics")[:1], effort=LEAST, cpp=True)
    (measurement,) = report.measurements
    assert set(measurement.race.seconds) == {"checked", "bound", "batch", "cores", "cached", "writing"}
    assert measurement.error is None
    assert measurement.race.time("bound").median > 0.0


def test_robots_that_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("footfall.bench.robots.examples_folder", lambda: None)
    monkeypatch.setattr("footfall.robot.installed.examples_folder", lambda: None)
    assert measurable() == ("quadruped", "lola")
    with pytest.raises(MissingFile, match=r"footfall\[robots\]"):
        load_measured("talos")


def test_states_are_reproducible_and_lawful() -> None:
    robot = footfall.load("quadruped")
    one, two = random_states(robot, 5), random_states(robot, 5)
    assert all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))
    assert not np.array_equal(one.v[0], one.v[1])
    assert np.allclose(np.linalg.norm(one.q[:, 3:7], axis=1), 1.0)
    assert np.all(one.q >= robot.lower_limits)


def test_tip_ends_the_longest_chain() -> None:
    assert tip(footfall.load("arm-7r")) == footfall.load("arm-7r").bodies[-1].name
    assert tip(footfall.load("lola")) in ("zfr", "zfl")


def test_chains_get_both_ways() -> None:
    short, longer = measure_chains([2, 80], effort=LEAST)
    assert {"articulated", "factorised"} <= set(short.race.seconds)
    assert "factorised" not in longer.race.seconds
    assert longer.operations["articulated"] > short.operations["articulated"]


def test_startup_is_measured_in_fresh_processes() -> None:
    startup = measure_startup("planar-arm", rounds=1)
    assert startup.robot == "planar-arm"
    assert all(seconds > 0.0 for name, seconds in vars(startup).items() if name != "robot")


class TestAgainstPinocchio:
    """What needs the peer."""

    @pytest.fixture(autouse=True)
    def _peer(self) -> None:
        pytest.importorskip("pinocchio")

    def test_every_case_agrees_on_a_floating_robot(self) -> None:
        report = measure_robot("point-foot-quadruped", effort=LEAST)
        assert [measurement.case for measurement in report.measurements] == list(CASES)
        for measurement in report.measurements:
            assert measurement.error is not None
            assert measurement.error < 1e-10, measurement.case.name
            assert "python" in measurement.race.seconds

    def test_a_wrong_result_has_a_large_error(self) -> None:
        """The peer reads one robot, we compute with another that is a gram heavier."""
        from footfall.bench.agreement import ERRORS
        from footfall.bench.pinocchio import build_peer

        robot = footfall.load("point-foot-quadruped")
        heavier = replace(robot, bodies=tuple(replace(body, mass=body.mass + 1e-3) for body in robot.bodies))
        peer = build_peer("point-foot-quadruped", robot).exact
        state = BenchState(*(column[0] for column in random_states(robot, 1)))
        right, wrong = (footfall.mass_matrix(each, state.q) for each in (robot, heavier))
        assert ERRORS["crba"](peer, state, [right]) < 1e-12
        assert ERRORS["crba"](peer, state, [wrong]) > 1e-6

    @pytest.mark.parametrize("name", [*MEASURED, "chain-4"])
    def test_both_models_compute_the_same(self, name: str) -> None:
        """The free flyer that is timed and the model that results are compared with, through their conventions."""
        import pinocchio as pin

        from footfall.bench.pinocchio import build_peer, is_free_flyer
        from footfall.math.rotations import matrix_from_quaternion

        try:
            robot = load_measured(name)
        except MissingFile:
            pytest.skip("example-robot-data is not installed")
        peer = build_peer(name, robot)
        state = BenchState(*(column[0] for column in random_states(robot, 1)))
        forces = []
        for model in peer:
            q, v, a, _ = model.state(state)
            forces.append(model.vector(pin.rnea(model.model, model.data, q, v, a)))
        exact, fast = forces
        if is_free_flyer(robot):
            fast[:3] = matrix_from_quaternion(state.q[3:7]) @ fast[:3]
        assert np.linalg.norm(fast - exact) < 1e-12 * np.linalg.norm(exact)
        ours = footfall.inverse_dynamics.textbook(robot, state.q, state.v, state.a)
        assert np.linalg.norm(ours - exact) < 1e-12 * np.linalg.norm(exact)
