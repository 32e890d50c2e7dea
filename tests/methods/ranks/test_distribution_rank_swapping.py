import ammg


def test_the_window_of_a_description_holds_nearly_everybody_and_betrays_most(census_data: ammg.Microdata) -> None:
    pair = ammg.Pipeline([ammg.DistributionRankSwapping(p=10)]).run(census_data, 1).pair
    found = ammg.evaluate(pair, ["rank_window_linkage"], before=False)["rank_window_linkage"]
    assert found.facts["holds_truth"] > 0.99
    assert found.value > 0.95
