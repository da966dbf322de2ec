"""The table that is printed at the start says what is served, and where."""

import msgspec
import pytest

from engine.port.info.capabilities import Capabilities
from engine.port.info.kernels import Kernel, Obstacle, kernel, kernel_of_layers
from handlers.composition import CONTRACTS
from handlers.serving.start_up_table import start_up_table
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.transcription.infos import INFO


def test_the_start_shows_model_device_cache_and_where_each_contract_stands() -> None:
    settings = Settings(root=("openai", "tgi"))
    lines = start_up_table(settings, ScriptedEngine(says("a")).model_info).splitlines()
    assert lines[0].split(maxsplit=1) == ["model", "verbatim-demo (Scripted, 0.0M parameters)"]
    assert lines[1].split(maxsplit=1) == ["device", "cpu, float32"]
    assert lines[2].split(maxsplit=1) == [
        "cache",
        "128 tokens (0 MiB), at most 200 for one request, 4 sequences at once",
    ]
    assert lines[-5:-1] == [
        "  contracts openai, tgi at /",
        "            openai, tgi, hf, triton, aleph_alpha, mindie, anthropic, tokens,",
        "            systemone, open_responses, each under its name, as /openai",
        "            `verbatim contracts` lists the paths",
    ]


def test_the_start_shows_that_tokens_are_drafted() -> None:
    info = ScriptedEngine(says("a")).model_info
    shown = "drafts    up to 5 tokens a step, from a sequence's own text (ngram)"
    lines = start_up_table(Settings(), msgspec.structs.replace(info, max_draft_tokens=5)).splitlines()
    assert lines[3].strip() == shown
    lines = start_up_table(Settings(), info).splitlines()
    assert not any(line.strip().startswith("drafts") for line in lines)


def test_the_start_shows_the_memory_of_recurrent_states() -> None:
    info = ScriptedEngine(says("a")).model_info
    hybrid = msgspec.structs.replace(info, num_state_slots=20, state_bytes=3 * 2**20)
    shown = "state     20 recurrent states (3 MiB), 4 for sequences and the rest for the prefix cache"
    assert start_up_table(Settings(), hybrid).splitlines()[3].strip() == shown
    alone = msgspec.structs.replace(info, num_state_slots=4, state_bytes=2**20)
    shown = "state     4 recurrent states (1 MiB), one for each sequence"
    assert start_up_table(Settings(), alone).splitlines()[3].strip() == shown
    assert not any(line.strip().startswith("state") for line in start_up_table(Settings(), info).splitlines())


def test_the_start_shows_the_fallback_path_what_it_lacks_and_why() -> None:
    info = msgspec.structs.replace(ScriptedEngine(says("a")).model_info, paged_obstacle="it has no pages")
    assert start_up_table(Settings(), info).splitlines()[2].strip() == (
        "attention the model's own, on the fallback path: slower, one sequence at a time, without prefix "
        "cache and speculation, since it has no pages"
    )


def test_the_start_shows_transcription_in_place_of_chat() -> None:
    info = msgspec.structs.replace(ScriptedEngine(says("a")).model_info, speech=INFO)
    lines = start_up_table(Settings(), info).splitlines()
    assert (
        "  serves    transcription of 1 languages, and into English, 3 s at once, without times of words; no "
        "chat, no completions"
    ) in lines
    assert not any(line.startswith("  chat ") for line in lines)


def test_the_start_shows_weights_of_another_type() -> None:
    info = msgspec.structs.replace(ScriptedEngine(says("a")).model_info, linear_dtype="float16")
    device = start_up_table(Settings(), info).splitlines()[1].split(maxsplit=1)
    assert device == ["device", "cpu, float32 with linear weights of float16"]


@pytest.mark.parametrize(("products", "shown"), [("pairs", "in pairs"), ("widened", "as float32")])
def test_the_start_shows_how_bfloat16_is_multiplied(products: str, shown: str) -> None:
    info = ScriptedEngine(says("a")).model_info
    chosen = msgspec.structs.replace(info, dtype="bfloat16", bfloat16_products=products)
    device = start_up_table(Settings(), chosen).splitlines()[1].split(maxsplit=1)
    assert device == ["device", f"cpu, bfloat16 multiplied {shown}"]


