import msgspec
import pytest
from prometheus_client.parser import text_string_to_metric_families

from engine.port.events import FinishReason, TokenEvent
from engine.port.info.kernels import Obstacle, kernel, kernel_of_layers
from engine.port.info.model_info import ModelInfo
from engine.port.info.stats import Counters, DraftCounters, EngineStats, KVEventCounters, ProcessStats
from engine.port.text.token_memory import TokenMemory
from handlers.access.visits.timing import Timing
from handlers.active_requests.metrics import Metrics
from handlers.concurrency.limit import Overloaded
from verbatim_kit.errors import Refused


def counters() -> Counters:
    """Return the counters of seven steps, of which the last two compute prompts and one failed."""
    made = Counters()
    for forward_s in (0.01, 0.02, 0.02, 3.0):
        made.decode_steps.count(total_s=2 * forward_s, forward_s=forward_s, choose_s=forward_s / 2)
    made.decode_steps.count_failed()
    for _ in range(2):
        made.prefill_steps.count(total_s=1000.0, forward_s=0.5, choose_s=0.0)
    for num_sequences in (1, 2, 2, 4, 4, 4, 2000):
        made.batch_sizes.observe(num_sequences)
    return made


INFO = ModelInfo(
    model_id="m",
    revision=None,
    architecture="LlamaForCausalLM",
    dtype="float32",
    device="cpu",
    num_parameters=1,
    max_total_tokens=100,
    vocab_size=10,
    hidden_size=8,
    num_blocks=8,
    block_size=16,
    kv_cache_bytes=1,
    max_batch_tokens=64,
    max_num_sequences=4,
)
STATS = EngineStats(
    num_running=2,
    num_waiting=3,
    num_blocks=8,
    num_free_blocks=5,
    processes=(ProcessStats(name="media", num_children=2, num_starts=1, ends={"done": 7, "crash": 3}),),
    counters=counters(),
)

RELEASED_NAMES = {
    "tgi_request_count": "counter",
    "tgi_request_success": "counter",
    "tgi_request_failure": "counter",
    "tgi_request_duration": "histogram",
    "tgi_request_validation_duration": "histogram",
    "tgi_request_queue_duration": "histogram",
    "tgi_request_inference_duration": "histogram",
    "tgi_request_mean_time_per_token_duration": "histogram",
    "tgi_request_generated_tokens": "histogram",
    "tgi_request_max_new_tokens": "histogram",
    "tgi_request_input_length": "histogram",
    "tgi_batch_inference_count": "counter",
    "tgi_batch_inference_success": "counter",
    "tgi_batch_inference_failure": "counter",
    "tgi_batch_inference_duration": "histogram",
    "tgi_batch_forward_duration": "histogram",
    "tgi_batch_decode_duration": "histogram",
    "tgi_batch_next_size": "histogram",
    "tgi_batch_concat": "counter",
    "tgi_batch_concat_duration": "histogram",
    "tgi_batch_filter_duration": "histogram",
    "tgi_request_skipped_tokens": "histogram",
    "tgi_batch_current_size": "gauge",
    "tgi_batch_current_max_tokens": "gauge",
    "tgi_batch_max_total_tokens": "gauge",
    "tgi_queue_size": "gauge",
}
# The released servers have none of these.
OWN_NAMES = {
    "verbatim_recurrent_states": "gauge",
    "verbatim_recurrent_state_bytes": "gauge",
    "verbatim_int8_layers": "gauge",
    "verbatim_stored_layers": "gauge",
    "verbatim_int4_layers": "gauge",
    "verbatim_permits_in_use": "gauge",
    "verbatim_ignored_fields": "counter",
    "verbatim_request_errors": "counter",
    "http_requests": "counter",
    "verbatim_kernel_info": "gauge",
    "verbatim_bounded_processes": "gauge",
    "verbatim_bounded_process_starts": "counter",
    "verbatim_bounded_process_ends": "counter",
    "verbatim_spec_decode_num_drafts": "counter",
    "verbatim_spec_decode_num_draft_tokens": "counter",
    "verbatim_spec_decode_num_accepted_tokens": "counter",
}
# vLLM's, which gateways route by.
VLLM_NAMES = {
    "vllm:num_requests_running": "gauge",
    "vllm:num_requests_waiting": "gauge",
    "vllm:kv_cache_usage_perc": "gauge",
    "vllm:cache_config_info": "gauge",
    "vllm:prefix_cache_queries": "counter",
    "vllm:prefix_cache_hits": "counter",
    "vllm:num_preemptions": "counter",
    "vllm:prompt_tokens": "counter",
    "vllm:generation_tokens": "counter",
    "vllm:request_success": "counter",
    "vllm:time_to_first_token_seconds": "histogram",
    "vllm:request_time_per_output_token_seconds": "histogram",
    "vllm:e2e_request_latency_seconds": "histogram",
    "vllm:request_queue_time_seconds": "histogram",
    "vllm:request_inference_time_seconds": "histogram",
    "vllm:request_prompt_tokens": "histogram",
    "vllm:request_generation_tokens": "histogram",
    "vllm:inter_token_latency_seconds": "histogram",
    "vllm:iteration_tokens_total": "histogram",
    "vllm:request_prefill_time_seconds": "histogram",
    "vllm:request_decode_time_seconds": "histogram",
    "vllm:request_params_max_tokens": "histogram",
    "vllm:request_max_num_generation_tokens": "histogram",
}
PROCESS_NAMES = {
    "process_virtual_memory_bytes": "gauge",
    "process_resident_memory_bytes": "gauge",
    "process_start_time_seconds": "gauge",
    "process_cpu_seconds": "counter",
    "process_open_fds": "gauge",
    "process_max_fds": "gauge",
}
OF_CACHE = {
    "vllm:kv_cache_usage_perc",
    "vllm:cache_config_info",
    "vllm:prefix_cache_queries",
    "vllm:prefix_cache_hits",
    "vllm:num_preemptions",
}


