"""Classes of labelled values have the labels of their values, and values that are not merged keep code and label."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyreadstat
import pytest
import yaml

import ammg
from ammg.analyzer.likeness import merge_alike
from ammg.data.attribute import Attribute, Kind
from ammg.data.published import Published, Recoding, ValueSets
from ammg.data.schema import Schema
from ammg.methods.method import Method
from ammg.pipeline.class_labels import with_class_labels

CITIES = {0: "Graz", 1: "Vienna", 2: "Linz", 3: "Villach", 4: "Wels"}
MOODS = {1: "never", 2: "rarely", 3: "often", 4: "mostly", 5: "always"}
recorded = np.random.default_rng(1).choice([0, 1, 2, 3, 4, 9], 400, p=[0.2, 0.35, 0.13, 0.05, 0.17, 0.1])
MERGED = {0: "Graz", 2: "Linz", 4: "Wels", 5: "Vienna | Villach"}


@pytest.fixture(params=["sav", "dta"])
def survey(request: pytest.FixtureRequest, tmp_path: Path) -> ammg.Microdata:
    """A file as its program writes it: numbers with labels, and a code for refusals."""
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {"city": recorded, "mood": rng.integers(1, 6, 400), "sex": rng.integers(1, 3, 400)}, dtype="int32"
    )
    path = tmp_path / f"survey.{request.param}"
    if request.param == "sav":
        labels: dict[str, Any] = {"city": {**CITIES, 9: "refused"}, "mood": MOODS}
        pyreadstat.write_sav(frame, path, variable_value_labels=labels, missing_ranges={"city": [9]})
    else:
        frame["city"] = [int(value) if value < 9 else "a" for value in recorded]
        labels = {"city": {**CITIES, "a": "refused"}, "mood": MOODS}
        pyreadstat.write_dta(frame, path, variable_value_labels=labels, missing_user_values={"city": ["a"]})
    data = ammg.read(path).with_roles(key=["city", "mood"]).with_kinds(nominal=["city", "sex"], ordinal=["mood"])
    alike = {str(city): ["1 | 3" if city in (1, 3) else str(city), "*"] for city in CITIES}
    return data.with_hierarchies(city=ammg.Hierarchy.from_mapping(alike), mood="by runs 2")


def written(data: ammg.Microdata, step: Method, target: Path, column: str) -> tuple[dict[Any, str], dict[Any, int]]:
    """The value labels of a column in the released file, and the number of records with each label."""
    ammg.Pipeline([step]).run(data, secret=1).release().write(target)
    frame, meta = getattr(pyreadstat, f"read{target.suffix.replace('.', '_')}")(target, user_missing=True)
    labels = meta.variable_value_labels[column]
    return labels, frame[column].map(labels).value_counts().to_dict()


@pytest.mark.parametrize("ending", ["sav", "dta"])
@pytest.mark.parametrize(
    ("step", "expected"),
    [
        (ammg.GlobalRecoding(columns=["city"], level=1), MERGED),
        (ammg.GlobalRecoding(columns=["city"], map={1: "South", 3: "South"}), {**MERGED, 5: "South"}),
        (
            ammg.GlobalRecoding(columns=["city"], map={0: 1, 2: 1, 3: 2, 4: 2}),
            {1: "Graz | Vienna | Linz", 2: "Villach | Wels"},
        ),
        (ammg.OptimalRecoding(columns=["city"], k=30, suppression=0), MERGED),
        (ammg.RareCategoryRecoding(columns=["city"], keep=2), {0: "Graz", 1: "Vienna", 2: "other"}),
    ],
    ids=["level", "words", "numbers", "optimal", "rare"],
)
def test_classes_are_labelled_and_single_values_keep_code_and_label(
    survey: ammg.Microdata, tmp_path: Path, ending: str, step: Method, expected: dict[int, str]
) -> None:
    labels, counts = written(survey, step, tmp_path / f"out.{ending}", "city")
    assert {code: label for code, label in labels.items() if label != "refused"} == expected
    assert counts["refused"] == (recorded == 9).sum()
    assert sum(counts.values()) == len(recorded)
    single = {code: label for code, label in expected.items() if CITIES.get(code) == label}
    assert {label: counts[label] for label in single.values()} == {
        label: (recorded == code).sum() for code, label in single.items()
    }


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_records_recoded_locally_show_codes_or_labelled_classes(
    survey: ammg.Microdata, tmp_path: Path, ending: str
) -> None:
    step = ammg.LocalRecoding(columns=["city", "mood"], k=20, moves=500)
    labels, _ = written(survey, step, tmp_path / f"out.{ending}", "city")
    assert {code: label for code, label in labels.items() if label in CITIES.values()}.items() <= CITIES.items()
    assert (
        {"Vienna", "Vienna | Villach"} <= set(labels.values()) <= {*CITIES.values(), "Vienna | Villach", "*", "refused"}
    )
    moods, _ = written(survey, step, tmp_path / f"out.{ending}", "mood")
    assert {code: label for code, label in moods.items() if label in MOODS.values()}.items() <= MOODS.items()
    assert {"never", "never to rarely"} <= set(moods.values())


@pytest.mark.parametrize("ending", ["sav", "dta"])
def test_ordered_classes_have_codes_in_their_order(survey: ammg.Microdata, tmp_path: Path, ending: str) -> None:
    labels, _ = written(survey, ammg.GlobalRecoding(columns=["mood"], level=1), tmp_path / f"out.{ending}", "mood")
    assert labels == {1: "never to rarely", 3: "often to mostly", 5: "always"}


def test_proposed_classes_are_labelled_by_all_their_values(survey: ammg.Microdata, tmp_path: Path) -> None:
    levels = merge_alike(survey, "city", ["mood", "sex"])
    data = survey.with_hierarchies(city=ammg.Hierarchy.from_mapping(levels))
    labels, _ = written(data, ammg.GlobalRecoding(columns=["city"], level=2), tmp_path / "out.sav", "city")
    classes = {above[1] for above in levels.values()}
    expected = {" | ".join(CITIES[int(code)] for code in name.split(" | ")) for name in classes}
    assert any(" | " in label for label in expected)
    assert set(labels.values()) == {*expected, "refused"}


@pytest.mark.parametrize("ending", ["csv", "xlsx", "sav", "dta"])
def test_the_codebook_has_the_labels_and_brings_them_back(survey: ammg.Microdata, tmp_path: Path, ending: str) -> None:
    step = ammg.GlobalRecoding(columns=["city"], level=1)
    ammg.Pipeline([step]).run(survey, secret=1).release().write(tmp_path / f"out.{ending}")
    variables = yaml.safe_load((tmp_path / "out.codebook.yaml").read_text(encoding="utf-8"))["variables"]
    labels = {c["value"]: c["label"] for c in variables[0]["categories"] if not c.get("missing")}
    assert labels == {"0": "Graz", "1 | 3": "Vienna | Villach", "2": "Linz", "4": "Wels"}
    assert ammg.read(tmp_path / f"out.{ending}").schema["city"].value_labels.items() >= labels.items()


def relabelled(told: Published, **facts: object) -> dict[object, str]:
    """The labels after a step that tells this about `city`."""
    old = Attribute(**{"name": "city", "kind": Kind.NOMINAL, "value_labels": CITIES, **facts})  # type: ignore[arg-type]
    new = old.replace(kind=Kind.NOMINAL, categories=getattr(told, "after", None))
    after = with_class_labels(Schema((old,)), Schema((new,)), [told])
    return dict(after["city"].value_labels)


def merged(*classes: tuple[str, list[object]]) -> Recoding:
    """A recoding into these classes of these values."""
    before = tuple(value for _, values in classes for value in values)
    codes = tuple(code for code, (_, values) in enumerate(classes) for _ in values)
    return Recoding(("city",), tuple(name for name, _ in classes), before, codes)


@pytest.mark.parametrize(
    ("name", "label"),
    [("2 | 0", "Linz | Graz"), ("0 / 2", "Graz / Linz"), ("0 to 2", "Graz to Linz"), ("0-2", "Graz to Linz")],
)
def test_a_name_of_codes_becomes_a_label_of_labels(name: str, label: str) -> None:
    told = merged((name, [0, 2]), ("1", [1]))
    assert relabelled(told) == {name: label, "1": "Vienna"}
    assert relabelled(merged((name, [0.0, 2.0]), ("1.0", [1.0]))) == {name: label, "1.0": "Vienna"}


def test_a_name_in_words_needs_no_label() -> None:
    assert relabelled(merged(("West", [0, 1]), ("*", [2, 3]))) == {}


def test_a_class_with_a_number_of_its_own_is_not_labelled_as_the_value_of_that_number() -> None:
    assert relabelled(merged(("1", [0, 1]), ("2", [3]))) == {"1": "Graz | Vienna", "2": "Villach"}


def test_values_without_a_label_are_listed_as_they_are_and_end_no_range() -> None:
    assert relabelled(merged(("1 | 7", [1, 7]))) == {"1 | 7": "Vienna | 7"}
    assert relabelled(merged(("1 to 7", [1, 7]))) == {}


def test_a_list_that_does_not_name_all_its_values_has_no_label() -> None:
    assert relabelled(merged(("0 | 1", [0, 1, 2]))) == {}


def test_labels_of_missing_codes_stay_and_belong_to_no_class() -> None:
    labels = {**CITIES, 9: "refused", -1: "no answer"}
    after = relabelled(merged(("1 | 2", [1, 2])), value_labels=labels, missing_codes=(9, (-5, -1)))
    assert after == {9: "refused", -1: "no answer", "1 | 2": "Vienna | Linz"}


def test_classes_that_overlap_and_intervals_are_labelled() -> None:
    sets = ValueSets(("city",), ("1", "1 | 3"), before=(0, 1, 2, 3), members=((1,), (1, 3)))
    assert relabelled(sets) == {"1": "Vienna", "1 | 3": "Vienna | Villach"}
    ends = ValueSets(("city",), ("1", "0-3"), lower=(1.0, 0.0), upper=(1.0, 3.0))
    assert relabelled(ends) == {"1": "Vienna", "0-3": "Graz to Villach"}


def test_labels_of_texts_follow_their_classes() -> None:
    told = merged(("V | G", ["V", "G"]), ("L", ["L", "X"]))
    assert relabelled(told, value_labels={"V": "Vienna", "G": "Graz", "L": "Linz"}) == {
        "V | G": "Vienna | Graz",
        "L": "Linz | X",
    }


def test_classes_of_classes_keep_their_labels() -> None:
    labels = {"0 | 2": "Graz | Linz", "1": "Vienna", "3": "Villach"}
    told = merged(("0 | 2", ["0 | 2"]), ("other", ["1", "3"]))
    assert relabelled(told, value_labels=labels) == {"0 | 2": "Graz | Linz"}
