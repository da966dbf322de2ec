"""The table of llama.cpp's options (`llama-server`) that command lines have most often."""

from typing import Final

from handlers.settings.other_programs.argument import (
    COUNT,
    MAYBE,
    ON_OR_OFF,
    SWITCH,
    TEXT,
    Argument,
    NoEffect,
    Refused,
    Setting,
)

_BY_REQUESTS: Final = "requests have the same defaults with every model, and say what differs"
_ONE_DEVICE: Final = "the whole model is on one device, `--device`: a GPU if there is one"
_CACHE_TYPE: Final = "the KV cache has the data type of the model, which is more exact and takes more memory"
_MEMORY: Final = "how files are read is chosen here"

ARGUMENTS: Final = (
    Argument("model", TEXT, Setting("model", "a GGUF file, a directory, or a name on the hub"), also=("-m",)),
    Argument("hf_repo", TEXT, Setting("model", "`owner/repository:Q4_K_M`"), also=("-hf", "-hfr")),
    Argument("hf_file", TEXT, Refused("write `--model owner/repository:FILE`"), also=("-hff",)),
    Argument("hf_token", TEXT, Refused("set the variable `HF_TOKEN`"), also=("-hft",)),
    Argument("offline", SWITCH, Refused("set the variable `HF_HUB_OFFLINE=1`")),
    Argument("alias", TEXT, Setting("served_model_name"), also=("-a",)),
    Argument("host", TEXT, Setting("host")),
    Argument("port", COUNT, Setting("port")),
    Argument("api_key", TEXT, Setting("api_key", "one key; more by `--api-keys-file`")),
    Argument(
        "api_key_file", TEXT, Refused("use `--api-keys-file`, a TOML file that `verbatim keys new` writes")
    ),
    Argument("ssl_cert_file", TEXT, Setting("ssl_certfile")),
    Argument("ssl_key_file", TEXT, Setting("ssl_keyfile")),
    Argument(
        "ctx_size",
        COUNT,
        Setting("max_total_tokens", "of each request; llama.cpp may share it between slots", default=("0",)),
        also=("-c",),
    ),
    Argument("parallel", COUNT, Setting("max_batch_size", default=("-1",)), also=("-np",)),
    Argument("batch_size", COUNT, Setting("max_batch_prefill_tokens"), also=("-b",)),
    Argument("ubatch_size", COUNT, NoEffect("a step is computed whole, `--batch-size`"), also=("-ub",)),
    Argument("threads", COUNT, Setting("num_threads", default=("-1",)), also=("-t",)),
    Argument("threads_batch", TEXT, NoEffect("prompts have the threads of `--threads`"), also=("-tb",)),
    Argument("threads_http", TEXT, NoEffect("one event loop answers; see `--api-workers`")),
    Argument(
        "gpu_layers",
        TEXT,
        NoEffect(_ONE_DEVICE, same=("auto", "all", "99", "999")),
        also=("-ngl", "--n-gpu-layers"),
    ),
    Argument("split_mode", TEXT, NoEffect(_ONE_DEVICE, same=("none",)), also=("-sm",)),
    Argument("tensor_split", TEXT, NoEffect(_ONE_DEVICE), also=("-ts",)),
    Argument("main_gpu", TEXT, NoEffect("use `--device cuda:N`", same=("0",)), also=("-mg",)),
    Argument("flash_attn", MAYBE, NoEffect("the fastest attention is chosen", same=None), also=("-fa",)),
    Argument("cache_type_k", TEXT, NoEffect(_CACHE_TYPE, same=("f16", "bf16", "f32")), also=("-ctk",)),
    Argument("cache_type_v", TEXT, NoEffect(_CACHE_TYPE, same=("f16", "bf16", "f32")), also=("-ctv",)),
    Argument("mlock", SWITCH, NoEffect(_MEMORY)),
    Argument("mmap", ON_OR_OFF, NoEffect(_MEMORY)),
    Argument("numa", TEXT, NoEffect("start the server under `numactl`")),
    Argument(
        "cont_batching", ON_OR_OFF, NoEffect("batching is always continuous", same=(True,)), also=("-cb",)
    ),
    Argument("cache_prompt", ON_OR_OFF, Setting("prefix_caching")),
    Argument("context_shift", ON_OR_OFF, NoEffect("an answer ends where the context does", same=(False,))),
    Argument(
        "embeddings", SWITCH, NoEffect("embeddings are always served", same=None), also=("--embedding",)
    ),
    Argument("pooling", TEXT, Setting("pooling", "`mean` and `last`")),
    Argument("reranking", SWITCH, Refused("no contract here has it"), also=("--rerank",)),
    Argument("jinja", ON_OR_OFF, NoEffect("templates are always rendered by Jinja", same=(True,))),
    Argument("chat_template", TEXT, Setting("chat_template", "Jinja or a file; no names of templates")),
    Argument("chat_template_file", TEXT, Setting("chat_template")),
    Argument("reasoning_format", TEXT, NoEffect("see `--reasoning-field`", same=("auto", "deepseek"))),
    Argument("mmproj", TEXT, Refused("images need the model's own files (docs/media-models.md)")),
    Argument("lora", TEXT, Refused("use `--lora-adapters`, for files of PEFT")),
    Argument("model_draft", TEXT, Refused("use `--speculate ngram`, without a draft model"), also=("-md",)),
    Argument("n_predict", TEXT, Refused(_BY_REQUESTS, same=("-1",)), also=("-n", "--predict")),
    Argument("temperature", TEXT, Refused(_BY_REQUESTS), also=("--temp",)),
    Argument("top_k", TEXT, Refused(_BY_REQUESTS)),
    Argument("top_p", TEXT, Refused(_BY_REQUESTS)),
    Argument("min_p", TEXT, Refused(_BY_REQUESTS)),
    Argument("repeat_penalty", TEXT, Refused(_BY_REQUESTS)),
    Argument("api_prefix", TEXT, Refused("a proxy in front removes its prefix")),
    Argument("timeout", TEXT, NoEffect("use `--client-timeout` and `--keep-alive-timeout`"), also=("-to",)),
    Argument("metrics", SWITCH, NoEffect("`/metrics` is always served", same=None)),
    Argument("slots", ON_OR_OFF, NoEffect("there are no slots; `/metrics` has the queue")),
    Argument("webui", ON_OR_OFF, Setting("playground")),
    Argument("warmup", ON_OR_OFF, NoEffect("what is compiled is compiled at the start", same=(True,))),
    Argument("verbose", SWITCH, Refused("use `--log-level debug`"), also=("-v",)),
)