def samples(metrics: Metrics) -> dict[str, float]:
    """Return what a scraper reads: sample name with its labels -> value."""
    lines = [line for line in metrics.render().splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(maxsplit=1) for line in lines)}


def test_the_text_parses_as_prometheus_text() -> None:
    families = list(text_string_to_metric_families(Metrics(INFO, lambda: STATS).render()))
    assert {family.name for family in families} == {*RELEASED_NAMES, *OWN_NAMES, *VLLM_NAMES, *PROCESS_NAMES}


def test_metrics_have_the_released_names_and_types() -> None:
    lines = Metrics(INFO, lambda: STATS).render().splitlines()
    types = {line.split()[2]: line.split()[3] for line in lines if line.startswith("# TYPE")}
    suffixed = {name for name, kind in (VLLM_NAMES | PROCESS_NAMES).items() if kind == "counter"}
    suffixed |= {"verbatim_ignored_fields", "http_requests"}
    wanted = RELEASED_NAMES | OWN_NAMES | VLLM_NAMES | PROCESS_NAMES
    assert types == {f"{name}_total" if name in suffixed else name: kind for name, kind in wanted.items()}


def test_bounded_processes_are_counted_by_their_input_and_their_end() -> None:
    seen = samples(Metrics(INFO, lambda: STATS))
    assert seen['verbatim_bounded_processes{input="media"}'] == 2
    assert seen['verbatim_bounded_process_starts{input="media"}'] == 1
    assert seen['verbatim_bounded_process_ends{end="done",input="media"}'] == 7
    assert seen['verbatim_bounded_process_ends{end="crash",input="media"}'] == 3


def test_no_counter_of_ours_or_tgis_carries_the_librarys_suffix() -> None:
    metrics = Metrics(INFO, lambda: STATS)
    metrics.failed(Refused("no"), 0.0)
    suffixed = [name for name in samples(metrics) if name.partition("{")[0].endswith("_total")]
    assert suffixed and all(name.startswith(("vllm:", "process_")) for name in suffixed)


