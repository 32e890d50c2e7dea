"""Where a release came from."""

import hashlib
import json
import stat
from pathlib import Path

import polars as pl
import pytest

import ammg
from ammg.data.microdata import Microdata
from ammg.data.parquet_table import ParquetTable
from ammg.data.records import Order
from ammg.release import buckets
from ammg.release.provenance import digest, provenance, write_json, write_private

STEPS = [ammg.AdditiveNoise(columns=["Age"], p=0.2), ammg.Sampling(fraction=0.8)]


@pytest.fixture
def masked(patients: ammg.Microdata) -> ammg.Masked:
    return ammg.Pipeline(STEPS).run(patients, "hunter2")


def test_versions_parameters_durations_and_digests_are_told(masked: ammg.Masked, tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv", tmp_path / "out.csv"
    source.write_bytes(b"in")
    target.write_bytes(b"out")
    told = provenance(masked, str(source), str(target), real=masked.r)
    assert told["ammg"] == ammg.__version__
    assert set(told["packages"]) >= {"numpy", "polars", "randomgen"}
    assert told["input"]["sha256"] == hashlib.sha256(b"in").hexdigest()
    assert told["output"]["sha256"] == hashlib.sha256(b"out").hexdigest()
    assert told["records"] == {"before": 10, "after": 8, "real": 8}
    assert told["steps"][0]["parameters"] == STEPS[0].model_dump(mode="json")
    assert told["steps"][1]["seconds"] >= 0


def test_what_is_told_has_neither_secret_nor_link_and_is_json(masked: ammg.Masked) -> None:
    told = json.dumps(provenance(masked, real=masked.r), allow_nan=False)
    assert "hunter2" not in told
    assert masked.secret.key.hex() not in told
    assert "link" not in told


def test_the_digest_of_what_is_no_file_is_none() -> None:
    assert digest("postgresql://host/table") is None
    assert digest("/nowhere/file") is None


def test_secret_and_link_are_for_the_owners_eyes(masked: ammg.Masked, tmp_path: Path) -> None:
    folder = write_private(masked.secret, masked.n, masked.release(force="a test"), tmp_path / "private")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    for name in ("secret", "link.parquet"):
        assert stat.S_IMODE((folder / name).stat().st_mode) == 0o600
    assert sorted(path.name for path in folder.iterdir()) == ["link.parquet", "secret"]
    assert bytes.fromhex((folder / "secret").read_text()) == masked.secret.key


def test_the_private_link_leads_from_each_released_record_to_its_original(
    masked: ammg.Masked, patients: ammg.Microdata, tmp_path: Path
) -> None:
    release = masked.release(force="a test")
    link = pl.read_parquet(write_private(masked.secret, masked.n, release, tmp_path / "private") / "link.parquet")[
        "original"
    ]
    assert patients.table["Income"].gather(link).to_list() == release.table["Income"].to_list()
    assert link.to_list() != sorted(link.to_list())


def test_the_private_link_follows_households_too(survey: ammg.Microdata, tmp_path: Path) -> None:
    masked = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages"])]).run(survey, 1)
    release = masked.release("households", force="a test")
    link = pl.read_parquet(write_private(masked.secret, masked.n, release, tmp_path / "private") / "link.parquet")[
        "original"
    ]
    assert survey.table["age"].gather(link).to_list() == release.table["age"].to_list()


def test_a_file_of_json_keeps_its_mode(tmp_path: Path) -> None:
    write_json({"ä": 1}, tmp_path / "a.json", 0o600)
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8")) == {"ä": 1}
    assert stat.S_IMODE((tmp_path / "a.json").stat().st_mode) == 0o600


@pytest.mark.parametrize("order", ["records", "households"])
def test_the_link_of_a_stream_is_written_without_reading_it_whole(
    order: Order, survey: ammg.Microdata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    survey.table.write_parquet(tmp_path / "in.parquet")
    monkeypatch.setattr(buckets, "ROWS", 100)
    pipeline = ammg.Pipeline([ammg.AdditiveNoise(columns=["wages"]), ammg.Sampling(fraction=0.7)])
    links = []
    for name, data in (("here", survey), ("streamed", Microdata(ParquetTable(tmp_path / "in.parquet"), survey.schema))):
        masked = pipeline.run(data, secret=1)
        private = write_private(masked.secret, masked.n, masked.release(order, force="a test"), tmp_path / name)
        assert sorted(path.name for path in private.iterdir()) == ["link.parquet", "secret"]
        links.append(pl.read_parquet(private / "link.parquet"))
    assert links[0].equals(links[1])
    assert links[0].height == 420
