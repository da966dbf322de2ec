"""vLLM as the engine of a model that is split over several GPUs, started by the server."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from handlers.settings.other_programs import vllm
from handlers.settings.other_programs.argument import Setting
from handlers.settings.other_programs.reading import as_options
from handlers.settings.own_engine import OwnEngineSettings
from handlers.settings.settings import Settings

# What the front needs (docs/vllm.md).
_ALWAYS: Final = (
    "--enable-scale-out",
    "--enable-prompt-tokens-details",
    *("--max-logprobs", "21"),
    *("--structured-outputs-config", '{"backend": "xgrammar", "disable_any_whitespace": true}'),
)
# What vLLM gets and the front reads too; other settings of the own engine mean nothing for the front.
_OF_BOTH: Final = frozenset(
    ("tensor_parallel_size", "max_total_tokens", "revision", "served_model_name", "trust_remote_code")
    + ("prefix_caching",)
)
HANDED_ON: Final = frozenset(
    ("sharded", *(each.name for each in vllm.ARGUMENTS if not isinstance(each.effect, Setting)))
)
"""The options that vLLM gets as they were given, and TGI's that only repeats that there are several GPUs."""


def over_vllm(settings: Settings, given: Mapping[str, Any], flag: str) -> Settings:
    """Return the settings with a vLLM that the server starts, if they ask for several GPUs.

    given: parsed options by name; those of vLLM are handed on to it. flag: the option that the number of GPUs
    has in errors. Raises ValueError where vLLM is not installed.
    """
    if settings.tensor_parallel_size == 1:
        return settings
    if settings.engine_command is not None:
        raise ValueError(f"{flag} starts vLLM, so it goes with no --engine-command")
    folders = os.pathsep.join((str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)))
    program = shutil.which("vllm", path=folders)
    if program is None:
        raise ValueError(
            f"{flag}: several GPUs need vLLM, which is not installed: pip install "
            "'vllm==0.32.*', or start it elsewhere and use --engine vllm --engine-url URL (docs/vllm.md)"
        )
    words = [program, "serve", settings.model_source, "--host", "127.0.0.1", "--port", "{port}", *_ALWAYS]
    used = set[str]()
    for argument in vllm.ARGUMENTS:
        name = argument.effect.name if isinstance(argument.effect, Setting) else argument.name
        if argument.name in HANDED_ON and argument.name in given:
            words += as_options(argument, given[argument.name])
        elif name in settings.model_fields_set and (
            name in OwnEngineSettings.model_fields or name in _OF_BOTH
        ):
            words += as_options(argument, getattr(settings, name))
            used.add(name)
    used -= _OF_BOTH
    defaults = {name: Settings.model_fields[name].get_default() for name in used}
    command = {"engine": "vllm", "engine_command": shlex.join(words)}
    return settings.model_copy(update=defaults | command)
