"""Names for Gymnasium: `gymnasium.make_vec("footfall/Go2-Velocity-v0", num_envs=4096)`.

Gymnasium calls `register` by its entry point when it is imported; it names classes without importing them.
"""

from __future__ import annotations

NAMES = (
    "Go2-Velocity",
    "ANYmal-Velocity",
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
