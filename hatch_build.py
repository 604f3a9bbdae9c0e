"""The wheel's tag: pure, unless archives of native code are there (`release/native_code.py`)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class NativeCode(BuildHookInterface):
    """A wheel with native code is for one system and version of Python; the pure one is for all."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "standard" and any(Path(self.root, "src/footfall/compiler/shipped").glob("*.zip")):
            build_data["pure_python"] = False
            build_data["infer_tag"] = True
