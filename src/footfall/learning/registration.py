"""Names of our environments for Gymnasium: `gymnasium.make_vec("footfall/Go2-Velocity-v0", num_envs=4096)`.

Gymnasium is told of them when both it and footfall are imported, in either order, and by the entry point of those
versions that look for one. Classes are named without importing them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

NAMES = (
    "Go2-Velocity",
    "ANYmal-Velocity",
    "Go2-Rough",
    "ANYmal-Rough",
    "G1-Velocity",
    "LOLA-Velocity",
)  # a test compares them with the tasks

_VECTOR = "footfall.learning.vector_environment:FootfallVectorEnv"
_SINGLE = "footfall.learning.single_environment:FootfallEnv"


def register() -> None:
    """Let Gymnasium know our environments; `footfall/Task-v0` takes a `task`, such as a TOML file."""
    from gymnasium.envs.registration import register as register_name
    from gymnasium.envs.registration import registry

    for name in (*NAMES, "Task"):
        full = f"footfall/{name}-v0"
        if full not in registry:
            kwargs = {} if name == "Task" else {"task": name}
            register_name(full, entry_point=_SINGLE, vector_entry_point=_VECTOR, kwargs=kwargs)


def tell_gymnasium() -> None:
    """Now, or as soon as it is imported."""
    if "gymnasium" in sys.modules:
        register()
    else:
        sys.meta_path.insert(0, _Waiting())


class _Waiting(MetaPathFinder):
    """Finds nothing, but notes that Gymnasium is being imported, once."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname != "gymnasium":
            return None
        sys.meta_path.remove(self)
        spec = find_spec(fullname)
        loader: Any = None if spec is None else spec.loader
        if loader is not None:
            execute = loader.exec_module

            def execute_and_register(module: ModuleType) -> None:
                execute(module)
                register()

            loader.exec_module = execute_and_register
        return spec
