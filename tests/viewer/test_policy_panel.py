"""A policy in a real browser: a held key moves the robot, letting go lets it stand."""

from __future__ import annotations

import threading

import pytest

pytest.importorskip("onnxruntime")

from footfall.learning import PolicyRun
from footfall.viewer.chromium import find_chromium, operated_page
from footfall.viewer.page_link import Hold, PageLink, Press
from footfall.viewer.policy_panel import PolicyPanel
from footfall.viewer.stage import Stage
from tests.eventually import eventually

STATE = "(document.querySelector('#ff-state') || {}).textContent"


@pytest.fixture
def panel():
    link = PageLink(("link.js", "panel.js"))
    stage = Stage(port=0, link=link)
    panel = PolicyPanel(stage, PolicyRun("go2"), link=link)
    panel.stage, panel.link = stage, link
    yield panel
    panel.close()
    stage.close()


def test_what_is_held_is_the_command(panel):
    run = panel.policy_run
    panel.link.received(1, Hold(keys=("w", "e")))
    panel.step()
    assert run.command.tolist() == [1.0, 0.0, -1.0]  # of the note's speeds
    panel.link.lost(1)
    panel.step()
    assert run.command.tolist() == [0.0, 0.0, 0.0]
    panel.link.received(1, Press("pause"))
    before = run.simulation.time
    panel.step()
    assert run.simulation.time == before
    panel.link.received(1, Press("step"))
    panel.step()
    assert run.simulation.time == pytest.approx(before + 0.02)
    panel.link.received(1, Press("reset"))
    panel.step()
    assert run.simulation.time == 0.0


def test_a_policy_that_fails_is_told_and_the_page_lives(panel, monkeypatch):
    def broken(_):
        raise ValueError("no numbers")

    monkeypatch.setattr(panel.policy_run, "policy", broken)
    panel.step()
    assert panel.failed == "ValueError: no numbers"
    monkeypatch.undo()
    panel.link.received(1, Press("reset"))
    panel.step()
    panel.step()
    assert panel.failed is None


@pytest.mark.skipif(find_chromium() is None, reason="Chromium is not installed: pages are not opened")
def test_keys_of_a_page(panel):
    over = threading.Event()
    thread = threading.Thread(target=lambda: panel.run(over.is_set))
    thread.start()
    try:
        with operated_page(panel.stage.address, width=800, height=500, timeout=300.0) as page:
            page.wait_for(f"{STATE} === 'standing'")
            page.key("w", "keyDown")
            assert eventually(lambda: panel.policy_run.command[0] == 1.0)
            page.key("w", "keyUp")
            page.wait_for(f"{STATE} === 'standing'")
            hidden = "getComputedStyle(document.querySelector('[data-tool=goal]')).display"
            assert page.evaluate(hidden) == "none"  # there is nothing to plan
    finally:
        over.set()
        thread.join()
