"""Projects to click through, the list that shows how far each is, and the risk of the records as they are."""

import pytest
from team import Team

from ammg.errors import InputError
from ammg.store import data_sets, evaluations, projects, samples, work


def test_samples_are_projects_of_ones_own_that_run(team: Team) -> None:
    first = samples.create_sample(team.store, team.stranger, "patients")
    second = samples.create_sample(team.store, team.stranger, "patients")
    assert (first.name, second.name) == ("Ten patients (sample)", "Ten patients (sample) 2")
    work.start_mask(team.store, team.stranger, first.id, "public.csv")
    team.work_off()
    states = {line.project.id: line.state for line in projects.overview(team.store, team.stranger)}
    assert states == {first.id: "masked", second.id: "prepared"}
    with pytest.raises(InputError, match="not a sample"):
        samples.create_sample(team.store, team.stranger, "census")


def test_first_records_and_counts_of_values_are_kept_for_the_owner(team: Team) -> None:
    found = team.paper()
    team.work_off()
    first = data_sets.first_records(team.store, team.owner, team.project.id, found.id)
    assert first["columns"][:3] == ["Name", "SSN", "Age"]
    assert len(first["rows"]) == 10
    counts = data_sets.value_counts(team.store, team.owner, team.project.id, found.id)
    assert counts["State"] == [("MI", 9), ("IN", 1)]
    assert dict(counts["Age"]) == {44: 3, 55: 3, 45: 2, 25: 1, 35: 1}


def test_the_records_as_they_are_are_measured_without_the_methods_of_the_version(team: Team) -> None:
    team.paper()
    assert evaluations.of_unmasked(team.store, team.owner, team.project.id) is None
    work.start_evaluate(team.store, team.owner, team.project.id, unmasked=True)
    work.start_evaluate(team.store, team.owner, team.project.id)
    team.work_off()
    found = evaluations.of_unmasked(team.store, team.owner, team.project.id)
    assert found is not None and found.values is not None
    assert (found.version, found.values["read_as"], found.values["records"]["t"]) == (0, 1, 10)
    rarest = found.values["people"][0]["sentences"]
    assert rarest[0] == "Age 25, State IN: record 7 alone"
    assert "Age 45, State MI: 2 records, the first is 6" in rarest
    seen = evaluations.of_unmasked(team.store, team.analyst, team.project.id)
    assert seen is not None and seen.values is not None
    assert seen.values["people"] == []
    masked = next(one for one in evaluations.list_evaluations(team.store, team.owner, team.project.id) if one.version)
    kept = evaluations.get_evaluation(team.store, team.owner, team.project.id, masked.id).values or {}
    assert kept["records"]["t"] == 8
