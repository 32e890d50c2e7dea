"""One declaration of a parameter feeds validation, project file, command line, form, search range and documentation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from inspect import cleandoc
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator
from pydantic.fields import FieldInfo

from ammg.errors import InputError, did_you_mean


@dataclass(frozen=True)
class SearchRange:
    """Where the search looks for a parameter: between a `mild` and a `strong` value, or in a list of `choices`."""

    mild: float | None = None
    strong: float | None = None
    log: bool = False
    choices: tuple[Any, ...] = ()


def param(
    default: Any,
    description: str,
    *,
    gt: float | None = None,
    ge: float | None = None,
    lt: float | None = None,
    le: float | None = None,
    search: tuple[float, float] | Sequence[Any] | None = None,
    log: bool = False,
) -> Any:
    """Declare a parameter of a unit; `...` as default makes it obligatory.

    `search` is a pair of numbers (between which to search, the one that protects less first; geometric with `log`) or a
    list of choices; without it the search leaves the parameter at its default.
    """
    searched: SearchRange | None = None
    if isinstance(search, tuple):
        searched = SearchRange(mild=search[0], strong=search[1], log=log)
    elif search is not None:
        searched = SearchRange(choices=tuple(search))
    metadata = [] if searched is None else [searched]
    field = Field(default, description=description, gt=gt, ge=ge, lt=lt, le=le)
    field.metadata = [*field.metadata, *metadata]
    return field


def search_ranges(unit: type[BaseModel]) -> Mapping[str, SearchRange]:
    """The parameters of a unit that the search may vary, with their ranges."""
    return {
        name: metadata
        for name, field in unit.model_fields.items()
        for metadata in field.metadata
        if isinstance(metadata, SearchRange)
    }


def describe_limits(field: FieldInfo) -> str:
    """The permitted range of a parameter in words, e.g. `> 0, ≤ 100`, or its choices, e.g. `even | up`."""
    symbols = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    limits = [
        f"{symbol} {getattr(metadata, name):g}"
        for metadata in field.metadata
        for name, symbol in symbols.items()
        if getattr(metadata, name, None) is not None
    ]
    choices = " | ".join(_choices(field.annotation))
    return ", ".join(filter(None, [*limits, choices]))


def _choices(annotation: Any) -> list[str]:
    """The words of a `Literal`, alone or among other types."""
    inner = get_args(annotation)
    if get_origin(annotation) is Literal:
        return [str(choice) for choice in inner]
    return [choice for part in inner for choice in _choices(part)]


def faults(error: ValidationError, known: Sequence[str] = ()) -> list[tuple[str, str]]:
    """What is wrong in words: for each problem the parameter (empty if it is no single one) and a sentence's end."""
    found = []
    for place, fault in _without_branches(error.errors(include_url=False)):
        message = fault["msg"].removeprefix("Value error, ").removesuffix(".")
        if place[-1:] == ("[key]",):
            place, message = place[:-2], f"the name {fault['input']!r} is not text: put it in quotes"
        elif fault["type"] == "extra_forbidden":
            message = f"unknown parameter.{did_you_mean(place[-1], known)}".removesuffix(".")
        elif fault["type"] == "missing":
            message = "missing; it has no default"
        elif fault["type"] in _IN_WORDS:
            quoted = ": put it in quotes" if fault["type"] == "string_type" and _is_number(fault["input"]) else ""
            message = f"input should be {_IN_WORDS[fault['type']]} (it is {_shown(fault['input'])}){quoted}"
        elif fault["type"] != "value_error":
            message = f"{message[:1].lower()}{message[1:]} (it is {_shown(fault['input'])})"
        found.append((".".join(map(str, place)), message))
    return found


_MAPPING, _LIST = "a mapping such as {name: value}", "a list such as [a, b]"
_IN_WORDS = {
    "dict_type": _MAPPING,
    "mapping_type": _MAPPING,
    "model_type": _MAPPING,
    "tuple_type": _LIST,
    "list_type": _LIST,
    "string_type": "text",
    "text_or_mapping": f"text, or {_MAPPING}",
}

_Fault = Mapping[str, Any]


def _without_branches(faults: Sequence[_Fault]) -> Iterator[tuple[tuple[Any, ...], _Fault]]:
    """Each problem with its place; where text or a mapping may stand, of the two only what was meant is told."""
    choices = {fault["loc"][:-1]: fault["input"] for fault in faults if _is_branch_of_text(fault)}
    for fault in faults:
        place = fault["loc"]
        choice = next((place[:end] for end in range(len(place)) if place[:end] in choices), None)
        if choice is None:
            yield place, fault
        elif not isinstance(choices[choice], Mapping):
            if _is_branch_of_text(fault):
                yield choice, {**fault, "type": "text_or_mapping"}
        elif not _is_branch_of_text(fault):
            yield (*choice, *place[len(choice) + 1 :]), fault


def _is_branch_of_text(fault: _Fault) -> bool:
    return bool(fault["type"] == "string_type" and fault["loc"][-1:] == ("str",))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_PARAMETERS = "\n\nParameters:\n"


def with_parameters(unit: type[BaseModel]) -> str:
    """A unit's docstring with what its parameters mean, for `help`."""
    lines = []
    for name, field in unit.model_fields.items():
        default = "" if field.is_required() else f"default {field.get_default(call_default_factory=True)!r}"
        told = ", ".join(filter(None, [default, describe_limits(field)]))
        lines.append(f"    {name}: {field.description or ''} ({told})" if told else f"    {name}: {field.description}")
    return f"{prose(unit)}{_PARAMETERS}{chr(10).join(lines)}" if lines else prose(unit)


def prose(unit: type[BaseModel]) -> str:
    """A unit's docstring without its parameters."""
    return cleandoc(unit.__doc__ or "").partition(_PARAMETERS)[0]


_NAMES: tuple[Any, ...] = (tuple[str, ...], tuple[str, ...] | None)


class Parameters(BaseModel):
    """Frozen, keyword-only, strict about unknown names: the base of units and of project sections."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True, allow_inf_nan=False)

    def __init__(self, *unnamed: Any, **given: Any) -> None:
        """Take the parameters by name, or refuse them with one sentence per problem."""
        if unnamed:
            names, unit = ", ".join(type(self).model_fields), type(self).__name__
            raise InputError(f"{unit}: {_shown(unnamed[0])} is given without the name of its parameter: {names}.")
        try:
            super().__init__(**given)
        except ValidationError as error:
            raise InputError(_sentences(type(self), error)) from None

    # NOTE: pydantic asks for this mark; without it, validating a project would stop at the first section that fails.
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @field_validator("*", mode="before")
    @classmethod
    def _one_name(cls, given: Any, info: ValidationInfo) -> Any:
        """A single name may stand where a list of names is expected."""
        listed = isinstance(given, str) and cls.model_fields[str(info.field_name)].annotation in _NAMES
        return (given,) if listed else given

    def __repr__(self) -> str:
        given = ", ".join(f"{name}={getattr(self, name)!r}" for name in sorted(self.model_fields_set))
        return f"{type(self).__name__}({given})"

    __str__ = __repr__


def _sentences(unit: type[BaseModel], error: ValidationError) -> str:
    lines = []
    for where, message in faults(error, list(unit.model_fields)):
        said = f"{where}: {message}".replace(": input should", " should") if where else message
        lines.append(f"{unit.__name__}: {said}" + ("" if said.endswith("?") else "."))
    return " ".join(lines)
