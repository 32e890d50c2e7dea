"""YAML from anywhere: read safely, and refused where a few lines blow up to more than anybody could have meant."""

from __future__ import annotations

import copy
import re
from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import yaml

from ammg.errors import InputError
from ammg.io.yaml_faults import at, fault_of

LARGEST, DEEPEST, LONGEST_NUMBER = 200_000, 60, 400
"""Values of a document with its aliases written out, levels of nesting, and characters of a number."""


_SHORT = 1_000_000  # characters that are worth a second look for the sake of a better sentence
_TOO_DEEP = f"it is nested more than {DEEPEST} levels deep: write it flatter."


class _Loader(yaml.SafeLoader):
    """The safe loader, which also says where a value or key is wrong, and stops where brackets have no end."""

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        if self.flow_level > DEEPEST:
            raise InputError(_TOO_DEEP)
        super().fetch_flow_collection_start(token)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: dict[Hashable, int] = {}
        for key, value in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            name = self.construct_object(key, deep=True)
            if not isinstance(name, Hashable):
                continue  # refused below
            place = at(key.start_mark.line, key.start_mark.column)
            if name in seen:
                raise InputError(f"{place}: '{name}' is given twice, first at line {seen[name] + 1}: keep one.")
            seen[name] = key.start_mark.line
            if node.flow_style and _lacks_space(key, value):
                first, _, rest = key.value.partition(":")
                raise InputError(f"{place}: there is no space after the colon: write `{first}: {rest}`.")
        return super().construct_mapping(node, deep=deep)

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError):
            if not isinstance(node, yaml.ScalarNode):
                raise
            place = at(node.start_mark.line, node.start_mark.column)
            what = "date" if node.tag.endswith(":timestamp") else "number"
            raise InputError(f"{place}: {node.value} is not a valid {what}: put it in quotes if it is text.") from None


def _lacks_space(key: yaml.Node, value: yaml.Node) -> bool:
    """Whether `{age:key}` was read as a name without a value."""
    if not isinstance(key, yaml.ScalarNode) or not isinstance(value, yaml.ScalarNode):
        return False
    plain = key.style is None and value.style is None and not value.value
    return plain and re.fullmatch(r"[^\s:]+:[^\s:/\\]+", key.value) is not None


def parse_yaml(text: str, largest: int = LARGEST) -> Any:
    """The document in a text; the caller may change it.

    The last few are remembered: every page of a project asks for the same one, and hundreds of attributes take long.

    Raises:
        InputError: one sentence that says where it is broken or blows up, to go on from the name of the file.
    """
    return copy.deepcopy(_remembered(text, largest))


@lru_cache(maxsize=16)
def _remembered(text: str, largest: int) -> Any:
    return _parsed(_Loader, text, largest)


def parse_long_yaml(text: str, largest: int = 20 * LARGEST) -> Any:
    """A document that a program wrote, which may be long: by the parser in C, if there is one."""
    try:
        return _parsed(getattr(yaml, "CSafeLoader", yaml.SafeLoader), text, largest)
    except InputError:
        if len(text) <= _SHORT:
            _parsed(_Loader, text, largest)  # which says more about the same mistake
        raise


def _parsed(kind: Any, text: str, largest: int) -> Any:
    try:
        loader = kind(text)
        try:
            node = loader.get_single_node()
            if node is None:
                return None
            _refuse_bombs(node, largest)
            return loader.construct_document(node)
        finally:
            loader.dispose()
    except InputError:
        raise
    except RecursionError:
        raise InputError(_TOO_DEEP) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # also a date of a long document
        raise InputError(fault_of(error, text)) from None


def _refuse_bombs(root: yaml.Node, largest: int) -> None:
    """Refuse what a few lines of aliases, brackets or digits blow up to more than anybody could have meant."""
    sizes: dict[int, int] = {}
    open_nodes: set[int] = set()

    def size(node: yaml.Node, depth: int) -> int:
        if depth > DEEPEST:
            raise InputError(_TOO_DEEP)
        if isinstance(node, yaml.ScalarNode):
            if node.tag.endswith((":int", ":float")) and len(node.value) > LONGEST_NUMBER:
                line = node.start_mark.line + 1
                raise InputError(f"the number at line {line} has {len(node.value):,} digits: quote it if it is a text.")
            return 1
        if id(node) in open_nodes:
            raise InputError(f"the value at line {node.start_mark.line + 1} contains itself: write it out.")
        if id(node) not in sizes:
            open_nodes.add(id(node))
            pairs = isinstance(node, yaml.MappingNode)
            below = [part for pair in node.value for part in pair] if pairs else node.value
            sizes[id(node)] = 1 + sum(size(part, depth + 1) for part in below)
            open_nodes.discard(id(node))
        if sizes[id(node)] > largest:
            raise InputError(f"its aliases expand to more than {largest:,} values: write them out.")
        return sizes[id(node)]

    size(root, 0)
