"""Old names and keywords: they work, they warn with the new name, and the changelog lists them."""

from __future__ import annotations

import importlib
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import pytest

import footfall.contact
from footfall.public_names import listing_of, public_modules
from footfall.renamed import RENAMED, renamed_keywords


@pytest.fixture
def old_path(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(RENAMED, "footfall.contact.forward_accelerations", "footfall.forward_dynamics")
    return "forward_accelerations"


def test_an_old_name_gives_the_new_thing_and_warns_where_it_is_written(old_path: str) -> None:
    with pytest.warns(DeprecationWarning, match=r"is now footfall\.forward_dynamics") as caught:
        assert getattr(footfall.contact, old_path) is footfall.forward_dynamics
    assert caught[0].filename == __file__
    with pytest.warns(DeprecationWarning, match=r"footfall\.contact\.forward_accelerations"):
        from footfall.contact import forward_accelerations  # type: ignore[attr-defined]
    assert forward_accelerations is footfall.forward_dynamics


@renamed_keywords(touching="feet")
def stand(robot: str, *, feet: int = 0) -> tuple[str, int]:
    return robot, feet


@renamed_keywords(soft="regularisation")
@dataclass(frozen=True)
class Options:
    regularisation: float = 1.0


@renamed_keywords(soft="regularisation")
class Row(NamedTuple):
    regularisation: float = 1.0


def test_an_old_keyword_works_and_warns() -> None:
    with pytest.warns(DeprecationWarning, match=r"stand\(touching=\) is now feet="):
        assert stand("lola", touching=4) == ("lola", 4)  # type: ignore[call-arg]
    for record in (Options, Row):
        with pytest.warns(DeprecationWarning, match="regularisation="):
            assert record(soft=2.0) == record(regularisation=2.0)  # type: ignore[call-arg]


def test_new_keywords_do_not_warn_and_both_together_are_refused() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert stand("lola", feet=3) == ("lola", 3)
        assert Row(2.0) == Row(regularisation=2.0)
    with pytest.raises(TypeError, match="give 'feet' alone"):
        stand("lola", feet=1, touching=4)  # type: ignore[call-arg]


def test_every_renamed_name_leads_somewhere_and_is_in_the_changelog() -> None:
    changelog = (Path(__file__).parent.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    for old, new in RENAMED.items():
        module, _, name = old.rpartition(".")
        assert module in public_modules()
        assert name not in listing_of(module).names, f"{old} is still there"
        place, _, now = new.rpartition(".")
        assert getattr(importlib.import_module(place), now) is not None
        assert f"| `{old}` | `{new}` |" in changelog, f"the table of the changelog lacks {old}"
