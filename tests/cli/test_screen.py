"""What is printed: texts as they are, whatever files have as names."""

from __future__ import annotations

import io

from footfall.cli.screen import Screen, table

BELL, ESCAPE = "\x07", "\x1b]0;title\x07"


def printed(*renderables: object) -> str:
    stream = io.StringIO()
    Screen(file=stream, width=200, force_terminal=True, color_system=None).print(*renderables)
    return stream.getvalue()


def test_names_are_neither_markup_nor_commands() -> None:
    name = f"[/bold] [red]arm[/] {ESCAPE}:smile: \u202eoof"
    for text in (printed(name), printed(table("of " + name, ["name"], [[name]]))):
        assert "[/bold] [red]arm[/]" in text
        assert r"\x1b]0;title\x07" in text
        assert "\x1b]0" not in text
        assert BELL not in text
        assert "\u202e" not in text
        assert ":smile:" in text


def test_lines_and_tabs_stay() -> None:
    assert printed("a\nb").splitlines() == ["a", "b"]
