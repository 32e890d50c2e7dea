"""A hierarchy for each key: the rule by which its values would be recoded into ever coarser classes."""

from __future__ import annotations

import math
from collections.abc import Collection

import polars as pl

from ammg.analyzer.profile import Profile, Profiler, frames
from ammg.data.attribute import Kind
from ammg.data.microdata import Microdata

_FEW = 24  # values up to which numbers need no finer first level than single ones
_SKEW = 12.0  # standard deviations that a range has at least where a few values stretch it
_MOST_VALUES = 1 << 16  # different values of a column that are counted one by one
_CODES = 20  # codes of one length from which their beginnings are taken to mean something


def propose_hierarchies(data: Microdata, names: Collection[str]) -> dict[str, str]:
    """The rule for each of these columns that has no hierarchy and could have one."""
    missing = [name for name in names if data.schema[name].hierarchy is None]
    if not missing:
        return {}
    types = data.streamed.schema if data.streamed is not None else data.table.schema
    profiler = Profiler(pl.Schema({name: types[name] for name in missing}), _MOST_VALUES)
    for frame in frames(data, missing):
        profiler.add(frame)
    profiles = profiler.finish()
    rules = {name: propose_hierarchy(profiles[name], data.schema[name].kind) for name in missing}
    return {name: rule for name, rule in rules.items() if rule}


def propose_hierarchy(profile: Profile, kind: Kind) -> str:
    """The rule, as project files write it; empty where there is nothing to recode."""
    if profile.is_constant or not profile.observed or not kind & Kind.CODED:
        return ""
    if kind is Kind.DATE:
        return "by calendar"
    if kind & Kind.NUMERIC:
        return _of_numbers(profile)
    if kind is Kind.ORDINAL:
        return "by runs 3" if profile.distinct > 12 else "by runs 2"
    texts = [str(value) for value in profile.values.values.to_list()]
    lengths = {len(text) for text in texts}
    if len(texts) >= _CODES and len(lengths) == 1 and all(any(letter.isdigit() for letter in t) for t in texts):
        return f"by prefix {', '.join(str(length) for length in range(lengths.pop() - 1, 0, -1))}"
    kept = [count for count in (profile.distinct // 2, profile.distinct // 4) if 0 < count < profile.distinct - 1]
    return f"by frequency {', '.join(map(str, dict.fromkeys(kept)))}".rstrip()


def _of_numbers(profile: Profile) -> str:
    """Round widths, or equal counts where a few values stretch the range."""
    low, high, deviation = profile.low, profile.high, profile.deviation
    if low is None or high is None or not math.isfinite(high - low) or not high > low:
        return ""
    if deviation is not None and high - low > _SKEW * deviation:
        return "by equal counts 16, 8, 4, 2"
    if profile.whole and high - low < _FEW:
        return "by widths 2, 4, 8"
    size = 10.0 ** math.floor(math.log10((high - low) / 20))
    first = next(step for step in (1, 2, 5, 10) if step * size >= (high - low) / 20)
    steps = {1: (1, 5, 10, 20), 2: (2, 10, 20, 40), 5: (5, 10, 20, 40), 10: (10, 20, 40, 80)}[first]
    widths = [step * size for step in steps if not (profile.whole and step * size <= 1)]
    return f"by widths {', '.join(f'{width:.15g}' for width in widths)}"
