"""One robot with its native code for all tests of walking."""

from __future__ import annotations

import pytest

import footfall
from footfall.walking.walk import walking_body
from footfall.walking.walker import WalkingCode


@pytest.fixture(scope="session")
def code() -> WalkingCode:
    return WalkingCode(walking_body(footfall.load("lola")))
