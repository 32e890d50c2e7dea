"""YAML from anywhere: read safely, and refused where a few lines blow up to more than anybody could have meant."""

from __future__ import annotations

import copy
from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import yaml

from ammg.errors import InputError

LARGEST, DEEPEST, LONGEST_NUMBER = 200_000, 60, 400
"""Values of a document with its aliases written out, levels of nesting, and characters of a number."""


_TOO_DEEP = f"it is nested more than {DEEPEST} levels deep: write it flatter."


class _Loader(yaml.SafeLoader):
    """The safe loader, which also notices a key that is given twice and stops where brackets have no end."""

    def fetch_flow_collection_start(self, token: type[yaml.Token]) -> None:
        if self.flow_level > DEEPEST:
            raise InputError(_TOO_DEEP)
        super().fetch_flow_collection_start(token)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[Hashable] = set()
        for key, _ in node.value:
            if key.tag == "tag:yaml.org,2002:merge":
                continue
            name = self.construct_object(key, deep=True)
            if not isinstance(name, Hashable):
                continue  # refused below
            if name in seen:
                line = node.start_mark.line + 1
                raise InputError(f"'{name}' is given twice in the mapping at line {line}: keep one.")
            seen.add(name)
        return super().construct_mapping(node, deep=deep)


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
    return _parsed(getattr(yaml, "CSafeLoader", yaml.SafeLoader), text, largest)


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
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # also a date that is none
        raise InputError(f"not a YAML document: {' '.join(str(error).split())}") from None


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
