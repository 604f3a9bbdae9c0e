"""What is looked at before a TOML text is parsed: parsing takes time and memory by what a text says, not by its length.

A key with 50,000 dots takes gigabytes, a megabyte of `[1,` seconds. No description that a person or a program writes
comes near these limits; large tables of numbers are packed.
"""

from __future__ import annotations

import re

from footfall.errors import RobotError

_DEPTH_LIMIT = 64  # of arrays and tables in each other
_DOTS_LIMIT = 32  # of a key
_MARK_LIMIT = 250_000  # of each kind; a value takes microseconds and a hundred bytes
_TABLE_LIMIT = 20_000
_LINE_LIMIT = 2_000_000

# Strings and comments, in which marks mean nothing
_STRINGS = re.compile(
    r'"""[^"\\]*+(?:(?:\\.|"{1,2}(?!"))[^"\\]*+)*+"""'
    r"|'''[^']*+(?:'{1,2}(?!')[^']*+)*+'''"
    r'|"[^"\\\n]*+(?:\\.[^"\\\n]*+)*+"'
    r"|'[^'\n]*+'|#[^\n]*+",
    re.DOTALL,
)
_BRACKETS = re.compile(r"[\[\]{}]")
_DOTTED = re.compile(rf"(?<![\w.-])(?>[\w-]++[ \t]*+\.[ \t]*+){{{_DOTS_LIMIT}}}")
_TABLES = re.compile(r"^[ \t]*+\[", re.MULTILINE)


def check_toml(text: str, source: str) -> None:
    """Refuse a text that takes more than seconds to parse."""
    for mark, limit in (*((mark, _MARK_LIMIT) for mark in ",=[{\\"), ("\n", _LINE_LIMIT)):
        if (count := text.count(mark)) > limit:
            what = {"\n": "lines", "\\": "escaped characters", ",": "values", "=": "fields"}.get(
                mark, "brackets"
            )
            raise RobotError(f"has {count} {what}; at most {limit} are read", source=source)
    bare = _STRINGS.sub('""', text)
    tables = sum(1 for _ in _TABLES.finditer(bare))
    if tables > _TABLE_LIMIT:
        raise RobotError(f"has {tables} tables; at most {_TABLE_LIMIT} are read", source=source)
    if _DOTTED.search(bare.replace('""', "x")):
        raise RobotError(f"has a key with more than {_DOTS_LIMIT} dots", source=source)
    depth = 0
    for bracket in _BRACKETS.findall(bare):
        depth = depth + 1 if bracket in "[{" else max(depth - 1, 0)
        if depth > _DEPTH_LIMIT:
            raise RobotError(f"nested too deeply: {_DEPTH_LIMIT} brackets are the most", source=source)
