"""The report says what it has to say to a panel, for any evidence, and needs nothing but itself."""

import re
import stat
from html import escape
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import ammg
from ammg.data.pair import Pair
from ammg.errors import InputError
from ammg.testing.samples import sample


@pytest.fixture(scope="module")
def evaluation() -> ammg.Evaluation:
    data = sample("missing")
    steps = [
        ammg.CorrelatedNoise(columns=["income", "savings"], d=0.3),
        ammg.GlobalRecoding(columns=["age"], groups=4),
        ammg.LocalSuppression(columns=["age", "region"], k=3),
    ]
    masked = ammg.Pipeline(steps).run(data, secret=1)
    return ammg.evaluate(
        masked, ["frequency", "suda", "rank_interval_disclosure", "cell_loss", "il1s"], limits={"distance_linkage": 0.9}
    )


def written(evaluation: ammg.Evaluation, folder: Path, **options: object) -> str:
    return evaluation.report(folder / "report.html", **options).read_text(encoding="utf-8")  # type: ignore[arg-type]


def verdict(page: str) -> list[str]:
    (box,) = re.findall(r'<div class="verdict \w+">(.*?)</div>', page, re.DOTALL)
    return re.findall(r"<p>(.*?)</p>", box, re.DOTALL)


def test_it_opens_with_five_sentences_and_a_picture(evaluation: ammg.Evaluation, tmp_path: Path) -> None:
    page = written(evaluation, tmp_path)
    sentences = verdict(page)
    assert len(sentences) == 5
    assert sentences[0].startswith(
        "The masked file holds 200 records with 9 attributes, made from 200 original records"
    )
    assert "finding people in the file" in sentences[1]
    assert "rank interval disclosure" in sentences[2]
    assert "Information loss, by cell loss" in sentences[3]
    assert sentences[4] == "The limit that the owner set is met."
    assert page.index("<svg") < page.index('<section id="done">')


def test_it_has_every_section_with_steps_snippets_and_sources(evaluation: ammg.Evaluation, tmp_path: Path) -> None:
    page = written(evaluation, tmp_path)
    for section in ("done", "risk", "loss", "distributions", "correlations", "use", "definitions", "project"):
        assert f'<section id="{section}">' in page
    for text in (
        "1. Correlated noise",
        "Applied to income and savings.",
        "subdomain_moments(noisy, noisy, d=0.3",
        "Source:",
    ):
        assert text in page
    assert '<section id="combinations">' not in page


def test_only_the_internal_version_lists_combinations_and_can_be_read_by_its_owner_alone(
    evaluation: ammg.Evaluation, tmp_path: Path
) -> None:
    page = written(evaluation, tmp_path, version="internal")
    assert '<section id="combinations">' in page
    assert escape(evaluation["suda"].people.examples["riskiest"][0]) in page
    assert "Confidential: this version" in page
    assert stat.S_IMODE((tmp_path / "report.html").stat().st_mode) == 0o600


def test_it_is_one_well_formed_file_that_loads_nothing(evaluation: ammg.Evaluation, tmp_path: Path) -> None:
    page = written(evaluation, tmp_path, version="internal")
    parser = Tags()
    parser.feed(page)
    assert parser.open == []
    assert parser.loaded == []
    assert len(page) < 5_000_000


class Tags(HTMLParser):
    """Elements that were not closed, and addresses that a browser would fetch."""

    VOID = ("meta", "br", "img", "link", "!doctype")

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loaded: list[str] = []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag not in self.VOID:
            self.open.append(tag)
        for name, value in attributes:
            if tag in ("script", "link", "iframe", "object") or name == "src":
                self.loaded.append(f"{tag} {name}={value}")
            if name in ("href", "xlink:href") and not str(value).startswith(("#", "data:")):
                self.loaded.append(f"{tag} {name}={value}")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_no_class_of_a_public_chart_has_fewer_than_k_people(evaluation: ammg.Evaluation) -> None:
    from ammg.report.distributions import distributions
    from ammg.report.evidence import Reader

    pair = evaluation.of.pair  # type: ignore[union-attr]
    shown = {entry.name: entry.chart for entry in distributions(pair, Reader("public", 25)) if entry.chart}
    assert {"region", "age", "income"} <= set(shown)
    for name, chart in shown.items():
        for when, data in (("before masking", pair.original), ("after masking", pair.masked)):
            people = len(data) - data.table[name].null_count()
            assert min(chart.series[when]) * people >= 24.9, (name, when)


