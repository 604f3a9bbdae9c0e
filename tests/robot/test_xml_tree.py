"""XML from strangers."""

from __future__ import annotations

from pathlib import Path

import pytest

from footfall.errors import RobotError
from footfall.robot.xml_tree import parse_xml, read_xml

BOMB = """<?xml version="1.0"?>
<!DOCTYPE lolz [
  <!ENTITY a0 "ha">
  {}
]>
<robot name="&a24;"/>
""".format("\n".join(f'<!ENTITY a{i + 1} "&a{i};&a{i};">' for i in range(24)))


def test_elements_know_their_lines() -> None:
    root = parse_xml('<robot name="r">\n  <link name="a">\n text <x/> more\n</link><link name="b"/></robot>')
    first, second = root.all("link")
    assert [(e.tag, e.line) for e in (root, first, second)] == [("robot", 1), ("link", 2), ("link", 4)]
    assert root.first("joint") is None


def test_numbers() -> None:
    element = parse_xml('<a b="1.5" c="1 2 3" d="x" e="nan" f="inf" g="1 2 3 4"/>', source="f.urdf")
    assert element.number("b") == 1.5
    assert element.number("z", 2.0) == 2.0
    assert element.vector("c", 3) == (1.0, 2.0, 3.0)
    assert element.number("f", infinite=True) == float("inf")
    for name in "cdef":
        with pytest.raises(RobotError, match=f"f.urdf:1: '{name}' of <a> is .* must be a finite number"):
            element.number(name)
    with pytest.raises(RobotError, match="3 finite numbers"):
        element.vector("g", 3)
    with pytest.raises(RobotError, match="<a> lacks attribute 'z'"):
        element.string("z")
    with pytest.raises(RobotError, match="<a> lacks <b>"):
        element.need("b")


def test_malformed_text_gives_the_line() -> None:
    with pytest.raises(RobotError, match=r"f\.xml:2: no well-formed XML: mismatched tag"):
        parse_xml("<a>\n</b>", source="f.xml")
    for text in (
        "",
        "robot",
        "<a>&b;</a>",
        "\x00",
        b'<?xml version="1.0" encoding="klingon"?><a/>',
        b"<a>\xff</a>",
        "<a \ud800='1'/>",
    ):
        with pytest.raises(RobotError):
            parse_xml(text)


@pytest.mark.parametrize(
    "declaration", [BOMB, '<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>', "<!DOCTYPE a><a/>"]
)
def test_declarations_are_refused(declaration: str) -> None:
    with pytest.raises(RobotError, match=r"<text>:\d+: has a document type or entity declaration"):
        parse_xml(declaration)


def test_too_deep_too_many_too_large(tmp_path: Path) -> None:
    with pytest.raises(RobotError, match="nested deeper than 2000"):
        parse_xml("<a>" * 3000)
    with pytest.raises(RobotError, match="more than 100000 elements"):
        parse_xml("<a>" + "<b/>" * 100_001 + "</a>")
    path = tmp_path / "large.urdf"
    path.write_bytes(b"<a>" + b" " * (17 * 2**20) + b"</a>")
    with pytest.raises(RobotError, match="larger than 16 MiB"):
        read_xml(path)
