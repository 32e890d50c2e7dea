"""CSV keeps values, types, missing values and labels."""

import tempfile
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from samples import columns, described_facts, frames, labelled, schema_of

import ammg
from ammg.errors import DataWarning, InputError
from ammg.io.csv import FIELD_LIMIT, Csv

DATA = Path(__file__).parents[3] / "shared" / "data"


def write(path: Path, text: str, encoding: str = "utf-8") -> str:
    path.write_bytes(text.encode(encoding))
    return str(path)


@settings(max_examples=60, deadline=None)
@given(frames({**columns(), pl.Time(): columns()[pl.Datetime("us")].map(lambda moment: moment.time())}))
def test_every_type_reads_back_as_it_was_written(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Csv().write(frame, schema_of(frame), f"{folder}/a.csv")
        after = ammg.read(f"{folder}/a.csv").table
    assert after.schema == frame.schema
    assert after.equals(frame)


@settings(max_examples=60, deadline=None)
@given(frames({dtype: values for dtype, values in columns().items() if dtype in {pl.String, pl.Float64, pl.Boolean}}))
def test_empty_text_and_missing_stay_apart_without_a_codebook(frame: pl.DataFrame) -> None:
    with tempfile.TemporaryDirectory() as folder:
        Csv().write(frame, schema_of(frame), f"{folder}/a.csv")
        Path(f"{folder}/a.codebook.yaml").unlink()
        after = ammg.read(f"{folder}/a.csv").table
    for before, now in zip(frame, after, strict=True):
        if now.dtype == pl.String and before.dtype == pl.String:
            assert now.to_list() == before.to_list()


def test_labels_missing_codes_and_formats_are_in_the_codebook(tmp_path: Path) -> None:
    frame, schema = labelled()
    Csv().write(frame, schema, str(tmp_path / "survey.csv"))
    after = ammg.read(tmp_path / "survey.csv")
    assert described_facts(after.schema) == described_facts(schema)
    assert "role" not in (tmp_path / "survey.codebook.yaml").read_text()


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(tmp_path: Path, separator: str) -> None:
    source = write(tmp_path / "a.txt", f'"x;,y"{separator}z\n1{separator}2\n')
    assert ammg.read(source).table.rows() == [(1, 2)]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_found(tmp_path: Path, encoding: str) -> None:
    source = write(tmp_path / "a.csv", "näme,x\nZoë,1\n", encoding)
    assert ammg.read(source).table.to_dict(as_series=False) == {"näme": ["Zoë"], "x": [1]}


def test_a_given_encoding_is_used(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv", "name\nŽižek\n", "cp1250")
    assert ammg.read(source, encoding="cp1250").table["name"].to_list() == ["Žižek"]


def test_decimal_commas_are_found_between_semicolons(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv", "x;y\n1,5;a,b\n-2;c\n")
    assert ammg.read(source).table.rows() == [(1.5, "a,b"), (-2.0, "c")]


def test_given_missing_codes_are_missing(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv", 'x,y\n-9,a\n3,-9\n4,"-9"\n')
    assert ammg.read(source, missing=["-9"]).table.rows() == [(None, "a"), (3, None), (4, "-9")]


def test_missing_words_are_found_among_numbers_and_left_among_texts(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv", "x,y,z\n1,?,.\n?,b,2.5\n")
    assert ammg.read(source).table.rows() == [(1, "?", None), (None, "b", 2.5)]


@pytest.mark.parametrize("text", ["007", "+31201234567", "12345678901234567890123", "01/02/03", "1.234,5", "00.5"])
def test_texts_that_a_number_would_not_give_back_stay_text(tmp_path: Path, text: str) -> None:
    source = write(tmp_path / "a.csv", f'x\n"{text}"\n"12"\n')
    assert ammg.read(source).table["x"].to_list() == [text, "12"]


def test_a_leading_zero_in_the_last_of_many_records_keeps_the_column_text(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv", "zip\n" + "1000\n" * 20_000 + "0999\n")
    assert ammg.read(source).table["zip"][-1] == "0999"


def test_iso_dates_and_moments_are_found(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv", "d,t,z\n2024-02-29,2024-02-29 12:30:00,2024-02-29T12:30:00+02:00\n")
    types = ammg.read(source).table.dtypes
    assert types == [pl.Date, pl.Datetime("us"), pl.Datetime("us", "UTC")]


def test_commas_inside_quoted_names_do_not_shift_columns() -> None:
    if not DATA.exists():
        pytest.skip("the reference data are not beside the repository")
    table = ammg.read(DATA / "EIA.csv").table
    assert table.shape == (4092, 15)
    assert table["YEAR"].unique().to_list() == [96]


def test_ten_thousand_columns_read_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({f"c{i}": [i, None] for i in range(10_000)})
    Csv().write(frame, schema_of(frame), str(tmp_path / "wide.csv"))
    assert ammg.read(tmp_path / "wide.csv").table.equals(frame)


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        (b"", {}, "is empty"),
        (b"a,b\n", {}, "no records"),
        (b"\na,b\n1,2\n", {}, "starts with an empty line"),
        (b"a,b", {}, "has a header but no records"),
        (b"a,b\n1,2\n3\n", {}, r"Row 3 of '.*' has 1 fields, but the header \(row 1\) has 2"),
        (b"a,b\n1,2\n3,4,5\n", {}, r"Row 3 of '.*' has 3 fields, but the header \(row 1\) has 2"),
        (b'a,b\n1,2\n3,"4\n5,6\n7,8\n', {}, "has an opening quote without a closing one"),
        (b"PK\0\1\n", {}, "is not text"),
        (b"a,b\n1,2\n", {"separator": ";;"}, "Option 'separator' of Csv: it is one character"),
        (b"a,b\n1,2\n", {"separator": ""}, "Option 'separator' of Csv: it is one character"),
        (b"a,b\n1,2\n", {"separator": "\u00a7"}, "Option 'separator' of Csv: it is one character"),
        (b"a,b\n1,2\n", {"quote": "''"}, "Option 'quote' of Csv: it is one character"),
        (b"a,b\n1,2\n", {"decimal": "x"}, "Option 'decimal' of Csv: input should be '.' or ','"),
        (b"a,b\n1,2\n", {"encoding": "base64"}, "Unknown encoding 'base64'"),
        (b"a,b\n1,2\n", {"encoding": "utf-16"}, "not utf-16: give its encoding"),
        (b"a,b,a\n1,2,3\n", {}, "two columns called 'a'"),
        (b"a\n1\n", {"encoding": "utf-9"}, "Unknown encoding 'utf-9'"),
        (b"a\n\xff\xfe\xfd\n", {"encoding": "utf-8"}, "not utf-8"),
        (b"a\n1\n", {"separatr": ";"}, "Did you mean 'separator'"),
        (b"a\n1\n", {"missing": 5}, "Option 'missing' of Csv"),
    ],
)
def test_bad_input_is_refused_in_one_sentence(tmp_path: Path, content: bytes, options: dict, message: str) -> None:
    (tmp_path / "a.csv").write_bytes(content)
    with pytest.raises(InputError, match=message):
        ammg.read(tmp_path / "a.csv", **options)


def test_a_line_break_and_a_quote_in_the_last_record_are_fine(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv", 'a,b\n5" pipe,"x\ny"\n1,"say ""x""\n"\n')
    assert ammg.read(source, encoding="utf-8").table["b"].to_list() == ["x\ny", 'say "x"\n']


def test_a_field_of_five_gigabytes_is_refused(tmp_path: Path) -> None:
    with (tmp_path / "a.csv").open("wb") as file:
        file.write(b'a,b\n1,"')
        file.truncate(5 * 10**9)  # a sparse file: it takes no room
    with pytest.raises(InputError, match=f"longer than the limit of {FIELD_LIMIT // 2**20} MB"):
        ammg.read(tmp_path / "a.csv", encoding="utf-8")


def test_a_codebook_that_does_not_fit_is_named(tmp_path: Path) -> None:
    source = write(tmp_path / "a.csv", "x\n300\n")
    write(tmp_path / "a.codebook.yaml", "variables: [{name: x, type: int8}]")
    with pytest.raises(InputError, match=r"'x' does not fit its codebook, which says int8.*a\.codebook\.yaml"):
        ammg.read(source)


def test_a_missing_file_is_named() -> None:
    with pytest.raises(InputError, match=r"nowhere\.csv' does not exist"):
        ammg.read("nowhere.csv")


def test_a_folder_that_does_not_exist_is_named(tmp_path: Path) -> None:
    frame, schema = labelled()
    with pytest.raises(InputError, match="does not exist"):
        Csv().write(frame, schema, str(tmp_path / "no" / "a.csv"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["=1+1", "+x", "-x", "@x", "\tx"])
def test_a_column_named_like_a_formula_is_pointed_out(tmp_path: Path, name: str) -> None:
    frame = pl.DataFrame({"a": [1], name: [2]})
    with pytest.warns(DataWarning, match="looks like a formula, which spreadsheets may run"):
        Csv().write(frame, ammg.Microdata(frame).schema, str(tmp_path / "a.csv"))
    assert list(ammg.read(tmp_path / "a.csv").columns) == ["a", name]
