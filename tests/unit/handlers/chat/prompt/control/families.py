"""Small tokenizers with the control tokens and the chat templates of model families, made in memory.

The templates are shortened, and keep what matters here: how turns, calls and thoughts are marked, how texts
are trimmed, split and joined, and what is looked for in them.
"""

from functools import cache
from typing import Any, NamedTuple

from tokenizers import AddedToken, decoders, normalizers, pre_tokenizers
from tokenizers import Tokenizer as Backend
from tokenizers import models as backends
from transformers import PreTrainedTokenizerFast

from engine.port.text.tokenizer import Tokenizer

_QWEN_3 = """\
{%- if tools %}
    {{- '<|im_start|>system\\n' }}
    {%- if messages[0].role == 'system' %}{{- messages[0].content + '\\n\\n' }}{%- endif %}
    {{- "# Tools\\n<tools>" }}
    {%- for tool in tools %}{{- "\\n" }}{{- tool | tojson }}{%- endfor %}
    {{- "\\n</tools>\\nReturn a call in <tool_call></tool_call> tags.<|im_end|>\\n" }}
{%- elif messages[0].role == 'system' %}
    {{- '<|im_start|>system\\n' + messages[0].content + '<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'user' or (message.role == 'system' and not loop.first) %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
    {%- elif message.role == 'assistant' %}
        {%- set content = message.content %}
        {%- set reasoning_content = '' %}
        {%- if message.reasoning_content is string %}
            {%- set reasoning_content = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set reasoning_content = content.split('</think>')[0].rstrip('\\n').split('<think>')[-1] %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {{- '<|im_start|>assistant\\n' }}
        {%- if reasoning_content %}
            {{- '<think>\\n' + reasoning_content.strip('\\n') + '\\n</think>\\n\\n' }}
        {%- endif %}
        {{- content }}
        {%- for call in message.tool_calls or [] %}
            {{- '\\n<tool_call>\\n{"name": "' }}{{- call.function.name }}{{- '", "arguments": ' }}
            {{- call.function.arguments | tojson }}{{- '}\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        {{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""

# Calls as XML, with the names of functions and parameters between brackets that the template writes.
_QWEN_3_CODER = """\
{%- macro extra(values) %}
    {%- for key in values %}
        {%- if key not in ['type', 'properties'] %}
            {{- '\\n<' ~ key ~ '>' ~ (values[key] if values[key] is string else values[key] | tojson) }}
            {{- '</' ~ key ~ '>' }}
        {%- endif %}
    {%- endfor %}
{%- endmacro %}
{%- if tools %}
    {{- '<|im_start|>system\\n<tools>' }}
    {%- for tool in tools %}
        {{- '\\n<function>\\n<name>' ~ tool.function.name ~ '</name>' }}
        {{- '\\n<description>' ~ ((tool.function.description or '') | trim) ~ '</description>' }}
        {%- for name, fields in tool.function.parameters.properties | items %}
            {{- '\\n<parameter>\\n<name>' ~ name ~ '</name>' }}{{- extra(fields) }}{{- '\\n</parameter>' }}
        {%- endfor %}
        {{- extra(tool.function.parameters) }}{{- '\\n</function>' }}
    {%- endfor %}
    {{- '\\n</tools>\\nCall with <tool_call>\\n<function=name>\\n</function>\\n</tool_call>.<|im_end|>\\n' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'tool' %}
        {{- '<|im_start|>user\\n<tool_response>\\n' + message.content }}
        {{- '\\n</tool_response>\\n<|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + (message.content | trim) }}
        {%- for call in message.tool_calls or [] %}
            {{- '\\n<tool_call>\\n<function=' + call.function.name + '>\\n' }}
            {%- for name, value in call.function.arguments | items %}
                {{- '<parameter=' + name + '>\\n' }}
                {{- value if value is string else value | tojson }}{{- '\\n</parameter>\\n' }}
            {%- endfor %}
            {{- '</function>\\n</tool_call>' }}
        {%- endfor %}
        {{- '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""

_LLAMA_3 = """\
{{- bos_token }}
{%- if tools %}
    {{- '<|start_header_id|>system<|end_header_id|>\\n\\n' }}
    {{- 'Answer {"name": function name, "parameters": dictionary}.\\n' }}
    {%- for tool in tools %}{{- tool | tojson(indent=4) + '\\n' }}{%- endfor %}{{- '<|eot_id|>' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'tool' or message.role == 'ipython' %}
        {{- '<|start_header_id|>ipython<|end_header_id|>\\n\\n' + (message.content | tojson) + '<|eot_id|>' }}
    {%- elif message.tool_calls %}
        {{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}
        {%- for call in message.tool_calls %}
            {{- '{"name": "' + call.function.name + '", "parameters": ' }}
            {{- call.function.arguments | tojson }}{{- '}' }}
        {%- endfor %}
        {{- '<|eot_id|>' }}
    {%- else %}
        {{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n\\n' }}
        {{- message.content | trim + '<|eot_id|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}
"""

_MISTRAL = """\
{{- bos_token }}
{%- for message in messages %}
    {%- if message.role == 'system' %}{{- '[SYSTEM_PROMPT]' + message.content + '[/SYSTEM_PROMPT]' }}
    {%- elif message.role == 'user' %}
        {%- if tools and loop.last %}
            {{- '[AVAILABLE_TOOLS][' }}
            {%- for tool in tools %}{{- tool | tojson }}{{- ', ' if not loop.last }}{%- endfor %}
            {{- '][/AVAILABLE_TOOLS]' }}
        {%- endif %}
        {{- '[INST]' + message.content + '[/INST]' }}
    {%- elif message.role == 'assistant' and message.tool_calls %}
        {{- '[TOOL_CALLS][' }}
        {%- for call in message.tool_calls %}
            {%- if call.id | length != 9 %}{{- raise_exception('An id has nine letters.') }}{%- endif %}
            {{- '{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) }}
            {{- ', "id": "' + call.id + '"}' }}
        {%- endfor %}
        {{- ']' + eos_token }}
    {%- elif message.role == 'assistant' %}{{- ' ' + message.content + eos_token }}
    {%- elif message.role == 'tool' %}
        {{- '[TOOL_RESULTS]{"content": ' + (message.content | tojson) + '}[/TOOL_RESULTS]' }}
    {%- endif %}
{%- endfor %}
"""

_GEMMA = """\
{{- bos_token }}
{%- if messages[0].role == 'system' %}
    {%- set first = messages[0].content + '\\n\\n' %}{%- set turns = messages[1:] %}
{%- else %}
    {%- set first = '' %}{%- set turns = messages %}
{%- endif %}
{%- for message in turns %}
    {%- set role = 'model' if message.role == 'assistant' else message.role %}
    {{- '<start_of_turn>' + role + '\\n' + (first if loop.first else '') }}
    {{- message.content | trim }}{{- '<end_of_turn>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<start_of_turn>model\\n' }}{%- endif %}
"""

# A token is made of the role.
_PHI = """\
{%- for message in messages %}
    {{- '<|' + message.role + '|>' + '\\n' + message.content + '<|end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|assistant|>\\n' }}{%- endif %}
"""

_DEEPSEEK = """\
{{- bos_token }}
{%- for message in messages %}
    {%- if message.role == 'system' %}{{- message.content }}
    {%- elif message.role == 'user' %}{{- '<｜User｜>' + message.content }}
    {%- elif message.role == 'assistant' and message.tool_calls %}
        {{- '<｜Assistant｜><｜tool▁calls▁begin｜>' }}
        {%- for call in message.tool_calls %}
            {{- '<｜tool▁call▁begin｜>function<｜tool▁sep｜>' + call.function.name + '\\n```json\\n' }}
            {{- call.function.arguments + '\\n```<｜tool▁call▁end｜>' }}
        {%- endfor %}
        {{- '<｜tool▁calls▁end｜><｜end▁of▁sentence｜>' }}
    {%- elif message.role == 'assistant' %}
        {%- set content = message.content %}
        {%- if '</think>' in content %}{%- set content = content.split('</think>')[-1] %}{%- endif %}
        {{- '<｜Assistant｜>' + content + '<｜end▁of▁sentence｜>' }}
    {%- elif message.role == 'tool' %}
        {{- '<｜tool▁output▁begin｜>' + message.content + '<｜tool▁output▁end｜>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<｜Assistant｜><think>\\n' }}{%- endif %}
"""

_GLM = """\
[gMASK]<sop>
{%- if tools %}
<|system|>
# Tools{% for tool in tools %}
{{ tool | tojson(ensure_ascii=False) }}{% endfor %}
Call with <tool_call>{function-name}<arg_key>{key}</arg_key><arg_value>{value}</arg_value></tool_call>
{%- endif %}
{%- for message in messages %}
{%- if message.role == 'tool' %}<|observation|>
<tool_response>
{{ message.content }}
</tool_response>
{%- else %}<|{{ message.role }}|>
{%- if message.role == 'assistant' and '</think>' in message.content %}
<think>{{ message.content.split('</think>')[0].split('<think>')[-1].strip() }}</think>
{{ message.content.split('</think>')[-1].strip() }}
{%- else %}
{{ message.content }}
{%- endif %}
{%- for call in message.tool_calls or [] %}
<tool_call>{{ call.function.name }}
{% for name, value in call.function.arguments.items() %}<arg_key>{{ name }}</arg_key>
<arg_value>{{ value if value is string else value | tojson }}</arg_value>
{% endfor %}</tool_call>
{%- endfor %}
{%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}<|assistant|>{%- endif %}
"""

_GRANITE = """\
{%- if tools %}
    {{- '<|start_of_role|>available_tools<|end_of_role|>' }}
    {{- tools | map(attribute='function') | list | tojson }}
    {{- '<|end_of_text|>\\n' }}
{%- endif %}
{%- if documents %}
    {%- for document in documents %}
        {{- '<|start_of_role|>document {"id": "' + document.title + '"}<|end_of_role|>\\n' + document.text }}
        {{- '<|end_of_text|>\\n' }}
    {%- endfor %}
{%- endif %}
{%- for message in messages %}
    {{- '<|start_of_role|>' + message.role + '<|end_of_role|>' + message.content }}
    {%- if message.tool_calls %}
        {{- '<|tool_call|>' + message.tool_calls | map(attribute='function') | list | tojson }}
    {%- endif %}
    {{- '<|end_of_text|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_of_role|>assistant<|end_of_role|>' }}{%- endif %}
"""

_COMMAND_R = """\
{{- bos_token }}
{%- for message in messages %}
    {%- if message.role == 'system' %}
        {{- '<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>' + message.content + '<|END_OF_TURN_TOKEN|>' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' + message.content.strip() + '<|END_OF_TURN_TOKEN|>' }}
    {%- else %}
        {{- '<|START_OF_TURN_TOKEN|><|USER_TOKEN|>' + message.content.strip() + '<|END_OF_TURN_TOKEN|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>' }}{%- endif %}
"""

_GPT_OSS = """\
{{- '<|start|>system<|message|>You are ChatGPT.' }}
{%- if reasoning_effort is defined %}{{- '\\nReasoning: ' + reasoning_effort }}{%- endif %}
{{- '<|end|>' }}
{%- if tools %}
    {{- '<|start|>developer<|message|>namespace functions {\\n' }}
    {%- for tool in tools %}
        {{- '// ' + (tool.function.description or '') + '\\ntype ' + tool.function.name + ' = (_: ' }}
        {{- tool.function.parameters | tojson + ') => any;\\n' }}
    {%- endfor %}
    {{- '}<|end|>' }}
{%- endif %}
{%- for message in messages %}
    {%- if message.role == 'assistant' and message.tool_calls %}
        {%- set function = message.tool_calls[0].function %}
        {%- if message.thinking %}
            {{- '<|start|>assistant<|channel|>analysis<|message|>' + message.thinking + '<|end|>' }}
        {%- endif %}
        {{- '<|start|>assistant to=functions.' + function.name + '<|channel|>commentary json<|message|>' }}
        {{- function.arguments | tojson }}{{- '<|call|>' }}
    {%- elif message.role == 'assistant' %}
        {{- '<|start|>assistant<|channel|>final<|message|>' + message.content + '<|end|>' }}
    {%- elif message.role == 'tool' %}
        {{- '<|start|>functions.' + (message.name or 'f') + ' to=assistant<|channel|>commentary<|message|>' }}
        {{- (message.content | tojson) + '<|end|>' }}
    {%- else %}
        {{- '<|start|>' + message.role + '<|message|>' + message.content + '<|end|>' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start|>assistant' }}{%- endif %}
"""


class Family(NamedTuple):
    """Words: added tokens that are no special ones. blanks: whether tokens take the blanks behind them."""

    template: str
    special: tuple[str, ...]
    words: tuple[str, ...] = ()
    bos: str | None = None
    eos: str | None = None
    takes_blanks: bool = False
    is_byte_level: bool = True


_CHATML = ("<|endoftext|>", "<|im_start|>", "<|im_end|>")
_QWEN_WORDS = ("<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>", "<think>", "</think>")

FAMILIES = {
    "qwen3": Family(_QWEN_3, _CHATML, _QWEN_WORDS, eos="<|im_end|>"),
    "qwen3-coder": Family(_QWEN_3_CODER, _CHATML, _QWEN_WORDS, eos="<|im_end|>"),
    "llama3": Family(
        _LLAMA_3,
        ("<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"),
        bos="<|begin_of_text|>",
        eos="<|eot_id|>",
    ),
    "mistral": Family(
        _MISTRAL,
        (
            *("<s>", "</s>", "[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", "[TOOL_CALLS]"),
            *("[AVAILABLE_TOOLS]", "[/AVAILABLE_TOOLS]", "[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
            *(f"<SPECIAL_{number}>" for number in range(500)),
        ),
        bos="<s>",
        eos="</s>",
    ),
    "gemma": Family(
        _GEMMA,
        ("<bos>", "<eos>", "<start_of_turn>", "<end_of_turn>"),
        ("<table>", "</table>", "\n\n", "  "),
        bos="<bos>",
        eos="<eos>",
        is_byte_level=False,
    ),
    "phi3": Family(
        _PHI,
        ("<|endoftext|>", "<|system|>", "<|user|>", "<|assistant|>", "<|end|>"),
        eos="<|endoftext|>",
        takes_blanks=True,
    ),
    "deepseek": Family(
        _DEEPSEEK,
        (
            *("<｜begin▁of▁sentence｜>", "<｜end▁of▁sentence｜>", "<｜tool▁calls▁begin｜>", "<｜tool▁sep｜>"),
            *("<｜tool▁calls▁end｜>", "<｜tool▁call▁begin｜>", "<｜tool▁call▁end｜>"),
            *("<｜tool▁output▁begin｜>", "<｜tool▁output▁end｜>"),
        ),
        ("<｜User｜>", "<｜Assistant｜>", "<think>", "</think>"),
        bos="<｜begin▁of▁sentence｜>",
        eos="<｜end▁of▁sentence｜>",
    ),
    "glm": Family(
        _GLM,
        ("<|endoftext|>", "[gMASK]", "<sop>", "<|system|>", "<|user|>", "<|assistant|>", "<|observation|>"),
        (*_QWEN_WORDS, "<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"),
        eos="<|endoftext|>",
    ),
    "granite": Family(
        _GRANITE,
        ("<|end_of_text|>", "<|start_of_role|>", "<|end_of_role|>", "<|tool_call|>"),
        eos="<|end_of_text|>",
    ),
    "command-r": Family(
        _COMMAND_R,
        (
            *("<BOS_TOKEN>", "<|START_OF_TURN_TOKEN|>", "<|END_OF_TURN_TOKEN|>", "<|SYSTEM_TOKEN|>"),
            *("<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>"),
        ),
        bos="<BOS_TOKEN>",
        eos="<|END_OF_TURN_TOKEN|>",
    ),
    "gpt-oss": Family(
        _GPT_OSS,
        ("<|start|>", "<|end|>", "<|message|>", "<|channel|>", "<|constrain|>", "<|call|>", "<|return|>"),
        eos="<|return|>",
    ),
}


@cache
def tokenizer_of(family: str) -> Tokenizer:
    """A token is a byte, or one of the family's own."""
    traits = FAMILIES[family]
    backend = _byte_level() if traits.is_byte_level else _sentencepiece()
    backend.add_tokens(
        [
            AddedToken(text, special=True, normalized=False, rstrip=traits.takes_blanks)
            for text in traits.special
        ]
    )
    backend.add_tokens([AddedToken(text, special=False, normalized=False) for text in traits.words])
    return wrapped(backend, traits)


def wrapped(backend: Backend, traits: Family) -> Tokenizer:
    tokenizer_class: Any = PreTrainedTokenizerFast
    hf = tokenizer_class(
        tokenizer_object=backend,
        bos_token=traits.bos,
        eos_token=traits.eos,
        chat_template=traits.template,
    )
    return Tokenizer(hf, vocab_size=hf.backend_tokenizer.get_vocab_size(), end_token_ids=())


def _byte_level() -> Backend:
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    backend = Backend(backends.BPE(vocab={text: at for at, text in enumerate(alphabet)}, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    return backend


def _sentencepiece() -> Backend:
    """Return a backend like Gemma's: blanks are U+2581, and characters that are no token are bytes."""
    vocab = {"<unk>": 0, **{f"<0x{byte:02X}>": byte + 1 for byte in range(256)}}
    for character in ["▁", *map(chr, range(33, 127))]:
        vocab.setdefault(character, len(vocab))
    backend = Backend(backends.BPE(vocab=vocab, merges=[], unk_token="<unk>", byte_fallback=True))
    backend.normalizer = normalizers.Replace(" ", "▁")
    backend.decoder = decoders.Sequence(
        [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    )
    return backend