def test_ignored_fields_are_counted_by_name_and_those_beyond_the_bound_together() -> None:
    metrics = Metrics(INFO, lambda: STATS)
    metrics.ignored("a", {"messages[].id", "x" * 101})
    for number in range(300):
        metrics.ignored("a", {"messages[].id", f"f{number}"})
    counts = {k: v for k, v in samples(metrics).items() if k.startswith("verbatim_ignored_fields_total")}
    assert counts['verbatim_ignored_fields_total{contract="a",field="messages[].id"}'] == 301
    assert counts['verbatim_ignored_fields_total{contract="a",field="(others)"}'] == 102
    assert len(counts) == 201


def test_every_cause_of_failure_is_told_from_the_start() -> None:
    seen = samples(Metrics(INFO, lambda: STATS))
    causes = ("validation", "overloaded", "incomplete", "template", "generation", "dropped")
    assert {seen[f'tgi_request_failure{{err="{cause}"}}'] for cause in causes} == {0}


def test_a_failure_is_counted_under_its_cause() -> None:
    metrics = Metrics(INFO, lambda: STATS)
    metrics.received()
    metrics.failed(Overloaded(), 0.0)
    assert samples(metrics)["tgi_request_count"] == 1
    assert samples(metrics)['tgi_request_failure{err="overloaded"}'] == 1


def test_an_answered_request_is_observed_in_every_duration() -> None:
    metrics = Metrics(INFO, lambda: STATS)
    metrics.validated(num_prompt_tokens=4, max_new_tokens=20)
    metrics.succeeded(
        Timing(started=0.0, validation_s=1.0, finished=10.0, queue_s=2.0, num_generated_tokens=7)
    )
    seen = samples(metrics)
    assert seen["tgi_request_success"] == 1
    assert seen["tgi_request_duration_sum"] == 10
    assert seen["tgi_request_validation_duration_sum"] == 1
    assert seen["tgi_request_queue_duration_sum"] == 2
    assert seen["tgi_request_inference_duration_sum"] == 7
    assert seen["tgi_request_mean_time_per_token_duration_sum"] == 1
    assert seen["tgi_request_generated_tokens_sum"] == 7
    assert seen["tgi_request_input_length_sum"] == 4
    assert seen["tgi_request_max_new_tokens_sum"] == 20


def test_the_engines_gauges_are_read_at_each_scrape() -> None:
    seen = samples(Metrics(INFO, lambda: STATS))
    assert (seen["tgi_batch_current_size"], seen["tgi_queue_size"]) == (2, 3)
    assert (seen["tgi_batch_current_max_tokens"], seen["tgi_batch_max_total_tokens"]) == (48, 128)


def test_drafted_and_accepted_tokens_are_counted() -> None:
    drafts = DraftCounters(num_drafts=2, num_drafted_tokens=9, num_accepted_tokens=4)
    stats = msgspec.structs.replace(STATS, counters=msgspec.structs.replace(STATS.counters, drafts=drafts))
    seen = samples(Metrics(INFO, lambda: stats))
    names = ("drafts", "draft_tokens", "accepted_tokens")
    assert [seen[f"verbatim_spec_decode_num_{name}"] for name in names] == [2, 9, 4]


def test_layers_of_8_and_4_bits_are_counted() -> None:
    quantized = msgspec.structs.replace(INFO, num_int8_layers=1, num_int4_layers=16)
    counted = samples(Metrics(quantized, lambda: STATS))
    assert (counted["verbatim_int8_layers"], counted["verbatim_int4_layers"]) == (1, 16)
    counted = samples(Metrics(INFO, lambda: STATS))
    assert (counted["verbatim_int8_layers"], counted["verbatim_int4_layers"]) == (0, 0)


def test_layers_that_keep_a_checkpoints_integers_are_counted_by_their_bits() -> None:
    stored = msgspec.structs.replace(INFO, stored_layers={8: 25, 4: 72})
    seen = samples(Metrics(stored, lambda: STATS))
    assert [seen[f'verbatim_stored_layers{{bits="{bits}"}}'] for bits in (4, 8)] == [72, 25]


