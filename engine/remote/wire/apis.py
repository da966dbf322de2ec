"""The kinds of servers that compute tokens, by their names in the settings; no torch."""

from collections.abc import Mapping
from typing import Final

from engine.remote.wire.sglang import SglangApi
from engine.remote.wire.token_api import TokenApi
from engine.remote.wire.verbatim import VerbatimApi
from engine.remote.wire.vllm import VllmApi

APIS: Final[Mapping[str, TokenApi]] = {api.name: api for api in (VllmApi(), SglangApi(), VerbatimApi())}
