"""Mutations of files: blunt ones of their text, and ones that know its structure.

The latter change what readers must bound: how often something stands there, how deeply it is nested, how long it is and
what its numbers announce. Each takes the content and a source of chance; files stay below some megabytes.
"""

from __future__ import annotations

import copy
import json
import random
import re
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from typing import Any

LARGEST = 4 * 2**20  # bytes of a case

Mutation = Callable[[str, random.Random], str]

NUMBERS = (
    *("0", "-0", "1", "-1", "0.5", "3", "nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "1e9", "-1e9"),
    *("1e-3", "1e-9", "1e200", "1e29", "100000", "65536", "2147483648", "4294967296", "9223372036854775807"),
    *("9223372036854775808", "-9223372036854775808", "1e400", "0x10", "1_0", "1.5.2", "-", "", "1,5", "true"),
    *('"1"', "1 2", "[1, 2]", "2024-02-30", "\u0663", "9" * 400, "9" * 5000, "1e" + "9" * 30),
)
TEXTS = (
    *(
        "",
        " ",
        "\x00",
        "\x1b[31m",
        "..",
        "/",
        "../../../etc/passwd",
        "a" * 300,
        "a" * 100_000,
        "\u202e",
        "\ud83d",
    ),
    *("<script>", "%s%n", "{0}", "'; --", "CON", "nan", "world", "base", "\U0001f600" * 50, "é" * 2000),
)
FRAGMENTS = {
    "toml": (
        *("[[body]]\n", "[body.joint]\n", 'name = "base"\n', 'type = "planar"\n', "= ", "'''", '"""', "#"),
        *(
            "a.b.c.d = 1\n",
            "\x00",
            "\ud800",
            "\\u0000",
            "{" * 50,
            "[" * 3000,
            "limit_sets = 3\n",
            "mass = -1\n",
        ),
        *("a = {}\n", "a = []\n", "[[a]]\n[a]\n", "[a]\na.b = 1\n[a.b]\n", "\r", "\r\n", "\ufeff"),
    ),
    "xml": (
        *(
            "<!DOCTYPE a [<!ENTITY b 'c'>]>",
            "&b;",
            "&#0;",
            "<a>" * 3000,
            "</robot>",
            "<link name='x'/>",
            "<!--",
        ),
        *("<![CDATA[", "]]>", "\x00", "\ud800", "<?xml version='1.0' encoding='utf-16'?>", "<joint/>" * 7),
        *("<mimic joint='hip'/>", 'type="planar"', 'type="floating"', 'type="slide"', "<freejoint/>"),
        *("<geom type='mesh'/>", "<include file='x'/>", "<body>" * 600, "<joint type='ball'/>"),
        *(
            "<replicate count='9999999'>",
            "<size nuser_body='99999999' nkey='1000000'/>",
            "<size nkey='1e6'/>",
        ),
        "<texture builtin='flat' type='cube' width='99999' height='99999'/>",
        "<composite type='cable' count='99999 1 1'/>",
    ),
    "json": (
        "{",
        "}",
        "[",
        "]",
        ",",
        ":",
        "null",
        "1e999",
        '"\\u0000"',
        '"\\ud800"',
        "NaN",
        "\x00",
        "[" * 3000,
    ),
}


def times(rng: random.Random) -> int:
    """How often something is repeated: mostly a little, at times far too often."""
    counts, weights = (1, 2, 5, 20, 100, 1000, 10_000, 100_000), (120, 80, 40, 40, 20, 8, 1, 1)
    return rng.choices(counts, weights)[0]


# Blunt ones, of any text


def exchange_number(text: str, rng: random.Random) -> str:
    place = _found(r"-?\d+\.?\d*(?:e-?\d+)?", text, rng)
    if place is None:
        return text
    plain = f"{rng.uniform(-1.0, 1.0) * 10.0 ** rng.randint(-6, 6):.6g}"
    return text[: place.start()] + rng.choice((plain, plain, rng.choice(NUMBERS))) + text[place.end() :]


def exchange_word(text: str, rng: random.Random) -> str:
    found = list(re.finditer(r"[A-Za-z_]+", text[:100_000]))
    if not found:
        return text
    place = rng.choice(found)
    # of the same first letter, and so rather of the same kind
    others = [word for word in found if rng.random() < 0.1 or word.group()[0] == place.group()[0]]
    return text[: place.start()] + rng.choice(others).group() + text[place.end() :]


def exchange_string(text: str, rng: random.Random) -> str:
    place = _found(r'"[^"\n]*"', text, rng)
    if place is None:
        return text
    return text[: place.start()] + f'"{rng.choice(TEXTS)}"' + text[place.end() :]


def delete(text: str, rng: random.Random) -> str:
    start, stop = _span(text, rng)
    return text[:start] + text[stop:]


def copy_span(text: str, rng: random.Random) -> str:
    start, stop = _span(text, rng)
    target = rng.randrange(len(text) + 1)
    return text[:target] + text[start:stop] * rng.choice((1, 1, 1, 2, 50)) + text[target:]


def exchange_character(text: str, rng: random.Random) -> str:
    place = rng.randrange(len(text) + 1)
    character = chr(rng.choice((rng.randrange(128), rng.randrange(128), rng.randrange(0x3000))))
    return text[:place] + character + text[place + 1 :]


def change_lines(text: str, rng: random.Random) -> str:
    lines = text.split("\n")
    first, second = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(4):
        case 0:
            del lines[first]
        case 1:
            lines.insert(second, lines[first])
        case 2:
            lines[first:first] = [lines[second]] * _fitting(times(rng), len(lines[second]) + 1)
        case _:
            lines[first], lines[second] = lines[second], lines[first]
    return "\n".join(lines)


def truncate(text: str, rng: random.Random) -> str:
    return text[: rng.randrange(len(text) + 1)]


def insert_fragment(kind: str) -> Mutation:
    def insert(text: str, rng: random.Random) -> str:
        place = rng.randrange(len(text) + 1)
        return text[:place] + rng.choice(FRAGMENTS[kind]) + text[place:]

    return insert


def pad(text: str, rng: random.Random) -> str:
    """Much of what means nothing, at any place."""
    place = rng.randrange(len(text) + 1)
    filler = rng.choice((" ", "\n", "#", "a", "\t", "# x\n", "\n\n", "é"))
    return text[:place] + filler * _fitting(times(rng) * 40, len(filler.encode())) + text[place:]


# TOML


def repeat_table(text: str, rng: random.Random) -> str:
    """A table again and again, with other names or with the same."""
    blocks = re.split(r"(?m)^(?=\[)", text)
    chosen = rng.randrange(len(blocks))
    again = rng.random() < 0.5
    count = _fitting(times(rng), len(blocks[chosen]) + 8)
    more = [
        re.sub(r'(name = "[^"\n]*)"', rf'\1 {k}"', blocks[chosen], count=1) if again else blocks[chosen]
        for k in range(count)
    ]
    return "".join([*blocks[: chosen + 1], *more, *blocks[chosen + 1 :]])


def nest_key(text: str, rng: random.Random) -> str:
    """A key with many dots, or one of its parts made long."""
    place = _found(r"(?m)^\[{0,2}[\w.]+", text, rng)
    if place is None:
        return text
    depth = _fitting(times(rng), 2)
    return text[: place.end()] + rng.choice((".a", "." + "b" * 50, '."c d"')) * depth + text[place.end() :]


def nest_value(text: str, rng: random.Random) -> str:
    """A value inside many brackets or braces, or a long array."""
    place = _found(r"(?<== )[^\n]+", text, rng)
    if place is None:
        return text
    depth, value = _fitting(times(rng), len(place.group()) + 8), place.group()
    new = {
        0: lambda: "[" * depth + value + "]" * depth,
        1: lambda: "{ a = " * depth + value + " }" * depth,
        2: lambda: "[" + f"{value}, " * depth + "]",
        3: lambda: "{ " + ", ".join(f"k{k} = {value}" for k in range(depth)) + " }",
        4: lambda: '"' + "x" * depth + '"',
    }[rng.randrange(5)]()
    return text[: place.start()] + new + text[place.end() :]


# XML


def _elements(text: str) -> tuple[Any, list[tuple[Any, Any]]] | None:
    """The root, and all elements with their parents; None where it is not well-formed."""
    try:
        root = ElementTree.fromstring(text)
    except (ElementTree.ParseError, ValueError):
        return None
    pairs: list[tuple[Any, Any]] = []
    pending = [root]
    while pending and len(pairs) < 2000:
        parent = pending.pop()
        pairs += [(parent, child) for child in parent]
        pending += list(parent)
    return root, pairs


def change_elements(text: str, rng: random.Random) -> str:
    found = _elements(text)
    if found is None or not found[1]:
        return text
    root, pairs = found
    parent, child = rng.choice(pairs)
    size = sum(len(each.tag) + len(str(each.attrib)) for each in child.iter())
    match rng.randrange(8):
        case 0:  # the same again
            parent.extend([child] * _fitting(times(rng), size))
        case 1:  # others like it
            for k in range(_fitting(times(rng), size + 8) if size < 400 else rng.choice((1, 2, 50))):
                twin = copy.deepcopy(child)
                for element in twin.iter():
                    for name in ("name", "link", "joint"):
                        if name in element.attrib:
                            element.set(name, f"{element.get(name)}{k}")
                parent.append(twin)
        case 2:  # inside of itself
            inner = child
            for _ in range(min(_fitting(times(rng), 40), 5000)):
                inner = ElementTree.SubElement(inner, child.tag, dict(child.attrib))
        case 3:
            parent.remove(child)
        case 4:  # somewhere else
            rng.choice(pairs)[0].append(copy.deepcopy(child))
        case 5:  # text between elements
            child.tail = rng.choice(("x", " ", "1 ")) * _fitting(times(rng) * 20, 2)
        case 6 if child.attrib:
            name = rng.choice(list(child.attrib))
            words = child.get(name).split() or [""]
            words[rng.randrange(len(words))] = rng.choice((*NUMBERS, *TEXTS))
            child.set(name, " ".join(words))
        case _ if child.attrib:
            name = rng.choice(list(child.attrib))
            child.set(name, " ".join([child.get(name)] * _fitting(times(rng), len(child.get(name)) + 1)))
    return _xml_text(root)


def exchange_attribute(text: str, rng: random.Random) -> str:
    """The value of one attribute in another, of the same name mostly."""
    found = _elements(text)
    if found is None:
        return text
    root, pairs = found
    owners = [child for _, child in pairs if child.attrib]
    if not owners:
        return text
    one, other = rng.choice(owners), rng.choice(owners)
    name = rng.choice(list(other.attrib))
    one.set(name if rng.random() < 0.8 else rng.choice(list(one.attrib)), other.get(name))
    return _xml_text(root)


def _xml_text(root: Any) -> str:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    try:
        return str(ElementTree.tostring(root, encoding="unicode"))
    except (UnicodeError, TypeError):
        return "<robot/>"
    finally:
        sys.setrecursionlimit(before)


# JSON


def change_values(text: str, rng: random.Random) -> str:
    """A value of a JSON text exchanged, repeated, nested or left out."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return text
    places = list(json_places(document))
    if not places:
        return text
    holder, key = rng.choice(places)
    value = holder[key]
    match rng.randrange(7):
        case 0:
            holder[key] = rng.choice(
                (0, -1, 1, 1.5, 1e308, -1e308, 2**31, 2**53, 2**64, True, None, "", [], {})
            )
        case 1:
            holder[key] = rng.choice(TEXTS)
        case 2:
            other, place = rng.choice(places)
            holder[key] = other[place]
        case 3:
            del holder[key]
        case 4:
            for _ in range(min(times(rng), 900)):
                value = rng.choice(([value], {"a": value}))
            holder[key] = value
        case 5 if isinstance(value, list) and value:
            holder[key] = value * _fitting(times(rng), len(json.dumps(value)))
        case _ if isinstance(holder, dict):
            holder[rng.choice(("a", "name", "__class__", str(key) + "x"))] = value
    try:
        return json.dumps(document)
    except (ValueError, RecursionError):
        return text


def json_places(document: Any) -> list[tuple[Any, Any]]:
    """Every value in a document: what holds it, and by which key."""
    found: list[tuple[Any, Any]] = []
    pending = [document]
    while pending and len(found) < 20_000:
        holder = pending.pop()
        keys = (
            list(holder)
            if isinstance(holder, dict)
            else range(len(holder))
            if isinstance(holder, list)
            else ()
        )
        for key in keys:
            found.append((holder, key))
            if isinstance(holder[key], (dict, list)):
                pending.append(holder[key])
    return found


def _found(pattern: str, text: str, rng: random.Random) -> re.Match[str] | None:
    found = list(re.finditer(pattern, text[:100_000]))
    return rng.choice(found) if found else None


def _span(text: str, rng: random.Random) -> tuple[int, int]:
    start = rng.randrange(len(text) + 1)
    return start, min(len(text), start + rng.choice((1, 2, 5, 20, 100, 400)))


def _fitting(count: int, size: int) -> int:
    """So many that they fit into the largest case."""
    return max(1, min(count, LARGEST // max(size, 1)))


_BLUNT: tuple[Mutation, ...] = (
    *(exchange_number,) * 12,
    *(exchange_word, change_lines) * 4,
    *(exchange_string,) * 3,
    *(delete, copy_span, exchange_character, truncate, pad),
)
MUTATIONS: dict[str, tuple[Mutation, ...]] = {
    "toml": (*_BLUNT, insert_fragment("toml"), *(repeat_table, nest_key, nest_value) * 4),
    "xml": (*_BLUNT, insert_fragment("xml"), *(change_elements,) * 8, *(exchange_attribute,) * 4),
    "json": (*_BLUNT, insert_fragment("json"), *(change_values,) * 12),
}


def mutated_text(kind: str, text: str, rng: random.Random) -> bytes:
    """A text after one to four mutations."""
    for _ in range(rng.choice((1, 1, 1, 2, 4))):
        text = rng.choice(MUTATIONS[kind])(text, rng)[: 2 * LARGEST]
    return text.encode("utf-8", errors="surrogatepass")
