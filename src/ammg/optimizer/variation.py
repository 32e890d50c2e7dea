"""Small changes of a recipe: a number, a choice, a method, a column, a step."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from ammg.errors import InputError
from ammg.methods.method import Method, RiskAbove
from ammg.optimizer.ladder import Verdict
from ammg.optimizer.options import Recipe
from ammg.optimizer.space import Space
from ammg.optimizer.strength import share_of, value_at
from ammg.params import SearchRange, search_ranges

Move = Callable[[], Recipe | None]
_KEPT = (0.0, 0.5, 0.75, 0.9)  # of the strength of a number that is made milder
_MORE = (0.05, 0.1, 0.2)  # of the way to the strong end
_RISKY = (0.5, 0.34, 0.2)  # one over the number of look-alikes above which records count as at risk


def variation(space: Space, parents: list[Verdict], rng: np.random.Generator) -> Recipe | None:
    """One of the best recipes with one thing changed; None if that cannot be done."""
    if not parents:
        return None
    parent = parents[min(int(rng.geometric(0.4)) - 1, len(parents) - 1)]
    moves = list(_moves(space, parents, parent, rng))
    weights = np.array([weight for weight, _ in moves])
    move = moves[int(rng.choice(len(moves), p=weights / weights.sum()))][1]
    try:
        return move()
    except InputError:  # choices that contradict each other
        return None


def milder_numbers(recipe: Recipe) -> list[Recipe]:
    """The recipe with one number of one step moved a tenth, a quarter, half or all of the way to its mild end."""
    return _moved_numbers(recipe, lambda share: [share * kept for kept in _KEPT])


def stronger_numbers(recipe: Recipe) -> list[Recipe]:
    """The recipe with one number of one step moved a twentieth, a tenth or a fifth of the way to its strong end."""
    return _moved_numbers(recipe, lambda share: [share + more * (1 - share) for more in _MORE])


def _moved_numbers(recipe: Recipe, moved: Callable[[float], list[float]]) -> list[Recipe]:
    """The recipe with one number of one step at each of the strengths to which `moved` takes it."""
    found: list[Recipe] = []
    for position, step in enumerate(recipe):
        for name, searched in _numbers(step):
            share = share_of(searched, getattr(step, name))
            values = {value_at(type(step), name, searched, other) for other in moved(share)}
            changed = [_changed(step, {name: value}) for value in sorted(values - {getattr(step, name)})]
            found += [(*recipe[:position], other, *recipe[position + 1 :]) for other in changed]
    return found


def other_choices(recipe: Recipe) -> list[Recipe]:
    """The recipe with one choice of one step made otherwise, or recoded to the next finer or coarser level."""
    found: list[Recipe] = []
    for position, step in enumerate(recipe):
        for name, searched in search_ranges(type(step)).items():
            for choice in searched.choices:
                if len(searched.choices) == 1 or choice == getattr(step, name):
                    continue
                try:
                    found.append((*recipe[:position], _changed(step, {name: choice}), *recipe[position + 1 :]))
                except InputError:  # choices that contradict each other
                    continue
        if (level := getattr(step, "level", None)) is not None:
            others = [_changed(step, {"level": other}) for other in (level - 1, level + 1) if other > 0]
            found += [(*recipe[:position], changed, *recipe[position + 1 :]) for changed in others]
    return found


def _moves(
    space: Space, parents: list[Verdict], parent: Verdict, rng: np.random.Generator
) -> Iterator[tuple[float, Move]]:
    """What could be done to a recipe, each with its weight: milder if it is safe, else stronger."""
    recipe = parent.recipe
    milder = parent.state == "safe"
    position = int(rng.integers(len(recipe)))
    step = recipe[position]
    if _numbers(step):
        yield 5.0, lambda: _with(recipe, position, _number_changed(step, rng, milder=milder))
    if any(len(searched.choices) > 1 for searched in search_ranges(type(step)).values()):
        yield 1.0, lambda: _with(recipe, position, _choice_changed(step, rng))
    if others := space.alternatives(step):
        chosen = others[int(rng.integers(len(others)))]
        yield 2.0, lambda: _with(recipe, position, chosen.at(_strength(step)))
    if len(recipe) > 1 and milder:
        yield 1.0, lambda: (*recipe[:position], *recipe[position + 1 :])
    if step.columns and len(step.columns) > 1 and milder:
        dropped = step.columns[int(rng.integers(len(step.columns)))]
        yield 1.0, lambda: _with(recipe, position, _without_column(step, dropped))
    if step.columns and len(step.columns) > 1 and len(recipe) < space.steps and not step.joint:
        yield 1.5, lambda: _split(recipe, position, rng, milder=milder)
    added = space.additions(recipe)
    if len(recipe) < space.steps and added:
        option = added[int(rng.integers(len(added)))]
        yield (1.0 if milder else 3.0), lambda: (*recipe, option.at(float(rng.random()) * (0.5 if milder else 1.0)))
    if not milder and len(recipe) < space.steps and (limited := [o for o in added if "where" in o.unit.model_fields]):
        chosen_few = limited[int(rng.integers(len(limited)))]
        above = RiskAbove(risk="frequency", above=_RISKY[int(rng.integers(len(_RISKY)))])
        yield 1.5, lambda: (*recipe, _changed(chosen_few.at(float(rng.random())), {"where": above}))
    mate = parents[int(rng.integers(len(parents)))].recipe
    if len(recipe) > 1 and len(mate) > 1:
        yield 1.0, lambda: _with(recipe, position, _counterpart(mate, step))


def _numbers(step: Method) -> list[tuple[str, SearchRange]]:
    """The numbers of a step that a search may change, as far as the step uses them."""
    ranges = search_ranges(type(step)).items()
    return [(name, found) for name, found in ranges if not found.choices and getattr(step, name) is not None]


def _with(recipe: Recipe, position: int, step: Method | None) -> Recipe | None:
    return None if step is None else (*recipe[:position], step, *recipe[position + 1 :])


def _number_changed(step: Method, rng: np.random.Generator, *, milder: bool) -> Method | None:
    """One number of a step nearer to its mild or its strong end."""
    ranges = _numbers(step)
    if not ranges:
        return None
    name, searched = ranges[int(rng.integers(len(ranges)))]
    share = share_of(searched, getattr(step, name))
    goal = 0.0 if milder else 1.0
    value = value_at(type(step), name, searched, share + float(rng.random()) ** 2 * (goal - share))
    return None if value == getattr(step, name) else _changed(step, {name: value})


def _choice_changed(step: Method, rng: np.random.Generator) -> Method:
    ranges = [(name, found) for name, found in search_ranges(type(step)).items() if len(found.choices) > 1]
    name, searched = ranges[int(rng.integers(len(ranges)))]
    others = [choice for choice in searched.choices if choice != getattr(step, name)]
    return _changed(step, {name: others[int(rng.integers(len(others)))]})


def _strength(step: Method) -> float:
    """The mean strength of a step's numbers."""
    shares = [share_of(searched, getattr(step, name)) for name, searched in _numbers(step)]
    return float(np.mean(shares)) if shares else 0.5


