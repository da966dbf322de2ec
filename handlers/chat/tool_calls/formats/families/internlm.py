"""InternLM 2 and 2.5."""

from handlers.chat.tool_calls.formats.json_object import JsonObjectFormat

INTERNLM = JsonObjectFormat(
    name="internlm",
    marker="<|action_start|><|plugin|>",
    begin="<|action_start|><|plugin|>\n",
    object_begin='{"name": %s, "parameters": ',
    end="<|action_end|>",
    signs=("<|action_start|>", "<|plugin|>"),
)
