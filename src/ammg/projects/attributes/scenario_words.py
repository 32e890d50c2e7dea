"""The intruder of a project in one or two sentences."""

from __future__ import annotations

from collections.abc import Sequence

from ammg.data.scenario import Scenario

_WHO = {
    "external file": "The intruder holds a register and links it to the release",
    "spontaneous recognition": "The intruder recognises somebody by chance",
    "self-identification": "A participant looks for their own record",
}


def scenario_words(scenario: Scenario, keys: Sequence[str], others: Sequence[str]) -> str:
    """What is known of whom, how well, and how likely a target is in the file.

    `keys` are the key attributes, `others` all further ones but identifiers.
    """
    if scenario.known is not None:
        known = scenario.known
    elif scenario.name == "self-identification" or not keys:
        known = (*keys, *others)
    else:
        known = tuple(keys)
    who = _WHO.get(scenario.name, f"The intruder ({scenario.name})")
    whom = "everybody" if scenario.targets is None else f"{len(scenario.targets):,} people"
    how = "without error"
    if scenario.error:
        how = f"with errors in {_listed(sorted(scenario.error))}"
    there = {
        None: "the probability that a target is in the file follows from the sampling",
        1.0: "every target is known to be in the file",
    }.get(scenario.inclusion, f"a target is in the file with probability {scenario.inclusion or 0:.0%}")
    held = f" The register is '{scenario.external.path}'." if scenario.external and scenario.external.path else ""
    return f"{who}, knows {_listed(known)} of {whom}, {how}; {there}.{held}"


def _listed(names: Sequence[str]) -> str:
    shown = list(names[:8])
    if len(names) > len(shown):
        return f"{', '.join(shown)} and {len(names) - len(shown)} more attributes"
    if not shown:
        return "nothing"
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
