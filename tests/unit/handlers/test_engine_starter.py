"""The settings reach the engine that they name."""

from engine.config import MediaLimits
from engine.demo_model import DEMO_MODEL
from engine.demo_vision import DEMO_VISION
from handlers.engine_starter import engine_config, remote_config
from handlers.settings.settings import Settings


def test_settings_reach_the_engine_and_what_is_open_stays_the_engines_choice() -> None:
    config = engine_config(
        Settings(
            model="m",
            max_batch_total_tokens=33,
            max_batch_prefill_tokens=64,
            max_batch_size=2,
            dtype="float32",
            prefix_caching=False,
            speculate=5,
            media=False,
        )
    )
    assert (config.media, engine_config(Settings()).media) == (False, True)
    assert config.max_draft_tokens == 5
    assert (config.model, config.dtype, config.max_batch_tokens, config.max_num_sequences) == (
        "m",
        "float32",
        64,
        2,
    )
    assert (config.num_kv_blocks, config.block_size, config.prefix_caching) == (3, 16, False)
    assert engine_config(Settings()).num_kv_blocks is None


def test_limits_of_files_reach_either_engine() -> None:
    settings = Settings(
        max_image_pixels=10**7,
        image_background="#00Ff80",
        max_audio_seconds=45.0,
        max_video_seconds=5.0,
        max_video_frames=3,
    )
    limits = MediaLimits(
        max_image_pixels=10**7,
        image_background=(0, 255, 128),
        max_audio_seconds=45.0,
        max_video_seconds=5.0,
        max_video_frames=3,
    )
    assert engine_config(settings).media_limits == limits != MediaLimits()
    assert remote_config(settings).media_limits == limits
    assert engine_config(Settings()).media_limits == MediaLimits()


def test_an_embedded_model_is_served_by_its_name() -> None:
    assert engine_config(Settings()).model == engine_config(Settings(model="verbatim-demo")).model
    assert engine_config(Settings()).model == str(DEMO_MODEL)
    assert engine_config(Settings(model="verbatim-demo-vision")).model == str(DEMO_VISION)


def test_the_engine_makes_room_for_no_more_sequences_than_are_let_in() -> None:
    assert engine_config(Settings(max_concurrent_requests=3)).max_num_sequences == 3
    assert engine_config(Settings(max_concurrent_requests=3, max_batch_size=2)).max_num_sequences == 2


def test_settings_reach_the_engine_on_other_servers() -> None:
    config = remote_config(
        Settings(
            engine="vllm",
            engine_url=("http://a:1",),
            engine_command="vllm serve 'a model'",
            engine_api_key="key",
            engine_timeout=3.0,
            served_model_name="name",
            max_concurrent_requests=3,
        )
    )
    assert (config.api, config.urls, config.command) == (
        "vllm",
        ("http://a:1",),
        ("vllm", "serve", "a model"),
    )
    assert (config.api_key, config.timeout_s, config.served_name) == ("key", 3.0, "name")
    assert config.max_num_sequences == 3


def test_the_engines_own_process_may_be_silent_between_its_comments() -> None:
    for wanted_s, allowed_s in ((3.0, 60.0), (90.0, 90.0)):
        assert remote_config(Settings(engine_timeout=wanted_s), socket="/s").timeout_s == allowed_s
