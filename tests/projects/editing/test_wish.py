"""What a person wants of a search goes into a document and comes out of it again."""

from ammg.data.attribute import Attribute, Kind
from ammg.data.schema import Schema
from ammg.projects.draft import Draft
from ammg.projects.editing.wish import Wish, WishedLimit, problems_of_wish, wish_of, with_wish

SCHEMA = Schema((Attribute(name="age", kind=Kind.INTEGER), Attribute(name="income", kind=Kind.CONTINUOUS)))
DOCUMENT = {"source": "a.csv", "thresholds": {"distance_linkage": 0.1}, "search": {"records": 500}, "methods": []}


def test_a_wish_comes_back_from_the_document_that_holds_it() -> None:
    wish = Wish(
        mode="public",
        limits=(WishedLimit("k_anonymity", 0, {"k": 5}), WishedLimit("distance_linkage", 0.25)),
        minimise="cell_loss",
        survive=("mean income within 2 %",),
        untouched=("age",),
        trials=20,
        steps=2,
    )
    document = with_wish(DOCUMENT, wish)
    assert wish_of(document) == wish
    assert "thresholds" not in document
    assert document["search"] == {"records": 500, "trials": 20, "steps": 2}
    assert Draft.parse(document).problems == ()
    assert wish_of(DOCUMENT).limits == (WishedLimit("distance_linkage", 0.1),)
    assert wish_of({"source": "a.csv"}) == Wish()


def test_a_loss_with_parameters_stays_as_it_was_written() -> None:
    goal = {"minimise": {"overall_loss": {"power": 2}}, "mode": "contract"}
    assert with_wish({"goal": goal}, wish_of({"goal": goal}))["goal"] == goal


def test_what_is_wrong_is_told_by_question() -> None:
    assert problems_of_wish(Wish(mode="public"), SCHEMA) == {}
    assert "at least one risk" in problems_of_wish(Wish(), SCHEMA)["limits"]
    assert "at least one risk" in problems_of_wish(Wish(limits=(WishedLimit("cell_loss", 0.1),)), SCHEMA)["limits"]
    assert "not an access mode" in problems_of_wish(Wish(mode="publik"), SCHEMA)["mode"]
    for limit, said in (
        (WishedLimit(), "choose a measure"),
        (WishedLimit("k_anonymity", "low"), "it is 'low'"),
        (WishedLimit("k_anonymity", 0, {"k": 0}), "k should be"),
        (WishedLimit("k_anonimity", 0), "Did you mean"),
    ):
        assert said in problems_of_wish(Wish(mode="public", limits=(limit,)), SCHEMA)["limits"]
    for sentence in ("mean incom within 2 %", "mean income", "mean income where agee > 3 within 2 %"):
        assert problems_of_wish(Wish(mode="public", survive=(sentence,)), SCHEMA)["survive"]
    for trials in (0, "many", 10**6):
        assert list(problems_of_wish(Wish(mode="public", trials=trials), SCHEMA)) == ["trials"]
