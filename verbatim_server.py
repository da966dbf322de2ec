"""Verbatim as a library: `from verbatim_server import LLM`."""

from handlers.llm.llm import LLM as LLM
from handlers.llm.llm import Refused as Refused
