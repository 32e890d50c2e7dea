"""Each rule of the release gate: something bad that is stopped, and something fine that passes."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from stopped import noise, reasons

import ammg
from ammg.data.attribute import Attribute, Kind, Level, Role
from ammg.data.block import Block
from ammg.data.native import Native
from ammg.data.published import Groups
from ammg.data.schema import Schema
from ammg.draws import Draws
from ammg.errors import InputError
from ammg.methods.method import Method, Plan
from ammg.registry import forget
from ammg.release.gate import RULES, audit
from ammg.summaries.summary import Source

INCOMES = ["wages", "self_employment", "pensions", "capital_income", "other_income", "income"]


def people(n: int = 200, seed: int = 0) -> pl.DataFrame:
    rng = np.random.default_rng(seed)
    wage, rent = rng.lognormal(8, 1, (2, n)).round(2)
    return pl.DataFrame(
        {
            "age": rng.integers(18, 90, n),
            "region": rng.choice(["north", "south", "east"], n),
            "wage": wage,
            "rent": rent,
            "total": wage + rent,
            "score": rng.normal(0, 1, n),
        }
    )


def data(table: pl.DataFrame, **roles: object) -> ammg.Microdata:
    return ammg.Microdata(table).with_roles(**(roles or {"key": ["age", "region"], "confidential": ["score"]}))


def test_the_patients_of_the_paper_are_released_with_a_note_about_the_broken_groups(patients: ammg.Microdata) -> None:
    steps = [ammg.UnivariateMicroaggregation(columns=["Age"], k=2), ammg.Sampling(fraction=0.8)]
    release = ammg.Pipeline(steps).run(patients, secret=1).release()
    assert len(release) == 8
    assert release.clearance.reasons == ()
    assert "after sampling" in release.clearance.notes[0]


def test_correlated_noise_on_all_incomes_of_the_survey_is_released() -> None:
    frame = ammg.datasets.survey(2_000)
    roles: dict[str, list[str]] = {}
    for name, role in ammg.datasets.SURVEY_ROLES.items():
        roles.setdefault(role, []).append(name)
    survey = ammg.Microdata(frame).with_roles(**roles).with_levels(household=list(ammg.datasets.SURVEY_LEVELS))
    steps = [ammg.CorrelatedNoise(columns=INCOMES), ammg.AdditiveNoise(columns=["household_income"])]
    release = ammg.Pipeline(steps).run(survey, secret=1).release()
    assert len(release) == 2_000
    assert release.clearance.notes == ()


def test_an_unmasked_file_is_stopped_and_a_sample_of_it_passes() -> None:
    assert "no step masked anything" in reasons(ammg.Pipeline().run(data(people()), secret=1))
    assert "no step masked anything" in reasons(ammg.Pipeline().run(people(), secret=1))
    assert len(ammg.Pipeline([ammg.Sampling(fraction=0.5)]).run(data(people()), secret=1).release()) == 100


def test_dropping_identifiers_alone_is_not_masking(patients: ammg.Microdata) -> None:
    assert "no step masked anything" in reasons(ammg.Pipeline([ammg.IdentifierRemoval()]).run(patients, secret=1))
    assert "no step masked anything" in reasons(ammg.Pipeline([ammg.Pseudonyms()]).run(patients, secret=1))


def test_a_file_in_which_nothing_is_sensitive_needs_no_masking() -> None:
    table = people().select("score").with_columns(weight=pl.lit(1.0))
    assert len(ammg.Pipeline().run(data(table, weight="weight", other="score"), secret=1).release()) == 200


def test_undeclared_e_mail_addresses_are_stopped_and_declared_ones_are_dropped() -> None:
    table = people().with_columns(contact=pl.format("p{}@example.org", pl.int_range(200)))
    masked = noise("score").run(data(table), secret=1)
    assert "'contact' appears to hold an e-mail address" in reasons(masked)
    declared = data(table, identifier="contact", key="age", confidential="score")
    assert "contact" not in noise("score").run(declared, secret=1).release().table.columns


def test_texts_that_differ_in_every_record_are_stopped_unless_they_are_declared() -> None:
    table = people().with_columns(remark=pl.format("q{}x", pl.int_range(200) * 7919))
    assert "'remark' is text that differs" in reasons(noise("score").run(data(table), secret=1))
    declared = data(table, key="age", confidential=["score", "remark"])
    assert len(noise("score").run(declared, secret=1).release()) == 200


def test_pseudonyms_are_not_taken_for_identifiers(patients: ammg.Microdata) -> None:
    steps = [ammg.Pseudonyms(), ammg.AdditiveNoise(columns=["Income"])]
    assert {"Name", "SSN"} <= set(ammg.Pipeline(steps).run(patients, secret=1).release().table.columns)


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("copy", pl.col("score")),
        ("line", 3 - 2 * pl.col("score")),
        ("rounded", (1000 * pl.col("score")).round()),
    ],
)
def test_a_copy_or_linear_image_of_a_masked_column_is_stopped(name: str, image: pl.Expr) -> None:
    table = people().with_columns(image.alias(name))
    assert f"'{name}' would be released" in reasons(noise("score").run(data(table), secret=1))
    assert len(noise("score", name).run(data(table), secret=1).release()) == 200


def test_a_renaming_of_a_masked_category_is_stopped() -> None:
    table = people().with_columns(code=pl.col("region").replace_strict({"north": 1, "south": 2, "east": 3}))
    steps = [ammg.GlobalRecoding(columns=["region"], map={"north": "all", "south": "all", "east": "all"})]
    assert "'code' would be released" in reasons(ammg.Pipeline(steps).run(data(table), secret=1))
    assert len(ammg.Pipeline(steps).run(data(people()), secret=1).release()) == 200


def test_a_copy_of_an_identifier_is_stopped() -> None:
    table = people().with_columns(pin=pl.int_range(200).shuffle(seed=1) * 3 + 7, badge=pl.lit(0))
    table = table.with_columns(badge=pl.col("pin") + 1000)
    declared = data(table, identifier="pin", key="age", confidential="score")
    assert "'badge' would be released" in reasons(noise("score").run(declared, secret=1))
    both = data(table, identifier=["pin", "badge"], key="age", confidential="score")
    assert len(noise("score").run(both, secret=1).release()) == 200


def test_one_masked_member_of_a_sum_is_stopped_and_all_of_them_pass() -> None:
    told = reasons(noise("total").run(data(people()), secret=1))
    assert "'total' was masked alone, but total = wage + rent gives it back" in told
    assert "rent = total - wage" in reasons(noise("rent").run(data(people()), secret=1))
    assert len(noise("wage", "rent", "total").run(data(people()), secret=1).release()) == 200
    assert len(noise("wage", "rent").run(data(people()), secret=1).release()) == 200


def test_the_identity_of_census_is_found(census_data: ammg.Microdata) -> None:
    assert "PTOTVAL = POTHVAL + PEARNVAL" in reasons(noise("PTOTVAL").run(census_data, secret=1))
    assert len(ammg.Pipeline([ammg.CorrelatedNoise()]).run(census_data, secret=1).release()) == 1080


def test_a_step_that_changed_nothing_is_stopped() -> None:
    steps = [ammg.AdditiveNoise(columns=["score"]), ammg.TopCoding(columns=["wage"], threshold=1e9)]
    told = reasons(ammg.Pipeline(steps).run(data(people()), secret=1))
    assert "step 2 (top_coding) should mask 'wage' but changed none of its cells" in told


def test_a_constant_column_has_nothing_to_change() -> None:
    table = people().with_columns(year=pl.lit(1996))
    masked = ammg.Pipeline([ammg.RankSwapping(columns=["score", "year"])]).run(data(table), secret=1)
    assert len(masked.release()) == 200


def test_row_numbers_are_stopped_and_shuffled_numbers_pass() -> None:
    table = people().with_columns(row=1000 + 2 * pl.int_range(200))
    assert "'row' numbers the records" in reasons(noise("score").run(data(table), secret=1))
    shuffled = people().with_columns(row=pl.int_range(200).shuffle(seed=1))
    assert len(noise("score").run(data(shuffled), secret=1).release()) == 200


@pytest.fixture
def broken_promise() -> type[Method]:
    class BrokenPromise(Method):
        """Say that values are shared by three, and add noise instead."""

        def plan(self, source: Source, draws: Draws) -> Plan:
            names = self.chosen(source.schema)
            return Plan(source.schema.select(names), published=(Groups(names, 3, joint=True),))

        def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
            return block.with_columns({n: block.numbers(n) + draws.normal(block.ids, n) for n in plan.schema.names})

    yield BrokenPromise
    forget("methods", "broken_promise")


def test_a_promised_k_that_is_not_there_is_stopped_and_a_kept_one_passes(broken_promise: type[Method]) -> None:
    told = reasons(ammg.Pipeline([broken_promise(columns=["score", "wage"])]).run(data(people()), secret=1))
    assert "promised that values of 'score', 'wage' are shared by 3 records, but some are shared by only 1" in told
    kept = ammg.Pipeline([ammg.UnivariateMicroaggregation(columns=["score", "wage"], k=3)])
    assert kept.run(data(people().drop("total")), secret=1).release().clearance.notes == ()


def test_groups_limited_to_some_records_are_counted_among_those_that_changed() -> None:
    step = ammg.UnivariateMicroaggregation(columns=["score"], k=5, where="age > 60")
    assert ammg.Pipeline([step]).run(data(people()), secret=1).release().clearance.notes == ()


def labelled(**facts: object) -> ammg.Microdata:
    table = people().with_columns(pl.format("Person {} Smith", pl.int_range(200)).alias("name"))
    schema = Schema(
        (
            Attribute(name="name", kind=Kind.NOMINAL, role=Role.IDENTIFIER),
            Attribute(name="age", kind=Kind.INTEGER, role=Role.KEY, **facts),
            Attribute(name="score", kind=Kind.CONTINUOUS, role=Role.CONFIDENTIAL),
        )
    )
    return ammg.Microdata(table.select(schema.names), schema)


def test_a_label_that_quotes_an_identifier_is_stopped_and_another_one_passes() -> None:
    told = reasons(noise("score").run(labelled(label="Age (corrected for Person 17 Smith)"), secret=1))
    assert "a label quotes 'person 17 smith', a value of the identifier 'name'" in told
    assert len(noise("score").run(labelled(label="Age in completed years"), secret=1).release()) == 200


def test_labels_of_values_that_masking_took_out_are_found_by_the_audit() -> None:
    original = labelled(value_labels={age: f"{age} years" for age in range(18, 90)})
    masked = ammg.Pipeline([ammg.Rounding(columns=["age"], base=10)]).run(original, secret=1)
    release = masked.release()  # a release forgets such labels by itself
    assert set(release.schema["age"].value_labels) <= set(range(0, 100, 10))
    careless = SimpleNamespace(table=release.table, schema=masked.schema)
    told = audit(masked, careless).reasons  # type: ignore[arg-type]
    assert any("labels or categories of 'age' still name" in reason for reason in told)


class Suppressing(Method):
    """Take some values out, as local suppression does."""

    accepts = Kind.ANY

    def plan(self, source: Source, draws: Draws) -> Plan:
        from ammg.data.published import Suppression

        names = self.chosen(source.schema)
        return Plan(source.schema.select(names), published=(Suppression(names),))

    def mask(self, block: Block, plan: Plan, draws: Draws) -> Block:
        return block.with_columns(
            {n: np.where(draws.uniform(block.ids, n) < 0.1, np.nan, block.numbers(n)) for n in plan.schema.names}
        )


forget("methods", "suppressing")


def test_suppressed_cells_look_like_those_that_had_a_code_for_missing_values() -> None:
    coded = labelled(missing_codes=(99,))
    table = coded.table.with_columns(age=pl.when(pl.int_range(200) % 9 == 0).then(99).otherwise(pl.col("age")))
    pipeline = ammg.Pipeline([Suppressing(columns=["age"])])
    released = pipeline.run(ammg.Microdata(table, coded.schema), secret=1).release().table["age"]
    assert released.null_count() > 23  # 23 had the code
    assert not (released == 99).any()
    assert len(pipeline.run(labelled(), secret=1).release()) == 200


def test_masked_values_that_read_as_missing_are_noted() -> None:
    table = people().with_columns(age=pl.col("age").clip(60, 80))
    coded = data(table).with_missing_codes(age={66: "refused"})
    masked = ammg.Pipeline([ammg.Rounding(columns=["age"], base=22)]).run(coded, secret=1)
    assert "masked values of 'age' equal its code for missing values (66)" in "; ".join(
        masked.release().clearance.notes
    )


def test_a_display_format_is_no_label_that_quotes_an_identifier() -> None:
    table = people().with_columns(id=pl.int_range(1, 201).cast(pl.Float64))
    told = data(table, identifier="id", confidential="score")
    formats = [told.schema[name].replace(display_format="%10.0g") for name in told.columns]
    told = ammg.Microdata(table, told.schema.replace(*formats))
    assert len(noise("score").run(told, secret=1).release()) == 200
    words = told.schema.replace(told.schema["age"].replace(label="Age of person 10.0"))
    assert len(noise("score").run(ammg.Microdata(table, words), secret=1).release()) == 200


def test_a_forced_release_keeps_its_written_reason_and_what_was_against_it() -> None:
    masked = ammg.Pipeline().run(data(people()), secret=1)
    clearance = masked.release(force="a simulated file, nobody is in it").clearance
    assert clearance.forced == "a simulated file, nobody is in it"
    assert "no step masked anything" in clearance.reasons[0]


@pytest.mark.parametrize("force", ["", "  ", True])
def test_forcing_without_a_reason_is_refused(force: object) -> None:
    with pytest.raises(InputError, match="not a reason"):
        ammg.Pipeline().run(data(people()), secret=1).release(force=force)  # type: ignore[arg-type]


def test_a_release_that_is_fine_is_not_marked_as_forced() -> None:
    masked = noise("score").run(data(people()), secret=1)
    assert masked.release(force="to be safe").clearance.forced is None


def test_all_reasons_are_reported_together() -> None:
    table = people().with_columns(row=pl.int_range(200), double=2 * pl.col("total"))
    told = reasons(noise("total").run(data(table), secret=1))
    assert "'row'" in told
    assert "'double'" in told
    assert "wage + rent" in told


def test_a_stream_is_audited(tmp_path: Path) -> None:
    table = people(300).with_columns(row=pl.int_range(300))
    table.write_parquet(tmp_path / "in.parquet")
    streamed = ammg.read(tmp_path / "in.parquet", stream=True).with_roles(key="age", confidential="score")
    assert "'row' numbers the records" in reasons(noise("score").run(streamed, secret=1))
    fine = ammg.read(tmp_path / "in.parquet", stream=True).with_roles(identifier="row", confidential="score")
    assert len(noise("score").run(fine, secret=1).release()) == 300


def test_every_rule_has_a_name_and_a_sentence() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES) == 15
    assert all(rule.sentence.endswith(".") for rule in RULES)


def test_households_are_renumbered_and_do_not_count_as_row_numbers() -> None:
    table = people().with_columns(home=pl.int_range(200))
    homes = data(table, household="home", key="age", confidential="score").with_levels(household="home")
    assert homes.schema["home"].level is Level.HOUSEHOLD
    assert Native("polars") == homes.native
    assert len(noise("score").run(homes, secret=1).release()) == 200


def test_the_guide_lists_every_rule_with_its_sentence() -> None:
    guide = (Path(__file__).parents[2] / "docs" / "pages" / "guide" / "release.md").read_text(encoding="utf-8")
    assert all(f"| {rule.name} | {rule.sentence} |" in guide for rule in RULES)
