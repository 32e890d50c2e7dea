"""The verdict: five sentences and one picture."""

from __future__ import annotations

from ammg import registry
from ammg.charts.chart import Chart
from ammg.data.attribute import Role
from ammg.measures.measure import Measure, Risk
from ammg.measures.measurement import Measurement
from ammg.report.evidence import Evidence, Reader
from ammg.report.loss import by_attribute
from ammg.report.words import counted, enumerated, mid_sentence, named, told, told_of

Measured = tuple[str, Measure, Measurement]


def verdict(evidence: Evidence, reader: Reader) -> list[str]:
    """What was released, what an intruder can find and learn, what analysts lose, and whether limits are met."""
    return [
        _released(evidence),
        _risk(evidence, "identity"),
        _risk(evidence, "attribute"),
        _loss(evidence, reader),
        _limits(evidence),
    ]


def picture(evidence: Evidence) -> Chart | None:
    """Every risk before and after masking, with its limit; None without risks."""
    risks = by_size(evidence)
    if not risks:
        return None
    labels = [label for label, _, _ in risks]
    series: dict[str, tuple[float | None, ...]] = {}
    if evidence.before:
        series["before masking"] = tuple(_value(evidence.before.get(label)) for label in labels)
    series["after masking"] = tuple(measurement.value for _, _, measurement in risks)
    if any(label in evidence.limits for label in labels):
        series["limit"] = tuple(evidence.limits.get(label) for label in labels)
    return Chart(
        "bars",
        "What an intruder could find out" + (", before and after masking" if evidence.before else ""),
        tuple(map(named, labels)),
        series,
        y_label="share of records, people or values (smaller is safer)",
        drawn={"limit": "marks"} if "limit" in series else {},
        percent=True,
    )


def by_size(evidence: Evidence) -> list[Measured]:
    """The risks, greatest first; those that are not defined last."""
    risks = [entry for entry in evidence.family("risk") if entry[1].percent]
    return sorted(risks, key=lambda entry: -1.0 if (value := entry[2].value) is None else -2.0 - value)


def _released(evidence: Evidence) -> str:
    n, t = evidence.records["n"], evidence.records["t"]
    names = [attribute.name for attribute in evidence.released if attribute.role is not Role.IDENTIFIER]
    held = f"The masked file holds {counted(t, 'record')} with {counted(len(names), 'attribute')}"
    if evidence.masking is None:
        return f"{held}, compared with {counted(n, 'original record')}; how it was masked is not recorded here."
    steps = [named(step.method) for step in evidence.masking.steps]
    if not steps:
        return f"{held}, made from {counted(n, 'original record')} without any masking."
    return f"{held}, made from {counted(n, 'original record')} in {counted(len(steps), 'step')}: {enumerated(steps)}."


def _risk(evidence: Evidence, kind: str) -> str:
    what = {"identity": "finding people in the file", "attribute": "learning something about people"}[kind]
    risks = [entry for entry in by_size(evidence) if isinstance(entry[1], Risk) and entry[1].discloses == kind]
    known = [entry for entry in risks if entry[2].value is not None]
    if not known:
        reason = "no measure requested is defined for this file" if risks else "none was requested"
        return f"No measure of {what} has a value: {reason}."
    label, measure, measurement = known[0]
    sentence = f"Of {counted(len(known), 'measure')} of {what}, the highest is {named(label)}"
    if len(known) == 1:
        sentence = f"The one measure of {what} is {named(label)}"
    before = evidence.before.get(label)
    against = (
        f", against {told_of(measure, before)} for the unmasked file" if before and before.value is not None else ""
    )
    return f"{sentence} ({mid_sentence(registry.meaning(type(measure)))}): {told(measure, measurement.value)}{against}."


def _loss(evidence: Evidence, reader: Reader) -> str:
    losses = [entry for entry in evidence.family("loss") if entry[2].value is not None]
    if not losses:
        asked = any(True for _ in evidence.family("loss"))
        reason = "no measure requested is defined for this file" if asked else "none was requested"
        return f"No measure of information loss has a value: {reason}."
    label, measure, measurement = next((entry for entry in losses if entry[1].percent), losses[0])
    meaning = mid_sentence(registry.meaning(type(measure)))
    sentence = f"Information loss, by {named(label)} ({meaning}), is {told(measure, measurement.value)}"
    shares = {name: value for name, value in by_attribute(evidence, label, reader).items() if value is not None}
    if len(shares) > 1:
        ordered = sorted(shares, key=lambda name: -shares[name])
        most, least = ordered[0], ordered[-1]
        sentence += (
            f"; most in {most} ({told(measure, shares[most])}), least in {least} ({told(measure, shares[least])})"
        )
    return f"{sentence}."


def _limits(evidence: Evidence) -> str:
    undefined = sum(measurement.value is None for measurement in evidence.after.values())
    unknown = f" {counted(undefined, 'measure')} could not be computed, for the reasons below." if undefined else ""
    limits, broken = len(evidence.limits), len(evidence.broken)
    if not limits:
        return f"No limits were set, so this report measures but does not judge.{unknown}"
    if not broken:
        kept = (
            "The limit that the owner set is met" if limits == 1 else f"All {limits} limits that the owner set are met"
        )
        return f"{kept}.{unknown}"
    said = " ".join(evidence.broken.values())
    which = "The limit that the owner set is" if limits == 1 else f"{broken} of {limits} limits that the owner set are"
    return f"{which} not met, so the file should not be released as it is: {said}{unknown}"


def _value(measurement: Measurement | None) -> float | None:
    return None if measurement is None else measurement.value
