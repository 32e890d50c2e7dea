"""A team that has done the paper's example, served over HTTP."""

from collections.abc import Iterator

import pytest
from world import World, made_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Everything that a project can have, made for one file of tests: what they change, no other file meets."""
    from served import serving
    from team import opened

    store = opened(tmp_path_factory.mktemp("server"), failures_of_account=10**6, failures_of_address=10**6)
    with serving(store) as api:
        yield made_world(store, api)
    store.close()
