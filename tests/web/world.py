"""A project that went all the way: data, version, masked file, evaluation, report, review, release."""

from dataclasses import dataclass, field

from served import Person, administrator, invited
from team import patients

from ammg.store.store import Store

PROJECT = {
    "source": "patients.csv",
    "roles": {"Name": "identifier", "SSN": "identifier", "Age": "key", "State": "key"},
    "methods": [{"univariate_microaggregation": {"columns": ["Age"], "k": 2}}, {"sampling": {"fraction": 0.8}}],
    "measures": ["frequency", "il1s"],
    "limits": {"frequency": 1.0},
    "search": {"loss": "il1s", "steps": 1, "methods": ["additive_noise"]},  # sampling might leave nobody
}


@dataclass
class World:
    """The people, and the ids of what they made."""

    store: Store
    api: str
    boss: Person
    owner: Person
    analyst: Person
    reviewer: Person
    other: Person
    ids: dict[str, str] = field(default_factory=dict)

    @property
    def people(self) -> dict[str, Person]:
        names = ("boss", "owner", "analyst", "reviewer", "other")
        return {name: getattr(self, name) for name in names}

    def sign_in(self) -> None:
        """Everybody as themselves, whatever happened to their sessions."""
        for name, person in self.people.items():
            own = {"boss": "admin"}.get(name, name)
            if person.get("/session").json().get("name") != own:
                person.signed_in(own)
            if person is self.boss and "user_id" in self.ids:  # a request may have shut the analyst out
                self.boss.put(f"/users/{self.ids['user_id']}/active", json={"value": True})
                self.boss.put(f"/users/{self.ids['user_id']}/administrator", json={"value": False})

    def project(self, name: str) -> str:
        """A new project with the same members."""
        made = self.owner.made("/projects", name=name)["id"]
        for role in ("analyst", "reviewer"):
            answer = self.owner.put(f"/projects/{made}/members", json={"name": role, "role": role})
            assert answer.status_code == 200, answer.text
        return str(made)

    def masked(self, project: str, name: str) -> str:
        """A masked file of the current version."""
        job = self.owner.made(f"/projects/{project}/masked-files", name=name, force="A test.")
        return str(self.owner.finished(job["id"])["result"]["masked_file_id"])

    def submitted(self, project: str, masked_file: str) -> str:
        """A review of a masked file."""
        made = self.owner.made(f"/projects/{project}/reviews", masked_file_id=masked_file, reason="A test.")
        return str(made["id"])


def made_world(store: Store, api: str) -> World:
    boss = administrator(store, api)
    everybody = {name: invited(boss, name) for name in ("owner", "analyst", "reviewer", "other")}
    world = World(store, api, boss, **everybody)
    ids, owner = world.ids, world.owner
    ids["project_id"] = project = world.project("Patients")
    ids["data_set_id"] = owner.uploaded(project, "patients.csv", patients())["id"]
    owner.made(f"/projects/{project}/versions", document=PROJECT)
    ids["number"], ids["part"], ids["family"], ids["name"] = "1", "masked", "formats", "csv"
    ids["masked_file_id"] = world.masked(project, "public.csv")
    file = owner.got(f"/projects/{project}/masked-files/{ids['masked_file_id']}")
    ids["evaluation_id"], ids["job_id"] = file["evaluation_id"], file["job_id"]
    report = owner.made(f"/projects/{project}/reports", masked_file_id=file["id"], kind="public")["id"]
    ids["report_id"] = owner.finished(report)["result"]["report_id"]
    search = owner.made(f"/projects/{project}/searches", trials=1)["id"]
    ids["search_id"] = owner.finished(search)["result"]["search_id"]
    ids["review_id"] = world.submitted(project, file["id"])
    world.reviewer.made(f"/projects/{project}/reviews/{ids['review_id']}/approve", reason="A test.")
    release = owner.made(f"/projects/{project}/releases", review_id=ids["review_id"])["id"]
    ids["release_id"] = owner.finished(release)["result"]["release_id"]
    ids["user_id"] = world.analyst.got("/session")["id"]
    return world
