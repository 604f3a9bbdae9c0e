"""The environment: terrain and objects in vision's world, an immutable value; and what changes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from footfall.environment.objects import EnvironmentObject
from footfall.environment.patch import Patch
from footfall.environment.terrain import Index, Terrain, check_index
from footfall.errors import InvalidEnvironment, UnknownName

MOST_OBJECTS = 10_000


@dataclass(frozen=True, eq=False, repr=False)
class Environment:
    """What the robot believes at one moment; compared by identity.

    terrain: where it may step. objects: by id. version: counts the changes that led to it. All lengths and poses are
    in vision's world, which drifts against that of planning: only poses are transformed, never these data.
    """

    terrain: Terrain = field(default_factory=Terrain)
    objects: Mapping[str, EnvironmentObject] = field(default_factory=dict)
    version: int = 0

    def __post_init__(self) -> None:
        objects = dict(self.objects)
        if len(objects) > MOST_OBJECTS:
            message = f"has {len(objects)} objects; at most {MOST_OBJECTS} are held"
            raise InvalidEnvironment(message, subject=("environment", "objects"))
        for key, each in objects.items():
            if key != each.id:
                message = f"object {each.id!r} is listed as {key!r}"
                raise InvalidEnvironment(message, subject=("environment", "objects"))
        object.__setattr__(self, "objects", MappingProxyType(objects))

    def __repr__(self) -> str:
        return f"Environment {self.version}: {self.terrain!r}, {len(self.objects)} objects"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.terrain, dict(self.objects), self.version)

    def object(self, id: str) -> EnvironmentObject:
        """The object of that id."""
        if id not in self.objects:
            raise UnknownName("object", id, self.objects, "environment")
        return self.objects[id]


@dataclass(frozen=True, eq=False)
class EnvironmentUpdate:
    """A change: first patches and objects go, then others come or replace those of the same index or id.

    reset: indices of patches to forget. patches: new ones. remove: ids of objects to forget; unknown ones are no
    error, as updates may have been merged. objects: new ones. everything: forget all before.
    """

    reset: frozenset[Index] = frozenset()
    patches: Mapping[Index, Patch] = field(default_factory=dict)
    remove: frozenset[str] = frozenset()
    objects: tuple[EnvironmentObject, ...] = ()
    everything: bool = False

    def __post_init__(self) -> None:
        for index in (*self.reset, *self.patches):
            check_index(index)
        object.__setattr__(self, "reset", frozenset(self.reset))
        object.__setattr__(self, "remove", frozenset(self.remove))
        object.__setattr__(self, "patches", MappingProxyType(dict(self.patches)))
        object.__setattr__(self, "objects", tuple(self.objects))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.reset, dict(self.patches), self.remove, self.objects, self.everything)

    def then(self, later: EnvironmentUpdate) -> EnvironmentUpdate:
        """One update that does what this one and then a later one do."""
        if later.everything:
            return later
        patches = {index: patch for index, patch in self.patches.items() if index not in later.reset}
        objects = {each.id: each for each in self.objects if each.id not in later.remove}
        return EnvironmentUpdate(
            self.reset | later.reset,
            patches | dict(later.patches),
            self.remove | later.remove,
            tuple((objects | {each.id: each for each in later.objects}).values()),
            self.everything,
        )


def updated(environment: Environment, update: EnvironmentUpdate) -> Environment:
    """The environment after a change; what did not change is shared."""
    before = Environment(version=environment.version) if update.everything else environment
    terrain = before.terrain
    if update.patches or update.reset:
        terrain = terrain.updated(update.patches, reset=update.reset)
    objects = {id: each for id, each in before.objects.items() if id not in update.remove}
    objects |= {each.id: each for each in update.objects}
    return replace(before, terrain=terrain, objects=objects, version=environment.version + 1)


def whole(environment: Environment) -> EnvironmentUpdate:
    """The update that makes this environment out of any other."""
    return EnvironmentUpdate(
        patches=environment.terrain.patches, objects=tuple(environment.objects.values()), everything=True
    )


def difference(before: Environment, after: Environment) -> EnvironmentUpdate:
    """The update that leads from one environment to another; what they share is not in it."""
    old, new = before.terrain.patches, after.terrain.patches
    return EnvironmentUpdate(
        frozenset(set(old) - set(new)),
        {index: patch for index, patch in new.items() if old.get(index) is not patch},
        frozenset(set(before.objects) - set(after.objects)),
        _changed(before.objects, after.objects.values()),
    )


def _changed(
    before: Mapping[str, EnvironmentObject], after: Iterable[EnvironmentObject]
) -> tuple[EnvironmentObject, ...]:
    return tuple(each for each in after if before.get(each.id) is not each)
