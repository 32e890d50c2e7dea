"""Requests that the OpenAPI document describes, and some that it does not: every answer is one that it describes."""

import warnings
from contextlib import suppress
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from world import World

from ammg.store.store import Store
from ammg.web.app import create_app

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # of packages that schemathesis loads
    import schemathesis
    from schemathesis import GenerationMode
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi.checks import (
        content_type_conformance,
        response_headers_conformance,
        response_schema_conformance,
        status_code_conformance,
    )

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
DOCUMENT = create_app(cast("Store", None)).openapi()
OPERATIONS = [found.ok() for found in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations()]
FEW = settings(
    max_examples=3,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)
MANY = settings(FEW, max_examples=20)


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_answer_is_one_that_the_schema_describes(operation: Any, world: World) -> None:
    _check(operation, world, FEW)


@pytest.mark.proof
@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.label)
def test_every_answer_to_many_requests_is_one_that_the_schema_describes(operation: Any, world: World) -> None:
    _check(operation, world, MANY)


def _check(operation: Any, world: World, effort: settings) -> None:
    world.sign_in()
    admins = ("/users", "/invitations", "/connections", "/audit")
    person = world.boss if operation.path.removeprefix("/api/v1").startswith(admins) else world.owner
    origin = world.api.removesuffix("/api/v1")

    def answered(case: Any, ids: dict[str, str]) -> None:
        case.path_parameters = {**case.path_parameters, **ids}
        headers = {"Origin": origin}
        answer = case.call(base_url=origin, headers=headers, cookies=dict(person.cookies), timeout=60)
        case.validate_response(answer, checks=CHECKS)

    for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):

        @effort
        @given(case=operation.as_strategy(generation_mode=mode))
        def requests(case: Any) -> None:
            answered(case, {})
            # Ids of what is there get a request past the first door.
            if known := {name: world.ids[name] for name in case.path_parameters if name in world.ids}:
                answered(case, known)

        with suppress(Unsatisfiable):  # nothing can be wrong where nothing is asked
            requests()