def test_recurrent_states_are_counted() -> None:
    hybrid = msgspec.structs.replace(INFO, num_state_slots=15, state_bytes=4096)
    seen = samples(Metrics(hybrid, lambda: STATS))
    assert (seen["verbatim_recurrent_states"], seen["verbatim_recurrent_state_bytes"]) == (15, 4096)


def test_compiled_code_is_told_by_what_is_in_use_and_why_the_rest_is_not() -> None:
    lack = Obstacle("no C++ compiler is found (g++)", is_lack=True)
    kernels = kernel_of_layers("layer_fusion", 3, 3, None), kernel("ranking", lack)
    metrics = Metrics(msgspec.structs.replace(INFO, kernels=kernels), lambda: STATS)
    [family] = [
        each
        for each in text_string_to_metric_families(metrics.render())
        if each.name == "verbatim_kernel_info"
    ]
    assert family.type == "gauge" and {sample.value for sample in family.samples} == {1}
    assert [sample.labels for sample in family.samples] == [
        {
            "kernel": "layer_fusion",
            "in_use": "true",
            "scope": "3 of 3 layers",
            "reason": "",
            "is_lack": "false",
        },
        {"kernel": "ranking", "in_use": "false", "scope": "", "reason": lack.reason, "is_lack": "true"},
    ]


def test_steps_are_counted_by_whether_they_compute_prompts() -> None:
    seen = samples(Metrics(INFO, lambda: STATS))
    names = [f"tgi_batch_inference_{name}" for name in ("count", "success", "failure")]
    assert [seen[f'{name}{{method="decode"}}'] for name in names] == [5, 4, 1]
    assert [seen[f'{name}{{method="prefill"}}'] for name in names] == [2, 2, 0]


@pytest.mark.parametrize(
    ("name", "sums"),
    [("inference", (6.1, 2000.0)), ("forward", (3.05, 1.0)), ("decode", (1.525, 0.0))],
)
def test_each_part_of_a_step_has_a_histogram_of_its_seconds(name: str, sums: tuple[float, float]) -> None:
    seen = samples(Metrics(INFO, lambda: STATS))
    for method, total, num in zip(("decode", "prefill"), sums, (4, 2), strict=True):
        labels = f'{{method="{method}"}}'
        assert seen[f"tgi_batch_{name}_duration_sum{labels}"] == pytest.approx(total)
        assert seen[f"tgi_batch_{name}_duration_count{labels}"] == num
        buckets = {
            key: value for key, value in seen.items() if key.startswith(f"tgi_batch_{name}_duration_bucket")
        }
        assert buckets[f'tgi_batch_{name}_duration_bucket{{le="+Inf",method="{method}"}}'] == num


def test_a_bucket_counts_all_that_came_up_to_its_bound() -> None:
    seen = samples(Metrics(INFO, lambda: STATS))
    of_size = {
        bound: seen[f'tgi_batch_next_size_bucket{{le="{bound}"}}']
        for bound in ("1.0", "2.0", "4.0", "1024.0")
    }
    assert of_size == {"1.0": 1, "2.0": 3, "4.0": 6, "1024.0": 6}
    assert (seen['tgi_batch_next_size_bucket{le="+Inf"}'], seen["tgi_batch_next_size_sum"]) == (7, 2017)


def test_a_gateway_reads_load_and_cache_under_vllms_names() -> None:
    counted = msgspec.structs.replace(
        STATS.counters,
        num_cache_queried_tokens=50,
        num_cache_hit_tokens=20,
        num_finished={"stop": 1, "end_token": 2, "length": 3},
        num_aborted=4,
    )
    stats = msgspec.structs.replace(STATS, counters=counted)
    seen = samples(Metrics(INFO, lambda: stats, model_name="m"))
    labels = 'engine="0",model_name="m"'
    assert seen[f"vllm:num_requests_running{{{labels}}}"] == 2
    assert seen[f"vllm:num_requests_waiting{{{labels}}}"] == 3
    assert seen[f"vllm:kv_cache_usage_perc{{{labels}}}"] == 3 / 8
    assert seen[f"vllm:prefix_cache_hits_total{{{labels}}}"] == 20
    assert seen['vllm:cache_config_info{block_size="16",engine="0",num_gpu_blocks="8"}'] == 1
    ends = {
        reason: seen[f'vllm:request_success_total{{engine="0",finished_reason="{reason}",model_name="m"}}']
        for reason in ("stop", "length", "abort")
    }
    assert ends == {"stop": 3, "length": 3, "abort": 4}


