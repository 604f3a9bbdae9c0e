"""Walks that go on from where another one is have the bits of walks from the start."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import msgspec
import pytest

from footfall.errors import InvalidInput
from footfall.walking.branch import branch
from footfall.walking.request import WalkRequest
from footfall.walking.session import WalkSession
from footfall.walking.signals import Add, AnySignal, Drive, Load, PushBody
from footfall.walking.walk import walk, walk_on, walk_out
from footfall.walking.walker import WalkingCode

OF_THE_MACHINE = (
    "control_us",
    "planning_ms",
    "compiling_ms",
    "replanning_ms",
    "real_time_factor",
    "late_plans",
)
BOARD = Add(time=0.3, name="board", size=(0.4, 0.6, 0.02), position=(0.5, 0.0, 0.01), visible=False)


def request(*signals: AnySignal, seconds: float, scene: str = "flat") -> WalkRequest:
    return WalkRequest(
        scene=scene, noise=True, seed=5, seconds=seconds, signals=(Drive(forward=0.3), *signals)
    )


def told(session: WalkSession) -> tuple[dict[str, Any], bytes]:
    summary = asdict(walk_on(session, timed=False).summary)
    kept = {name: value for name, value in summary.items() if name not in OF_THE_MACHINE}
    return kept, session.walker.arrays[0].q.tobytes()


@pytest.mark.parametrize("scene", ["flat", "corridor"])
def test_a_branch_has_the_bits_of_the_whole_walk(code: WalkingCode, scene: str) -> None:
    """Also beside walls that arms yield to, with an object that came before, and after the trunk went on."""
    when = 1.237
    push = PushBody(time=when, body="torso", force=(0.0, 220.0, 0.0))
    trunk = WalkSession(request(BOARD, seconds=when, scene=scene), code=code, log_memory=0.0)
    walk_out(trunk)
    asked = request(BOARD, push, seconds=2.3, scene=scene)
    first, second = branch(trunk, asked), branch(trunk, request(BOARD, seconds=2.3, scene=scene))
    trunk.run(0.4)
    found, alone = told(first), told(second)
    whole = walk(asked, code=code)
    summary = {k: v for k, v in asdict(whole.summary).items() if k not in OF_THE_MACHINE}
    assert found == (summary, whole.walker.arrays[0].q.tobytes())
    assert alone[1] != found[1]  # the push is felt
    assert first.request.signals == asked.ordered_signals


def test_a_branch_changes_nothing_of_its_trunk(code: WalkingCode) -> None:
    trunk, alone = (WalkSession(request(seconds=0.5), code=code) for _ in range(2))
    walk_out(trunk)
    walk_out(alone)
    twin = branch(trunk, request(seconds=1.0))
    twin.happen("add", name="post", size=(0.1, 0.1, 1.0), position=(0.3, 0.0, 0.5))
    twin.happen("load", body="torso", mass=10.0)
    twin.run(0.4)
    trunk.run(0.4)
    alone.run(0.4)
    assert trunk.walker.log.q.tobytes() == alone.walker.log.q.tobytes()
    assert [each.name for each in trunk.walker.scene.objects] == ["floor"]
    assert twin.walker.arrays[0].q.tobytes() != trunk.walker.arrays[0].q.tobytes()


def test_another_begin_is_refused(code: WalkingCode) -> None:
    trunk = WalkSession(request(seconds=0.2), code=code)
    walk_out(trunk)
    with pytest.raises(InvalidInput, match=r"signals differ before 0\.2 s"):
        branch(trunk, request(BOARD.__class__(name="b", size=(1, 1, 1), position=(3, 0, 0)), seconds=1.0))
    with pytest.raises(InvalidInput, match="seed"):
        branch(trunk, msgspec.structs.replace(request(seconds=1.0), seed=6))


def test_loads_act_where_they_hang(code: WalkingCode) -> None:
    """Two weights that cancel, d apart, are a couple m g d: at rest the zero-moment point lies `m d / M` ahead of the
    centre of mass, whatever the controller does."""
    session = WalkSession(scene="flat", code=code)
    mass, apart = 3.0, 0.4
    for sign in (1.0, -1.0):
        session.send(Load(body="torso", mass=sign * mass, at=(sign * apart / 2, 0.0, 0.0)))
    session.run(4.0)
    signals = session.walker.log.signals[-500:]
    ahead = (signals["zmp"] - signals["center"])[:, 0].mean()
    # Half a second's mean leaves v / 0.5 s of the acceleration, and v is below 0.1 mm/s at rest: 0.02 mm over w^2.
    assert ahead == pytest.approx(mass * apart / session.walker.gains.mass, abs=2e-4)
