"""NVIDIA Nemotron Nano 2 and Nemotron Super 1.5."""

from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat

NEMOTRON = JsonObjectFormat(
    name="nemotron_json",
    marker="<TOOLCALL>",
    begin="<TOOLCALL>[",
    separator=", ",
    end="]</TOOLCALL>",
    holds_many=True,
    signs=("<TOOLCALL>",),
)
