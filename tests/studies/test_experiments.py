"""What studies run by name, on real robots: pushes that LOLA stands and does not stand, and rows that replay."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import pytest

from footfall.errors import InvalidInput, UnknownName
from footfall.studies import EXPERIMENTS, Study
from footfall.walking.request import WalkRequest, read_request
from footfall.walking.signals import PushBody, Set
from footfall.walking.walk import walk


def push_of(replay: str) -> PushBody:
    request = msgspec.json.decode(replay, type=WalkRequest)
    return next(each for each in request.signals if isinstance(each, PushBody))


def test_a_push_that_is_too_large_fells_it_and_the_row_replays_to_the_same_bits() -> None:
    push = EXPERIMENTS["push"]
    weak = push({"impulse": 2.0, "direction_deg": 90.0, "phase": 0.25}, seed=1001)
    strong = push({"impulse": 200.0, "direction_deg": 90.0, "phase": 0.25}, seed=1001)
    assert weak.measures["stands"] is True
    assert strong.measures["stands"] is False
    assert "tilted" in str(strong.measures["cause"]) or "struck" in str(strong.measures["cause"])
    assert weak.replay is not None
    again = walk(msgspec.json.decode(weak.replay, type=WalkRequest))
    assert again.summary.time == weak.measures["time"]
    assert again.summary.dcm_error_rms == weak.measures["dcm_error_rms"]


def test_the_phase_counts_from_where_the_right_foot_lifts_off() -> None:
    outcomes = [EXPERIMENTS["push"]({"impulse": 0.0, "phase": phase}, seed=1002) for phase in (0.0, 0.5, 1.0)]
    begin, middle, end = (push_of(str(each.replay)).time for each in outcomes)
    assert middle == pytest.approx(0.5 * (begin + end), abs=1.1e-3)  # times are whole milliseconds
    assert 0.8 < end - begin < 3.0  # a stride of LOLA


def test_directions_are_those_of_the_world() -> None:
    outcome = EXPERIMENTS["push"]({"impulse": 10.0, "direction_deg": 180.0}, seed=1003)
    force: Any = push_of(str(outcome.replay)).force
    assert force == pytest.approx((-100.0, 0.0, 0.0), abs=1e-12)  # 10 N s within 0.1 s


def test_other_experiments_run() -> None:
    found = EXPERIMENTS["plan"]({"scene": "stairs"}, seed=1)
    assert found.measures["found"] is True
    lying = EXPERIMENTS["simulate"]({"robot": "quadruped", "limp": True, "seconds": 0.3}, seed=1)
    assert math.isfinite(float(lying.measures["tilt"]))  # type: ignore[arg-type]
    assert float(lying.measures["energy_gained"]) <= 1e-9  # type: ignore[arg-type]


def test_parameters_of_walks_are_known_by_name() -> None:
    EXPERIMENTS["walk"].check(Study(name="gains", experiment="walk", vary={"set.gains.balance_rate": [3.0]}))
    with pytest.raises(UnknownName, match=r"set\.gains\.balance_rate"):
        EXPERIMENTS["walk"].check(Study(name="odd", experiment="walk", vary={"set.gains.balance_rat": [3.0]}))
    with pytest.raises(InvalidInput, match="phase"):
        EXPERIMENTS["push"]({"phase": 1.5}, seed=0)


def test_what_the_robot_does_not_know_acts_on_it() -> None:
    walk_on = EXPERIMENTS["push"]
    usual = {"impulse": 0.0, "speed": 0.2}
    plain = walk_on(usual, seed=1004).measures
    for error in (
        {"weight_error": 0.1},
        {"center_ahead_m": 0.02},
        {"center_left_m": -0.01},
        {"sensor_delay": 0.004},
        {"substeps": 1},
    ):
        found = walk_on({**usual, **error}, seed=1004).measures
        assert found["stands"] is True
        assert found["dcm_error_rms"] != plain["dcm_error_rms"]
    # 10 % more weight is on the feet.
    heavy = walk_on({**usual, "weight_error": 0.1}, seed=1004).measures
    ratio = float(heavy["peak_foot_force"]) / float(plain["peak_foot_force"])  # type: ignore[arg-type]
    assert 1.05 < ratio < 1.25


SCRIPT = """
scene = "flat"
noise = true
seconds = 3.0

[[signal]]
do = "drive"
forward = 0.3

[[signal]]
do = "set"
name = "gains.balance_rate"
value = 3.5

[[signal]]
time = 2.0
do = "push"
body = "torso"
force = [0.0, 150.0, 0.0]
seconds = 0.1
"""


def test_a_session_does_what_its_script_says_but_for_what_a_study_gives(tmp_path: Path) -> None:
    session, script = EXPERIMENTS["session"], tmp_path / "errand.toml"
    script.write_text(SCRIPT)
    plain = session({"request": str(script)}, seed=1006)
    assert plain.measures["stands"] is True
    assert plain.measures["time"] == 3.0
    assert plain.replay is not None
    asked = msgspec.json.decode(plain.replay, type=WalkRequest)
    assert asked == msgspec.structs.replace(read_request(script), seed=1006, version=asked.version)
    again = walk(asked)
    assert again.summary.dcm_error_rms == plain.measures["dcm_error_rms"]
    varied = {"request": str(script), "set.gains.balance_rate": 4.5, "payload_kg": 5.0, "noise": False}
    other = session(varied, seed=1006)
    assert other.measures["dcm_error_rms"] != plain.measures["dcm_error_rms"]
    asked = msgspec.json.decode(str(other.replay), type=WalkRequest)
    assert not asked.noise
    assert [each.value for each in asked.signals if isinstance(each, Set)] == [4.5]


def test_a_session_without_a_script_or_of_a_live_walk_is_refused(tmp_path: Path) -> None:
    session = EXPERIMENTS["session"]
    with pytest.raises(InvalidInput, match="a session needs request"):
        session({}, seed=0)
    live = tmp_path / "live.toml"
    live.write_text("live = true\nseconds = 1.0\n")
    with pytest.raises(InvalidInput, match="is of a live walk"):
        session({"request": str(live)}, seed=0)


def test_pushes_with_hands_on_walls_come_while_a_hand_leans() -> None:
    push = EXPERIMENTS["push"]
    outcome = push({"scene": "corridor", "hands": True, "impulse": 5.0, "phase": 0.0}, seed=1005)
    assert outcome.measures["stands"] is True
    assert int(outcome.measures["hand_contacts"]) > 0  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="no hand on a wall"):
        push({"scene": "obstacles", "hands": True}, seed=1005)