def test_public_axes_tell_nothing_that_is_only_in_the_original(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pl.DataFrame({"x": np.append(rng.normal(size=500), [736451928.0] * 12), "y": rng.normal(size=512)})
    masked = frame.with_columns(pl.col("x").clip(-3, 3))
    pair = Pair(ammg.Microdata(frame), ammg.Microdata(masked), np.arange(512))
    page = written(ammg.evaluate(pair, ["il1s"]), tmp_path)
    assert not re.search(r"[1-9]\d{2},?\d{3},?\d{3}", re.sub(r"<svg.*?<text", "<text", page, flags=re.DOTALL))


CASES = {
    "no link": lambda frame: ammg.evaluate(Pair(ammg.Microdata(frame), ammg.Microdata(frame), None)),
    "no number": lambda frame: ammg.evaluate(ammg.Pipeline([]).run(frame.select("city"))),
    "no category": lambda frame: ammg.evaluate(
        ammg.Pipeline([ammg.RankSwapping(columns=["x"])]).run(frame.select("x", "y"))
    ),
    "not defined": lambda frame: ammg.evaluate(
        frame, ["transition_linkage", "il1s"], limits={"transition_linkage": 0.1}
    ),
    "limit broken": lambda frame: ammg.evaluate(frame, limits={"frequency": 0.0}),
    "no measures": lambda frame: ammg.evaluate(frame, []),
    "one record": lambda frame: ammg.evaluate(frame.head(1)),
    "infinite": lambda frame: ammg.evaluate(frame.with_columns(x=pl.lit(float("inf")))),
    "missing": lambda frame: ammg.evaluate(
        frame.with_columns(x=pl.lit(None, pl.Float64), city=pl.lit(None, pl.String))
    ),
}
SAID = {
    "no link": "no link between masked and original records",
    "no number": "There are no correlations to show",
    "not defined": "so it cannot meet the limit of 0.1",
    "limit broken": "so the file should not be released as it is",
    "no measures": "No risk was measured, so there is no picture of it",
    "one record": "with classes of at least 10 people there is nothing to compare",
    "infinite": "has an infinite value in the original file",
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("version", ["public", "internal"])
def test_whatever_is_lacking_the_report_is_written_and_says_so(case: str, version: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame(
        {"x": rng.normal(size=60), "y": rng.normal(size=60), "city": rng.choice(["Ayr", "Bray", "Cobh"], 60)}
    )
    page = written(CASES[case](frame), tmp_path, version=version)
    assert len(verdict(page)) == 5
    if version == "public" or case != "one record":
        assert SAID.get(case, "") in page


def test_names_from_the_data_cannot_act_on_the_page(tmp_path: Path) -> None:
    name = "<script>alert(1)</script>\x1b"
    frame = pl.DataFrame({name: ["<b>a</b>", "<b>b</b>"] * 30, "x": np.arange(60.0)})
    page = written(ammg.evaluate(frame), tmp_path, version="internal")
    assert "<script" not in page
    assert "<b>a" not in page
    assert "\x1b" not in page


def test_a_wrong_version_or_k_and_a_pickled_evaluation_are_refused(evaluation: ammg.Evaluation, tmp_path: Path) -> None:
    import pickle

    with pytest.raises(InputError, match="choose public or internal"):
        written(evaluation, tmp_path, version="secret")
    with pytest.raises(InputError, match="need at least 2 people"):
        written(evaluation, tmp_path, k=1)
    again = pickle.loads(pickle.dumps(evaluation))
    assert again.of is None
    with pytest.raises(InputError, match="evaluate again"):
        written(again, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_file_larger_than_memory_is_reported_without_reading_it_for_pictures(tmp_path: Path) -> None:
    sample().table.write_parquet(tmp_path / "file.parquet")
    data = ammg.read(tmp_path / "file.parquet", stream=True).with_roles(key="age", confidential="income")
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["income"])]).run(data, secret=1)
    page = written(ammg.evaluate(masked, ["frequency", "il1s"]), tmp_path)
    assert "The records are streamed from disk, so distributions are not drawn." in page
    assert "Not shown: fewer than 10 people have a value, or it is not known how many" in page
