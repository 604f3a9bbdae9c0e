"""`footfall scene`: scenes of the catalogue with measures of your own, as files."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from footfall.cli.files import new_file
from footfall.cli.help_pages import Commands
from footfall.cli.screen import screen
from footfall.scene.catalogue import SCENES
from footfall.scene.load import save_scene
from footfall.scene.model import Scene

app = Commands(
    help="Make a scene: stairs of your own riser, a corridor, a whole building.",
    epilog="Example: footfall scene stairs --riser 0.12 -o mine.toml",
    no_args_is_help=True,
)


def _meanings(make: Callable[..., Scene]) -> dict[str, str]:
    """What each measure is, as the docstring has it: 'height, width: of the wall.'"""
    text = re.sub(r"\s+", " ", inspect.getdoc(make) or "").partition(". ")[2]
    found: dict[str, str] = {}
    for names, meaning in re.findall(
        r"((?:\w+, )*\w+): (.*?)(?=\. (?:\w+, )*\w+: |\.\s*$|\. [A-Z])", text + " "
    ):
        found |= {name: meaning.strip().rstrip(".") for name in names.split(", ")}
    return found


def _command(name: str, make: Callable[..., Scene]) -> Callable[..., None]:
    """A command whose options are the measures of a scene."""
    meanings = _meanings(make)
    defaults: dict[str, Any] = make.__kwdefaults__ or {}

    def command(**given: Any) -> None:
        target, force = given.pop("output"), given.pop("force")
        new_file(target, force=force)
        scene = make(**given)
        save_scene(scene, target)
        screen().print(f"{scene!r}\nwritten to {target}", highlight=False, markup=False)

    options: dict[str, tuple[Any, Any]] = {
        each: (Annotated[type(value), typer.Option(help=meanings.get(each, ""))], value)
        for each, value in defaults.items()
    }
    output = Annotated[Path, typer.Option("--output", "-o", help="File to write.")]
    options["output"] = (output, Path(f"{name}.toml"))
    options["force"] = (Annotated[bool, typer.Option("--force", help="Overwrite a file.")], False)
    parameters = [
        inspect.Parameter(each, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=kind)
        for each, (kind, default) in options.items()
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {each: kind for each, (kind, _) in options.items()}
    command.__doc__ = (inspect.getdoc(make) or "").partition("\n")[0]
    return command


for _name, _make in SCENES.items():
    app.command(_name)(_command(_name, _make))
