"""Every contract answers a request for an adapter that is not loaded by the field that asks for it."""

from collections.abc import Callable
from functools import partial

import pytest

from engine.errors import UnknownAdapter
from handlers.aleph_alpha.errors import to_problem as aleph_alpha
from handlers.anthropic.errors import to_problem as anthropic
from handlers.hf.errors import to_problem as hf
from handlers.mindie.errors import to_problem as mindie
from handlers.openai.errors import to_problem as openai
from handlers.runtime.problem import Problem
from handlers.tgi.errors import to_problem as tgi
from handlers.triton.errors import to_problem as triton


@pytest.mark.parametrize(
    ("to_problem", "status", "field"),
    [
        (partial(openai, prompt_field="prompt"), 404, "model"),
        (anthropic, 404, "model"),
        (aleph_alpha, 404, "model"),
        (tgi, 422, "adapter_id"),
        (hf, 400, "model"),
        (mindie, 422, "model"),
        (triton, 400, "model_name"),
    ],
)
def test_an_adapter_that_is_not_loaded_is_told_by_its_field_and_name(
    to_problem: Callable[[Exception], Problem], status: int, field: str
) -> None:
    problem = to_problem(UnknownAdapter("sonnets"))
    assert (problem.status, problem.field) == (status, field)
    assert "sonnets" in problem.message
