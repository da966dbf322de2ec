"""Sounds and videos become the same tokens in a process that loads no torch."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.support.tiny_models.audio import AUDIO_FAMILIES, save_tiny_audio_model
from tests.support.tiny_models.video import VIDEO_SETTINGS, save_tiny_video_model
from tests.unit.engine.remote.prompts_of_files import decoded_once, token_ids_of

# Whose feature extractor computes with torch.
NEEDS_TORCH: Final = {"qwen3_asr"}
# What a process does that may load no torch: it writes the tokens of each prompt, and what it has mapped.
PROGRAM: Final = """
import json, sys
from pathlib import Path

from engine.remote.without_torch import import_without_torch

import_without_torch()
from tests.unit.engine.remote.prompts_of_files import decoded_once, token_ids_of

with decoded_once():
    found = {name: token_ids_of(Path(name)) for name in sys.argv[1:]}
assert sys.modules["torch"] is None and "libtorch" not in Path("/proc/self/maps").read_text()
print(json.dumps(found))
"""


def test_every_family_is_read_alike_without_torch(tmp_path: Path) -> None:
    with_ears = [family for family in AUDIO_FAMILIES if family not in NEEDS_TORCH]
    for family in with_ears:
        save_tiny_audio_model(tmp_path / family, family)
    for family in VIDEO_SETTINGS:
        save_tiny_video_model(tmp_path / family, family)
    directories = [tmp_path / family for family in (*with_ears, *VIDEO_SETTINGS)]
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM, *map(str, directories)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    found = json.loads(ran.stdout)
    with decoded_once():
        all_expected = [token_ids_of(directory, keeps_arrays=True) for directory in directories]
    for directory, expected in zip(directories, all_expected, strict=True):
        assert len(expected) > 3
        assert found[str(directory)] == expected, directory.name
