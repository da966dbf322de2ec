"""The facts about a model that nothing computes."""

from typing import Final

from engine.port.info.speech_info import SpeechInfo

INFO: Final = SpeechInfo(
    sampling_rate=16_000,
    frames_per_second=100,
    num_bands=16,
    window_frames=300,
    num_positions=64,
    end_id=10,
    start_id=11,
    previous_id=12,
    no_speech_id=16,
    no_timestamps_id=17,
    languages={"en": 13},
    language_names={"english": "en"},
    transcribe_id=14,
    translate_id=15,
)
