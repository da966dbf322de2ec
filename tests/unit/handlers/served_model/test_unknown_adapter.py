"""Every contract names the field that asks for an adapter that is not loaded, or for what an engine lacks."""

from collections.abc import Callable
from functools import partial

import pytest

from engine.port.errors import NotCapable, UnknownAdapter
from handlers.contracts.aleph_alpha.errors import to_problem as aleph_alpha
from handlers.contracts.anthropic.errors import to_problem as anthropic
from handlers.contracts.hf.operations import to_problem as hf
from handlers.contracts.mindie.errors import to_problem as mindie
from handlers.contracts.openai.errors import to_problem as openai
from handlers.contracts.tgi.errors import to_problem as tgi
from handlers.contracts.tokens.errors import to_problem as tokens
from handlers.contracts.triton.errors import to_problem as triton
from verbatim_kit.runtime.problem import Problem


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
        (tokens, 404, "model"),
    ],
)
def test_an_adapter_that_is_not_loaded_is_told_by_its_field_and_name(
    to_problem: Callable[[Exception], Problem], status: int, field: str
) -> None:
    problem = to_problem(UnknownAdapter("sonnets"))
    assert (problem.status, problem.field) == (status, field)
    assert "sonnets" in problem.message


@pytest.mark.parametrize(
    ("to_problem", "status", "parameter", "field"),
    [
        (partial(openai, prompt_field="prompt"), 400, "beams", "use_beam_search"),
        (partial(openai, prompt_field="prompt"), 400, "typical_p", "typical_p"),
        (anthropic, 400, "priority", "priority"),
        (aleph_alpha, 400, "priority", "nice"),
        (tgi, 422, "watermark", "watermark"),
        (hf, 400, "typical_p", "typical_p"),
        (mindie, 422, "beams", "use_beam_search"),
        (triton, 400, "beams", "beam_width"),
        (tokens, 400, "grammar", "structured_outputs"),
    ],
)
def test_what_the_engine_lacks_is_refused_by_the_contracts_own_field(
    to_problem: Callable[[Exception], Problem], status: int, parameter: str, field: str
) -> None:
    problem = to_problem(NotCapable(parameter))
    assert (problem.status, problem.field) == (status, field)
    assert f"`{field}` is not supported by the engine" in problem.message