def test_times_to_and_between_tokens_are_observed() -> None:
    metrics = Metrics(INFO, lambda: STATS, model_name="m")
    metrics.succeeded(
        Timing(started=1.0, validation_s=0.5, first_token_s=2.0, finished=9.0, num_generated_tokens=4)
    )
    metrics.succeeded(Timing(started=1.0, finished=2.0))  # of an embedding
    seen = samples(metrics)
    labels = '{engine="0",model_name="m"}'
    assert seen[f"vllm:time_to_first_token_seconds_sum{labels}"] == 2
    assert seen[f"vllm:request_time_per_output_token_seconds_sum{labels}"] == 2
    assert seen[f"vllm:time_to_first_token_seconds_count{labels}"] == 1
    assert seen[f"vllm:request_decode_time_seconds_count{labels}"] == 1
    assert seen[f"vllm:request_decode_time_seconds_sum{labels}"] == 6
    assert seen[f"vllm:request_prefill_time_seconds_sum{labels}"] == 1.5
    assert seen[f"vllm:e2e_request_latency_seconds_sum{labels}"] == 9
    assert seen[f"vllm:e2e_request_latency_seconds_count{labels}"] == 2


def test_each_gap_between_tokens_is_observed_and_the_first_token_has_none() -> None:
    counted = Counters()
    for position, step_s in ((0, 5.0), (1, 0.5), (2, 0.25), (3, 0.0)):  # the last came with the one before
        counted.count_token(
            TokenEvent(
                request_id="a",
                index=0,
                position=position,
                token_id=7,
                token_text="",
                is_special=False,
                text="",
                num_prompt_tokens=3,
                step_s=step_s,
                finish=FinishReason.LENGTH if position == 3 else None,
            )
        )
    stats = msgspec.structs.replace(STATS, counters=counted.copy())
    seen = samples(Metrics(INFO, lambda: stats, model_name="m"))
    labels = '{engine="0",model_name="m"}'
    assert seen[f"vllm:inter_token_latency_seconds_sum{labels}"] == 0.75
    assert seen[f"vllm:inter_token_latency_seconds_count{labels}"] == 2
    assert seen[f"vllm:generation_tokens_total{labels}"] == 4
    assert (counted.num_generated_tokens, counted.num_finished) == (4, {"length": 1})


def test_batches_of_kv_events_are_counted_where_they_are_published() -> None:
    stats = msgspec.structs.replace(STATS, kv_events=KVEventCounters(num_batches=5, num_lost=2))
    seen = samples(Metrics(INFO, lambda: stats))
    assert (seen["verbatim_kv_event_batches"], seen["verbatim_kv_event_batches_lost"]) == (5, 2)
    assert "verbatim_kv_event_batches" not in samples(Metrics(INFO, lambda: STATS))


def test_remembered_tokens_are_counted_where_prompts_are_encoded() -> None:
    memory = TokenMemory()
    memory.num_known, memory.num_encoded, memory.num_bytes = 300, 20, 4096
    seen = samples(Metrics(INFO, lambda: STATS, memory=memory))
    names = ("prompt_tokens_remembered", "prompt_tokens_encoded", "token_memory_bytes")
    assert [seen[f"verbatim_{name}"] for name in names] == [300, 20, 4096]
    assert "verbatim_token_memory_bytes" not in samples(Metrics(INFO, lambda: STATS))


def test_a_front_says_nothing_of_a_cache_that_another_server_has() -> None:
    metrics = Metrics(msgspec.structs.replace(INFO, kv_cache_bytes=0), lambda: STATS)
    names = {family.name for family in text_string_to_metric_families(metrics.render())}
    assert names == {*RELEASED_NAMES, *OWN_NAMES, *VLLM_NAMES, *PROCESS_NAMES} - OF_CACHE