def _without_column(step: Method, dropped: str) -> Method:
    kept = tuple(name for name in step.columns or () if name != dropped)
    return _changed(step, {"columns": kept, **_settings_on(step, kept)})


def _split(recipe: Recipe, position: int, rng: np.random.Generator, *, milder: bool) -> Recipe | None:
    """A step as two, one column apart, so that its strength can be its own."""
    step = recipe[position]
    assert step.columns is not None
    apart = step.columns[int(rng.integers(len(step.columns)))]
    rest = tuple(name for name in step.columns if name != apart)
    alone = _changed(step, {"columns": (apart,), **_settings_on(step, (apart,))})
    changed = _number_changed(alone, rng, milder=milder)
    if changed is None:
        return None
    return (
        *recipe[:position],
        _changed(step, {"columns": rest, **_settings_on(step, rest)}),
        changed,
        *recipe[position + 1 :],
    )


def _settings_on(step: Method, columns: tuple[str, ...]) -> dict[str, object]:
    """Settings by column, for some of the columns."""
    return {
        name: {column: value for column, value in getattr(step, name).items() if column in columns}
        for name in step.model_fields_set
        if isinstance(getattr(step, name), dict)
    }


def _counterpart(recipe: Recipe, step: Method) -> Method | None:
    """The step of another recipe for the same columns."""
    wanted = set(step.columns or ())
    return next((other for other in recipe if set(other.columns or ()) == wanted and other != step), None)


def _changed(step: Method, values: dict[str, object]) -> Method:
    """The step with other values, checked again."""
    given = {name: getattr(step, name) for name in step.model_fields_set}
    return type(step)(**{**given, **values})
