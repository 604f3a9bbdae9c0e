"""What the functions of one LLVM module share: number of lanes, types, declarations and small helper functions."""

from __future__ import annotations

from footfall.compiler.trigonometry import sincos_declarations, sincos_function, suffix, vector_type

# Functions of the C library, and how many arguments they take.
LIBRARY = {
    "tan": 1,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "exp": 1,
    "log": 1,
    "atan2": 2,
}


class Module:
    """Collects what the functions written so far need. type, mask: of a number and of a condition in all lanes."""

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes
        self.type = vector_type(lanes)
        self.mask = vector_type(lanes, "i1")
        self.declarations: set[str] = set()
        self.helpers: dict[str, str] = {}

    def declare(self, *lines: str) -> None:
        """Things that are defined elsewhere."""
        self.declarations.update(lines)

    def intrinsic(self, name: str, arity: int = 1) -> str:
        """An operation that LLVM knows by name."""
        full = f"@llvm.{name}.{suffix(self.lanes)}"
        self.declare(f"declare {self.type} {full}({', '.join([self.type] * arity)})")
        return full

    def sincos(self, lanes: int) -> str:
        """The function that gives sine and cosine, for some number of lanes."""
        name = f"@sincos{lanes}"
        if name not in self.helpers:
            self.helpers[name] = sincos_function(lanes)
            self.declare(*sincos_declarations(lanes))
        return name

    def library(self, function: str) -> str:
        """A C library function for all lanes."""
        arity = LIBRARY[function]
        self.declare(f"declare double @{function}({', '.join(['double'] * arity)})")
        if self.lanes == 1:
            return f"@{function}"
        name = f"@lanes_{function}"
        if name not in self.helpers:
            t = self.type
            lines = [
                f"define internal {t} {name}({', '.join(f'{t} %a{k}' for k in range(arity))}) nounwind {{"
            ]
            gathered = "undef"
            for lane in range(self.lanes):
                for k in range(arity):
                    lines.append(f"  %x{lane}_{k} = extractelement {t} %a{k}, i32 {lane}")
                given = ", ".join(f"double %x{lane}_{k}" for k in range(arity))
                lines.append(f"  %y{lane} = call double @{function}({given})")
                lines.append(f"  %z{lane} = insertelement {t} {gathered}, double %y{lane}, i32 {lane}")
                gathered = f"%z{lane}"
            self.helpers[name] = "\n".join([*lines, f"  ret {t} {gathered}", "}"])
        return name
