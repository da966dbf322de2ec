"""Claude Code itself, in print mode, with its tools."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.apps.programs import CLAUDE, run
from tests.apps.scripted_server import MODEL, TASK, Call, scripted_server


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"MAX_THINKING_TOKENS": "0"},
        {"ENABLE_TOOL_SEARCH": "true"},
        {"ENABLE_PROMPT_CACHING_1H": "1"},
    ],
)
def test_it_reads_a_file_by_its_tool(tmp_path: Path, settings: Mapping[str, str]) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("The word is marmalade.\n")
    with scripted_server(Call("Read", {"file_path": str(secret)})) as server:
        said = run(
            CLAUDE,
            tmp_path,
            tmp_path,
            *("--model", MODEL, "-p", TASK),
            ANTHROPIC_BASE_URL=server.url,
            ANTHROPIC_AUTH_TOKEN="none",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
            **settings,
        )
    assert "marmalade" in said
    assert not server.refused
    assert len(server.engine.requests) >= 2
