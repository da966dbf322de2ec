"""The table of all arguments of TGI's launcher (3.3), in its order."""

from typing import Final

from handlers.settings.other_programs.argument import (
    COUNT,
    DECIMAL,
    PORT,
    SWITCH,
    TEXT,
    TEXTS,
    TRUE_OR_FALSE,
    WHOLE,
    Action,
    Argument,
    NoEffect,
    Refused,
    Setting,
    one_of,
)

_QUANTIZATIONS: Final = (
    "awq", "compressed-tensors", "eetq", "exl2", "gptq", "marlin",
    "bitsandbytes", "bitsandbytes-nf4", "bitsandbytes-fp4", "fp8",
)  # fmt: skip
_NO_SHARDS: Final = "one process runs the whole model, without shards"
_MIXED_STEPS: Final = "prompts are computed in chunks, in the same steps as the outputs of other requests"
_NO_TUNNEL: Final = "no tunnel to ngrok is opened; reach the server through a proxy of your own"

_ARGUMENTS: Final = (
    Argument("model_id", TEXT, Setting("model", "the embedded demo model by default, not BLOOM")),
    Argument("revision", TEXT, Setting("revision")),
    Argument("validation_workers", WHOLE, Setting("validation_workers")),
    Argument(
        "sharded", TRUE_OR_FALSE, Refused("the number of devices is that of `--num-shard`", same=(False,))
    ),
    Argument("num_shard", COUNT, Setting("tensor_parallel_size", "more than one device starts vLLM")),
    Argument(
        "quantize",
        one_of(*_QUANTIZATIONS),
        Setting("quantize", "a method that is not supported is refused; further ones of our own"),
    ),
    Argument("speculate", WHOLE, Setting("speculate", "`ngram` too; Medusa heads are not used")),
    Argument("dtype", one_of("float16", "bfloat16"), Setting("dtype", "`float32` and `auto` too")),
    Argument(
        "kv_cache_dtype",
        one_of("fp8_e4m3fn", "fp8_e5m2", "fp8", "auto"),
        NoEffect(
            "the KV cache has the data type of the model, which is more exact and takes more memory",
            same=("auto",),
        ),
    ),
    Argument("trust_remote_code", SWITCH, Setting("trust_remote_code")),
    Argument(
        "max_concurrent_requests",
        WHOLE,
        Setting("max_concurrent_requests", "counts sequences, so `best_of: 2` counts as two"),
    ),
    Argument("max_best_of", WHOLE, Setting("max_best_of")),
    Argument("max_stop_sequences", WHOLE, Setting("max_stop_sequences")),
    Argument("max_top_n_tokens", WHOLE, Setting("max_top_n_tokens")),
    Argument("max_input_tokens", WHOLE, Setting("max_input_tokens")),
    Argument("max_input_length", WHOLE, Setting("max_input_tokens", "the old name of `--max-input-tokens`")),
    Argument("max_total_tokens", WHOLE, Setting("max_total_tokens")),
    Argument("waiting_served_ratio", DECIMAL, NoEffect(_MIXED_STEPS)),
    Argument("max_batch_prefill_tokens", WHOLE, Setting("max_batch_prefill_tokens")),
    Argument(
        "max_batch_total_tokens",
        WHOLE,
        Setting("max_batch_total_tokens", "the given total is used; TGI ignored it on most GPUs"),
    ),
    Argument("max_waiting_tokens", WHOLE, NoEffect(_MIXED_STEPS)),
    Argument("max_batch_size", WHOLE, Setting("max_batch_size")),
    Argument("cuda_graphs", TEXT, NoEffect("no CUDA graphs are captured", same=("0",))),
    Argument(
        "hostname",
        TEXT,
        Setting("host", "a `HOSTNAME` that is not an address is ignored, because containers set it"),
    ),
    Argument("port", PORT, Setting("port"), also=("-p",)),
    Argument("prometheus_port", PORT, NoEffect("`/metrics` is on the server's own port, as in TGI")),
    Argument("shard_uds_path", TEXT, NoEffect(_NO_SHARDS)),
    Argument("master_addr", TEXT, NoEffect(_NO_SHARDS)),
    Argument("master_port", WHOLE, NoEffect(_NO_SHARDS)),
    Argument("huggingface_hub_cache", TEXT, Setting("huggingface_hub_cache")),
    Argument(
        "weights_cache_override",
        TEXT,
        NoEffect(
            "weights are read from the model's directory or the hub's cache (`--huggingface-hub-cache`)"
        ),
    ),
    Argument("disable_custom_kernels", SWITCH, NoEffect("TGI's CUDA kernels are not here", same=(False,))),
    Argument(
        "cuda_memory_fraction",
        DECIMAL,
        NoEffect("the KV cache is sized from the free memory, or by `--max-batch-total-tokens`", same=(1.0,)),
    ),
    Argument(
        "rope_scaling",
        one_of("linear", "dynamic"),
        Refused("positions are scaled only as the model's `config.json` says", same=("linear",)),
    ),
    Argument(
        "rope_factor",
        DECIMAL,
        Refused("positions are scaled only as the model's `config.json` says", same=(1.0,)),
    ),
    Argument("json_output", SWITCH, Setting("json_output")),
    Argument(
        "otlp_endpoint", TEXT, Setting("otlp_endpoint", "OTLP over HTTP, usually port 4318; TGI's is gRPC")
    ),
    Argument(
        "otlp_service_name",
        TEXT,
        Setting("otlp_service_name", "TGI's default is text-generation-inference.router"),
    ),
    Argument(
        "cors_allow_origin",
        TEXTS,
        Setting("cors_allow_origin", "no origin by default; `*` allows every page, which is TGI's default"),
    ),
    Argument("api_key", TEXT, Setting("api_key")),
    Argument("watermark_gamma", DECIMAL, Setting("watermark_gamma")),
    Argument("watermark_delta", DECIMAL, Setting("watermark_delta")),
    Argument("ngrok", SWITCH, NoEffect(_NO_TUNNEL, same=(False,))),
    Argument("ngrok_authtoken", TEXT, NoEffect(_NO_TUNNEL)),
    Argument("ngrok_edge", TEXT, NoEffect(_NO_TUNNEL)),
    Argument(
        "tokenizer_config_path",
        TEXT,
        Setting("chat_template", "only the chat template is taken from it, if it has one"),
    ),
    Argument("disable_grammar_support", SWITCH, Setting("disable_grammar_support")),
    Argument(
        "env", SWITCH, Action("prints versions and the machine, and goes on, as TGI does"), also=("-e",)
    ),
    Argument("max_client_batch_size", WHOLE, Setting("max_client_batch_size")),
    Argument(
        "lora_adapters",
        TEXTS,
        Setting("lora_adapters", "files of PEFT, of folders too; no revisions of repositories"),
    ),
    Argument(
        "usage_stats",
        one_of("on", "off", "no-stack"),
        NoEffect("no statistics are sent to anybody", same=("off",)),
    ),
    Argument("payload_limit", WHOLE, Setting("payload_limit")),
    Argument(
        "enable_prefill_logprobs",
        SWITCH,
        NoEffect("`decoder_input_details` always has its effect", same=None),
    ),
    Argument("graceful_termination_timeout", WHOLE, Setting("graceful_termination_timeout"), also=("-g",)),
)

ARGUMENTS: Final = tuple(argument._replace(has_variable=True) for argument in _ARGUMENTS)
"""Every argument, with its variable. When Verbatim gains what one asks for, its effect becomes a setting."""