def native_lines(*kernels: Kernel) -> list[str]:
    info = msgspec.structs.replace(ScriptedEngine(says("a")).model_info, kernels=kernels)
    lines = start_up_table(Settings(), info).splitlines()
    words = [line.split()[0] for line in lines]
    return [line.strip() for line in lines[3 : words.index("chat")]]


def test_the_start_shows_in_one_line_that_all_compiled_code_is_in_use() -> None:
    kernels = kernel("decode_attention", None), kernel_of_layers("layer_fusion", 3, 3, None)
    assert native_lines(*kernels) == ["native    all of it: decode attention, layer fusion (3 of 3 layers)"]
    assert native_lines() == [], "an engine that has none says nothing of it"


def test_the_start_shows_which_compiled_code_is_not_in_use_and_why() -> None:
    without_bf16, unlike = Obstacle("needs avx512_bf16"), Obstacle("others are not like Llama's")
    assert native_lines(
        kernel("decode_attention", None),
        kernel("chunk_attention", without_bf16),
        kernel("linear", without_bf16),
        kernel_of_layers("layer_fusion", 2, 3, unlike),
    ) == [
        "native    decode attention, layer fusion (2 of 3 layers)",
        "without chunk attention, linear: needs avx512_bf16",
        "without the rest of layer fusion: others are not like Llama's",
    ]
    assert native_lines(kernel("ranking", Obstacle("no compiler", is_lack=True))) == [
        "native    none; torch computes everything",
        "without ranking: no compiler",
    ]


@pytest.mark.parametrize(
    ("root", "shown"),
    [
        ((), "none at /"),
        (Settings().root, "openai, tgi, triton, aleph_alpha, anthropic, tokens, systemone at /"),
        (tuple(CONTRACTS), f"{', '.join(CONTRACTS)} at /"),
    ],
)
def test_the_start_shows_the_contracts_at_the_root_within_80_columns(
    root: tuple[str, ...], shown: str
) -> None:
    lines = start_up_table(Settings(root=root), ScriptedEngine(says("a")).model_info).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("  contracts "))
    assert " ".join(" ".join(lines[first:]).split()).startswith(f"contracts {shown}")
    assert lines[-1].startswith("  pages") and max(map(len, lines[first:])) <= 80


@pytest.mark.parametrize(
    ("host", "key", "is_warned"),
    [("127.0.0.1", None, False), ("localhost", None, False), ("0.0.0.0", None, True), ("::", None, True)]
    + [("0.0.0.0", "key", False)],
)
def test_a_server_that_anyone_may_use_says_so_at_its_start(
    host: str, key: str | None, is_warned: bool
) -> None:
    info = ScriptedEngine(says("a")).model_info
    lines = start_up_table(Settings(host=host, api_key=key), info).splitlines()
    assert any(line.split()[0] == "warning" and host in line for line in lines) == is_warned


def test_an_engine_over_servers_is_described_with_what_it_refuses() -> None:
    settings = Settings(engine="vllm", engine_url=("http://a:1", "http://b:2"), dtype="float32")
    info = ScriptedEngine(says("a")).model_info
    lines = start_up_table(settings, info, Capabilities(beams=False, typical_p=False)).splitlines()
    assert "  engine    vllm at http://a:1, http://b:2" in lines
    assert "  refused   typical_p, beams" in lines
    assert not any(line.split()[0] in ("device", "cache") for line in lines)


def test_the_start_shows_no_password_of_an_engines_url() -> None:
    settings = Settings(engine="vllm", engine_url=("http://me:p%40ss@gpu:8000/base/", "http://b:2"))
    shown = start_up_table(settings, ScriptedEngine(says("a")).model_info)
    assert "  engine    vllm at http://gpu:8000/base, http://b:2\n" in shown
