from __future__ import annotations

import pytest

from footfall.workspace import Workspace, analyse_workspace
from tests.workspace.arms import lola_arm


@pytest.fixture(scope="session")
def lola_workspace() -> Workspace:
    """Of LOLA's right arm, in cells of 4 cm."""
    return analyse_workspace(lola_arm(), size=0.04, samples=400_000, axis="x")
