"""`verbatim check` says whether a model would be served, in a table or as JSON, and by its exit status."""

import asyncio
import json
from pathlib import Path

import pytest

from engine.async_engine import AsyncEngine
from engine.demo_model import DEMO_MODEL
from handlers.chat.summary import chat_summary
from handlers.cli import main
from handlers.engine_starter import engine_config
from handlers.serving.model_table import model_lines
from handlers.settings.settings import Settings
from tests.support.tiny_models.media import save_tiny_media_model
from tests.support.tiny_models.text import save_tiny_model

_CACHE = ("--max-batch-total-tokens", "1024")


def test_the_table_is_the_one_that_the_server_shows_at_its_start(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", *_CACHE]) == 0
    shown = capsys.readouterr().out.splitlines()
    settings = Settings(max_batch_total_tokens=1024)

    async def lines_of_the_start() -> list[str]:
        engine = await AsyncEngine.start(engine_config(settings))
        try:
            chat = chat_summary(engine.tokenizer, chat_template=None, tool_format=None)
            return model_lines(settings.model_name, engine.model_info, chat)
        finally:
            await engine.stop()

    # Only a start tries compiled code on the weights, so these lines may differ.
    at_start = [
        line for line in asyncio.run(lines_of_the_start()) if not line.startswith(("  native", "   "))
    ]
    assert [line for line in shown if line in at_start] == at_start
    assert (
        "  chat      tool calls as hermes, tools described by its template; thoughts between <think> and "
        "</think>" in shown
    )
    assert shown[-1] == "  verdict   will serve verbatim-demo"


def test_the_table_says_which_files_are_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    save_tiny_media_model(tmp_path, "qwen2_5_vl")
    assert main(["check", "--dtype", "float32", "--model", str(tmp_path), *_CACHE]) == 0
    assert "  reads     text, images and videos" in capsys.readouterr().out.splitlines()
    (tmp_path / "processor_config.json").write_text('{"processor_class": "NoProcessor"}')
    assert main(["check", "--dtype", "float32", "--model", str(tmp_path), *_CACHE]) == 0
    shown = capsys.readouterr().out
    assert "  reads " not in shown and "  note      images and videos cannot be read: " in shown


def test_json_has_all_that_the_table_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "--json", "--model", str(DEMO_MODEL), *_CACHE]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["will_serve"] is True and found["refusal"] is None
    assert found["model"]["num_blocks"] * found["model"]["block_size"] == 1024
    assert found["model"]["architecture"] == "Qwen3ForCausalLM"
    assert found["chat"] == {
        "tool_format": "hermes",
        "shows_tools": True,
        "reasoning": "between <think> and </think>",
        "can_remember_tokens": True,
        "ends": [],
    }


def test_a_model_that_would_be_refused_gives_the_reason_and_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_tiny_model(tmp_path)
    (tmp_path / "model.safetensors").write_bytes(b"")
    assert main(["check", str(tmp_path)]) == 1
    line = capsys.readouterr().out.strip()
    assert line.startswith("verdict   will not serve") and "no whole safetensors file" in line
    assert main(["check", "--json", str(tmp_path)]) == 1
    found = json.loads(capsys.readouterr().out)
    assert found["will_serve"] is False and "no whole safetensors file" in found["refusal"]


def test_a_chat_template_that_no_chat_can_use_is_refused_as_at_the_start(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    save_tiny_model(tmp_path)
    (tmp_path / "chat_template.jinja").write_text("{% for %}")
    assert main(["check", str(tmp_path), *_CACHE]) == 1
    assert "chat template" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize(
    "arguments", [["--engine", "vllm"], ["--max-total-tokens", "0"], ["--quantize", "int3"]]
)
def test_a_wrong_option_is_a_mistake_of_usage(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        raise SystemExit(main(["check", *arguments]))
    assert left.value.code == 2


def test_another_engine_is_not_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("VERBATIM_ENGINE", "vllm")
    monkeypatch.setenv("VERBATIM_ENGINE_URL", "http://127.0.0.1:1")
    assert main(["check"]) == 2
    assert "vllm loads its models itself" in capsys.readouterr().err
