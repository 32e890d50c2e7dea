import json
from pathlib import Path

import pytest
import sqlalchemy as sa
from team import Team, opened, patients

import ammg
from ammg import registry
from ammg.errors import Conflict, InputError, NotFound, TooLarge
from ammg.store import connections, data_sets, work
from ammg.store.models.projects import FileRow


@pytest.mark.parametrize(
    "name", ["../x.csv", "a/b.csv", ".csv", "x.exe", "x", "", "a\nb.csv", "x.zip", "x" * 200 + ".csv"]
)
def test_a_data_set_is_named_like_a_file_that_can_be_read(team: Team, name: str) -> None:
    with pytest.raises(InputError):
        data_sets.begin_upload(team.store, team.owner, team.project.id, name)


WRITTEN = (".csv", ".parquet", ".arrow", ".sav", ".dta", ".xpt", ".xlsx", ".fwf")


def test_every_format_is_read_with_the_codebook_that_was_uploaded_beside_it(team: Team, tmp_path: Path) -> None:
    for ending in WRITTEN:
        stem = f"people{ending[1:]}"
        data = ammg.Microdata(ammg.datasets.patients())
        registry.format_for(f"x{ending}").write(data.table, data.schema, str(tmp_path / f"{stem}{ending}"))
        for path in sorted(tmp_path.glob(f"{stem}.*"), reverse=True):
            team.upload(path.name, path.read_bytes())
    # A layout has to be there before the file that it describes is read.
    team.work_off()
    found = data_sets.list_data_sets(team.store, team.owner, team.project.id)
    data = [one for one in found if one.name.endswith(WRITTEN)]
    assert {one.name: (one.state, one.reason) for one in data} == {one.name: ("ready", "") for one in data}
    assert [one.records for one in data] == [10] * len(WRITTEN)


def test_an_upload_beyond_the_limit_keeps_nothing(tmp_path: Path) -> None:
    team = Team.of(opened(tmp_path, upload_bytes=1000))
    with pytest.raises(TooLarge):
        data_sets.begin_upload(team.store, team.owner, team.project.id, "x.csv", size=1001)
    with data_sets.begin_upload(team.store, team.owner, team.project.id, "x.csv") as upload:
        upload.write(bytes(1000))
        with pytest.raises(TooLarge):
            upload.write(b"1")
    assert not [path for path in (tmp_path / "data" / "files").rglob("*") if path.is_file()]
    team.store.close()


def test_an_upload_that_is_empty_or_broken_off_keeps_nothing(team: Team) -> None:
    with data_sets.begin_upload(team.store, team.owner, team.project.id, "x.csv") as upload:
        upload.write(b"half")
    with (
        data_sets.begin_upload(team.store, team.owner, team.project.id, "x.csv") as upload,
        pytest.raises(InputError, match="empty"),
    ):
        upload.finish()
    assert data_sets.list_data_sets(team.store, team.owner, team.project.id) == ()
    assert not list(team.store.files.ids())


def test_of_two_uploads_of_one_name_the_second_is_asked_for_another(team: Team) -> None:
    first = data_sets.begin_upload(team.store, team.owner, team.project.id, "x.csv")
    second = data_sets.begin_upload(team.store, team.analyst, team.project.id, "X.csv")
    first.write(b"a\n1\n")
    second.write(b"a\n2\n")
    first.finish()
    with pytest.raises(Conflict, match="choose another name"):
        second.finish()
    assert len(list(team.store.files.ids())) == 1


def test_a_removed_original_is_gone_and_its_name_is_free(team: Team) -> None:
    data_set = team.upload("patients.csv", patients())
    with pytest.raises(Conflict, match="unfinished jobs"):
        data_sets.remove_data_set(team.store, team.owner, team.project.id, data_set.id)
    team.work_off()
    data_sets.remove_data_set(team.store, team.owner, team.project.id, data_set.id)
    assert not list(team.store.files.ids())
    with team.store.reading() as session:
        assert session.scalars(sa.select(FileRow)).all() == []
    with pytest.raises(NotFound):
        data_sets.read_data_set(team.store, team.owner, team.project.id, data_set.id)
    team.upload("patients.csv", patients())


def test_only_the_owner_sees_single_values_in_an_analysis(team: Team) -> None:
    data_set = team.upload("patients.csv", patients())
    team.work_off()
    seen = {
        who: json.dumps(data_sets.analysis(team.store, getattr(team, who), team.project.id, data_set.id))
        for who in ("owner", "analyst")
    }
    names = [line.split(",")[0] for line in patients().decode().splitlines()[1:]]
    assert "67000" in seen["owner"] or "90000" in seen["owner"]
    assert [value for value in (*names, "67000", "90000", "55") if f'"{value}"' in seen["analyst"]] == []
    assert '"role": "identifier"' in seen["analyst"]


def test_a_table_comes_in_through_a_connection_and_nobody_types_a_url(team: Team, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/hospital.db"
    with sa.create_engine(url).begin() as connection:
        connection.exec_driver_sql("CREATE TABLE stays (patient TEXT, days INTEGER)")
        connection.exec_driver_sql("INSERT INTO stays VALUES ('Winterbottom', 3), ('Higginbotham', 5)")
    defined = connections.define_connection(team.store, team.administrator, "Hospital", url)
    assert connections.list_connections(team.store, team.analyst)[0].url is None
    connections.try_connection(team.store, team.administrator, defined.id)
    project = team.project.id
    job = data_sets.import_table(team.store, team.analyst, project, defined.id, "stays", "stays.parquet")
    missing = data_sets.import_table(team.store, team.analyst, project, defined.id, "nothing", "none.parquet")
    team.work_off()
    assert work.get_job(team.store, team.owner, job.id).state == "finished"
    found = {one.name: one for one in data_sets.list_data_sets(team.store, team.owner, project)}
    assert (found["stays.parquet"].state, found["stays.parquet"].records) == ("ready", 2)
    assert work.get_job(team.store, team.owner, missing.id).state == "failed"
    assert "not found" in found["none.parquet"].reason
    with pytest.raises(NotFound):
        data_sets.import_table(team.store, team.owner, project, "nothing", "stays", "again.parquet")


@pytest.mark.parametrize(
    "url", ["", "x", "sqlite:///here.db", "oracle://x/y", "postgresql://x", "sqlite:////x.db?table=t"]
)
def test_a_connection_names_a_database_and_no_table(team: Team, url: str) -> None:
    with pytest.raises(InputError):
        connections.define_connection(team.store, team.administrator, "New", url)


def test_the_password_of_a_connection_is_shown_to_nobody(team: Team) -> None:
    url = "postgresql://user:hunter2hunter2@127.0.0.1:1/db"
    defined = connections.define_connection(team.store, team.administrator, "Far", url)
    assert "hunter2" not in str(connections.list_connections(team.store, team.administrator))
    with pytest.raises(InputError) as refused:
        connections.try_connection(team.store, team.administrator, defined.id)
    assert "hunter2" not in str(refused.value)
    kept = b"".join(path.read_bytes() for path in team.store.settings.data.glob("ammg.sqlite*"))
    assert b"hunter2" not in kept
