"""Hostile pages and names: the viewer refuses, ignores and shows them as text, and goes on to play."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from benchmarks.attack import pages
from footfall.viewer.chromium import find_chromium
from footfall.viewer.show import View


@pytest.fixture(scope="module")
def view() -> Iterator[Any]:
    with pages.playing() as shown:
        yield shown


def test_only_pages_of_ours_are_served(view: Any) -> None:
    outcome = pages.refused_requests(view)
    assert [what for what, sound in outcome.items() if not sound] == []


def test_messages_of_others_are_ignored(view: Any) -> None:
    outcome = pages.ignored_messages(view, count=500, seed=0)
    assert [what for what, sound in outcome.items() if not sound] == []


@pytest.mark.parametrize("page", [pages.modelling, pages.running], ids=["volumes", "live view"])
def test_other_pages_are_guarded_too(page: Any) -> None:
    """Once a number of 300 digits in a control of whole numbers kept all later pages from being served."""
    with page() as shown:
        outcome = pages.other_pages(shown, count=200, seed=0)
    assert [what for what, sound in outcome.items() if not sound] == []


def test_names_are_text() -> None:
    with View(pages.hostile_scene(1), port=0) as shown:
        texts = pages.texts_on_page(shown)
        assert any("plain" in text for text in texts)
        for text in texts:
            assert "<img" not in text
            assert "<script" not in text


@pytest.mark.skipif(find_chromium() is None, reason="Chromium is not installed: nothing could run a script")
def test_scripts_in_names_do_not_run() -> None:
    assert pages.scripts_run(seconds=3.0) == 0
