"""Walks by reduced models: LOLA under the same controller, and the request that says so."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import numpy as np
import pytest

from footfall.errors import InvalidInput, InvalidTransition
from footfall.motion.parameters import Generator
from footfall.motion.reduced.generators import GENERATORS
from footfall.walking import WalkRequest, WalkSession, read_request, walk, write_request
from footfall.walking.runs import RUNS
from footfall.walking.walker import WalkingCode

REQUEST = WalkRequest(scene="flat", goal=(0.8, 0.1, 0.2), noise=True, seed=3, rest=0.3)


def test_all_generators_have_a_name_in_requests() -> None:
    assert {*GENERATORS, "whole_body"} == set(get_args(Generator))
    with pytest.raises(InvalidInput, match="generator is 'zmp'; it must be one of: whole_body, five_masses"):
        WalkRequest(generator="zmp")  # type: ignore[arg-type]


@pytest.mark.parametrize("generator", sorted(GENERATORS))
def test_lola_walks_by_each_of_them(code: WalkingCode, generator: str) -> None:
    """Around a slight bend to its goal, with errors of sensors."""
    done = walk(msgspec.structs.replace(REQUEST, generator=generator), code=code, log_every=5)
    assert done.summary.reached, done.summary.cause or done.summary.problem
    assert done.summary.residual < 1e-8
    assert done.session.pilot.motion.parameters.torso.generator == generator


def test_hands_on_a_wall_by_three_masses(code: WalkingCode) -> None:
    """Over the platform; a mass that stays at one height cannot be planned down its step of 12.5 cm, and is told."""
    request = msgspec.structs.replace(RUNS["platform"].request, generator="three_masses")
    done = walk(request, code=code, log_every=5).summary
    assert done.reached
    assert done.made_hand_contacts == done.planned_hand_contacts == 2
    with pytest.raises(InvalidTransition, match="outside of the soles"):
        WalkSession(msgspec.structs.replace(request, generator="lipm"), code=code)


def test_a_walk_by_a_generator_is_a_value(code: WalkingCode, tmp_path: Path) -> None:
    """Driven, changed on the way and written: it replays to the same bits, and is another walk than the usual one."""
    session = WalkSession(msgspec.structs.replace(REQUEST, goal=None, generator="dcm"), code=code)
    session.drive(0.25)
    session.run(2.5)
    session.drive(0.2, turn=0.1)
    session.run(1.5)
    session.stop()
    assert session.run_to_rest()
    write_request(session.request, tmp_path / "driven.walk.json")
    asked = read_request(tmp_path / "driven.walk.json")
    assert asked.generator == "dcm"
    again = WalkSession(asked, code=code)
    again.run_until(session.time)
    assert np.array_equal(again.walker.log.q, session.walker.log.q)
    usual = WalkSession(msgspec.structs.replace(asked, generator="whole_body"), code=code)
    usual.run_until(session.time)
    assert not np.array_equal(usual.walker.log.q, session.walker.log.q)


def test_the_generator_can_be_changed_on_the_way(code: WalkingCode) -> None:
    """Also from one whose upper body leans: it comes upright again."""
    session = WalkSession(msgspec.structs.replace(REQUEST, goal=None, generator="flywheel"), code=code)
    session.drive(0.25)
    session.run(3.0)
    session.set("motion.torso.generator", "lipm")
    session.run(2.0)
    session.stop()
    assert session.run_to_rest()
    assert session.pilot.motion.parameters.torso.generator == "lipm"
    upright = session.pilot.motion.sample(session.time).quaternions[0]
    np.testing.assert_allclose(upright[1:3], 0.0, atol=1e-9)


def test_old_files_have_the_usual_generator(tmp_path: Path) -> None:
    path = tmp_path / "old.walk.json"
    path.write_text('{"scene": "flat", "goal": [1.0, 0.0, 0.0]}')
    assert read_request(path).generator == "whole_body"
