"""Pictures of planned contacts: from above on the terrain, what each step costs, and what the search took."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from footfall.arrays import Array
from footfall.environment.model import Environment
from footfall.errors import MissingPackage
from footfall.gait.poses import FootContact, mean_foot_frame
from footfall.math.polygons import convex_hull
from footfall.math.rotations import rotate_by_quaternion
from footfall.motion.reduced_model import ReducedModel
from footfall.planning.contacts import FootPlacement, PlannedContacts
from footfall.viewer.plan_plots import HANDS, INK, LEFT, RIGHT
from footfall.whole_file import written_whole

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_TREE_LEVEL = 5  # of the terrain's tree: cells of 2 cm
_TALL = 0.4  # m above the start that the greys of heights reach to; walls are black
_FRAMES = 40  # of an animation
_FRAME, _LAST = 80, 3000  # ms that each of them, and the last picture, is shown


def plot_contacts(
    result: PlannedContacts, environment: Environment, model: ReducedModel, path: Path | str
) -> None:
    """Write a picture of a plan (PNG), found or not."""
    figure = contacts_figure(result, environment, model)
    with written_whole(Path(path)) as file:
        figure.savefig(file, format="png", dpi=130)


def contacts_figure(result: PlannedContacts, environment: Environment, model: ReducedModel) -> Figure:
    """The figure: terrain by height with footprints, hands and explored places; cost of each step; time and nodes."""
    figure = _figure((15, 11))
    grid = figure.add_gridspec(2, 2, height_ratios=(2.6, 1.0))
    above = figure.add_subplot(grid[0, :])
    _draw_ground(above, environment, result)
    _draw_explored(above, result.explored)
    _draw_contacts(above, result, model)
    _draw_costs(figure.add_subplot(grid[1, 0]), result)
    _draw_effort(figure.add_subplot(grid[1, 1]), result)
    figure.suptitle(_title(result))
    return figure


def animate_search(
    result: PlannedContacts, environment: Environment, model: ReducedModel, path: Path | str
) -> None:
    """Write an animation (GIF): where the search looks, in the order in which it does, and then the plan.

    The result must have been planned with `keep_explored=True`.
    """
    figure = _figure((10, 6))
    axes = figure.add_subplot()
    _draw_ground(axes, environment, result)
    places = result.explored
    dots = axes.scatter([], [], s=7, c=[], cmap="plasma", vmin=0.0, vmax=_most(places), zorder=3)
    axes.set_title(_title(result))

    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from PIL import Image

    canvas: Any = FigureCanvasAgg(figure)
    canvas.draw()
    figure.set_layout_engine("none")  # it stays as it is
    images = []
    for frame in range(1, _FRAMES + 2):
        shown = places[: round(len(places) * min(frame, _FRAMES) / _FRAMES)]
        dots.set_offsets(shown[:, :2])
        dots.set_array(shown[:, 2])
        if frame > _FRAMES:
            _draw_contacts(axes, result, model)
        canvas.draw()
        picture = Image.frombuffer("RGBA", canvas.get_width_height(), canvas.buffer_rgba())
        images.append(picture.convert("P", palette=Image.Palette.ADAPTIVE))
    durations = [_FRAME] * _FRAMES + [_LAST]
    with written_whole(Path(path)) as file:
        images[0].save(
            file, format="GIF", save_all=True, append_images=images[1:], duration=durations, loop=0
        )


def _figure(size: tuple[float, float]) -> Figure:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingPackage("plots need matplotlib: pip install 'footfall[plots]'") from error
    return Figure(figsize=size, layout="constrained")


def _title(result: PlannedContacts) -> str:
    if not result.found:
        return "no way" if result.why_not is None else f"no way: {result.why_not.text}"
    hands = len(result.hand_contacts)
    return (
        f"{len(result.steps)} steps, {hands} hand contact{'' if hands == 1 else 's'}, cost {result.cost:.2f}, "
        f"{result.nodes} nodes in {result.milliseconds:.0f} ms"
    )


def _draw_ground(axes: Axes, environment: Environment, result: PlannedContacts) -> None:
    """Heights of the terrain, and outlines of all that is no floor."""
    from matplotlib.patches import Polygon

    lower, upper = environment.terrain.bounds
    window = environment.terrain.window(tuple(lower.tolist()), tuple(upper.tolist()), level=_TREE_LEVEL)
    heights = np.ma.masked_invalid(window.mean)
    shape = heights.shape
    extent = (window.x, window.x + window.cell * shape[0], window.y, window.y + window.cell * shape[1])
    floor = mean_foot_frame(*result.start.feet)[0][2]
    low, high = float(heights.min()), min(float(heights.max()), floor + _TALL)
    picture = axes.imshow(
        heights.T,
        origin="lower",
        extent=extent,
        cmap="Greys",
        vmin=low,
        vmax=high + 0.01,
        alpha=0.75,
        zorder=0,
    )
    axes.figure.colorbar(picture, ax=axes, label="height, m", shrink=0.7)
    for each in environment.objects.values():
        if each.category != "floor":
            outline = convex_hull(each.world_vertices[:, :2])
            axes.add_patch(Polygon(outline, fill=False, edgecolor="#7a5c00", linewidth=1.2, zorder=2))
            axes.annotate(each.id, outline.mean(axis=0), ha="center", fontsize=7, color="#7a5c00", zorder=6)
    axes.plot(result.goal.x, result.goal.y, marker="*", color="#2e8b57", markersize=16, zorder=6)
    start, _ = mean_foot_frame(*result.start.feet)
    axes.plot(start[0], start[1], marker="o", color="#2e8b57", markersize=8, zorder=6)
    axes.set(xlabel="x, m", ylabel="y, m")
    axes.set_aspect("equal", adjustable="box")


def _draw_explored(axes: Axes, places: Array) -> None:
    if len(places):
        dots = axes.scatter(
            places[:, 0], places[:, 1], s=5, c=places[:, 2], cmap="plasma", alpha=0.25, linewidths=0, zorder=1
        )
        axes.figure.colorbar(dots, ax=axes, label="cost so far where the search looked", shrink=0.7)


def _most(places: Array) -> float:
    return float(places[:, 2].max()) if len(places) else 1.0


def _draw_contacts(axes: Axes, result: PlannedContacts, model: ReducedModel) -> None:
    from matplotlib.patches import Polygon

    for foot, name in zip(result.start.feet, ("RF", "LF"), strict=True):
        standing = FootPlacement("RF" if name == "RF" else "LF", foot.position, foot.rotation, foot.contact)
        axes.add_patch(Polygon(_outline(standing, model), fill=False, edgecolor=INK, linewidth=1.2, zorder=4))
    for number, stance in enumerate(result.stances, start=1):
        placement = stance.placement
        colour = RIGHT if placement.foot == "RF" else LEFT
        outline = _outline(placement, model)
        axes.add_patch(Polygon(outline, facecolor=colour, edgecolor=colour, alpha=0.45, zorder=4))
        if placement.contact is FootContact.TIPTOE:
            axes.add_patch(Polygon(outline, fill=False, hatch="////", edgecolor=colour, zorder=4))
        axes.annotate(str(number), outline.mean(axis=0), ha="center", va="center", fontsize=8, zorder=6)
        for contact in stance.hands:
            shade = HANDS[0] if contact.hand == "RH" else HANDS[1]
            x, y, _ = contact.position
            axes.plot(
                x, y, marker="X", color=shade, markersize=9, zorder=7, alpha=0.4 if contact.held else 1.0
            )
            axes.plot([x, placement.position[0]], [y, placement.position[1]], ":", color=shade, zorder=5)
    if any(stance.hands for stance in result.stances):
        axes.plot([], [], "X", color=HANDS[0], label="right hand")
        axes.plot([], [], "X", color=HANDS[1], label="left hand")
        axes.legend(loc="upper left", fontsize=8)


def _outline(placement: FootPlacement, model: ReducedModel) -> Array:
    """Corners (4, 2) of what of a foot touches the ground, m."""
    rear, front, right, left = model.sole if placement.contact is FootContact.FULL else model.toe_sole
    corners = np.array([[rear, right, 0.0], [front, right, 0.0], [front, left, 0.0], [rear, left, 0.0]])
    turned = np.array(placement.position) + rotate_by_quaternion(np.array(placement.rotation), corners)
    return turned[:, :2]


def _draw_costs(axes: Axes, result: PlannedContacts) -> None:
    costs = np.diff([0.0, *(stance.cost for stance in result.stances)])
    colours = [RIGHT if stance.placement.foot == "RF" else LEFT for stance in result.stances]
    axes.bar(np.arange(1, len(costs) + 1), costs, color=colours, alpha=0.7)
    axes.set(xlabel="step", ylabel="cost", title="what each step costs")


def _draw_effort(axes: Axes, result: PlannedContacts) -> None:
    stages = result.effort.milliseconds
    axes.barh(list(stages), list(stages.values()), color="#8172b3")
    axes.invert_yaxis()
    effort = result.effort
    axes.set(xlabel="ms", title=f"{effort.guide_nodes} nodes of the guide, {effort.nodes} of the search")
