"""Tokenizers with the chat templates of several model families, made in memory; a token is a byte or a
tag.
"""

from collections.abc import Sequence
from typing import Any

from tokenizers import AddedToken, decoders, pre_tokenizers
from tokenizers import Tokenizer as Backend
from tokenizers import models as backends
from transformers import PreTrainedTokenizerFast

from engine.port.text.tokenizer import Tokenizer

SPECIAL = ("<|im_start|>", "<|im_end|>", "<|pad|>")
TAGS = ("<tool_call>", "</tool_call>", "<think>", "</think>")

# In the manner of Qwen 3: it shows tools, and opens and closes the thoughts unless thinking is enabled.
HERMES_TEMPLATE = """\
{%- if tools %}
{{- '<|im_start|>system\\n' }}
{%- for tool in tools %}
{{- tool.function | tojson + '\\n' }}
{%- endfor %}
{{- 'Call with <tool_call>.<|im_end|>\\n' }}
{%- endif %}
{%- for document in documents or [] %}
{{- '<|im_start|>document\\n' + document.text + '<|im_end|>\\n' }}
{%- endfor %}
{%- for message in messages %}
{{- '<|im_start|>' + message.role + '\\n' + message.content }}
{%- for call in message.tool_calls or [] %}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' }}
{{- call.function.arguments | tojson + '}\\n</tool_call>' }}
{%- endfor %}
{{- '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}
{{- '<|im_start|>assistant\\n' }}
{%- if enable_thinking is defined and not enable_thinking %}
{{- '<think>\\n\\n</think>\\n\\n' }}
{%- endif %}
{%- endif %}
"""

# In the manner of DeepSeek R1: every answer starts inside of the thoughts.
THINKING_TEMPLATE = HERMES_TEMPLATE.replace("assistant\\n' }}", "assistant\\n<think>\\n' }}", 1)

# In the manner of Llama 3.1.
LLAMA_TEMPLATE = """\
{%- if tools %}
{{- '<|start_header_id|>system<|end_header_id|>\\n' }}
{{- 'Answer {"name": function name, "parameters": dictionary}.\\n' }}
{%- for tool in tools %}{{- tool | tojson }}{%- endfor %}
{%- endif %}
{%- for message in messages %}
{{- '<|start_header_id|>' + message.role + '<|end_header_id|>\\n' + message.content + '<|eot_id|>' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n' }}{%- endif %}
"""

# In the manner of Qwen 3.5: a system message anywhere but at the start is refused.
FIRST_SYSTEM_TEMPLATE = HERMES_TEMPLATE.replace(
    "{%- for message in messages %}\n",
    """\
{%- for message in messages %}
{%- if message.role == 'system' and not loop.first %}
{{- raise_exception('System message must be at the beginning.') }}
{%- endif %}
""",
)

# In the manner of Gemma: no tools, no system message, turns that alternate.
PLAIN_TEMPLATE = """\
{%- for message in messages %}
{%- if message.role == 'system' %}{{- raise_exception('System role not supported') }}{%- endif %}
{%- if (message.role == 'user') != (loop.index0 % 2 == 0) %}
{{- raise_exception('Roles must alternate') }}
{%- endif %}
{{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- endif %}
"""


def chat_tokenizer(
    template: str | dict[str, str] | None = HERMES_TEMPLATE,
    *,
    special_tags: Sequence[str] = (),
    placeholders: Sequence[str] = (),
) -> Tokenizer:
    """`special_tags`: those of the tags that are special tokens, as some models have them. `placeholders`:
    special tokens that stand for images and the like.
    """
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {character: index for index, character in enumerate(alphabet)}
    backend = Backend(backends.BPE(vocab=vocab, merges=[]))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    for text in (*SPECIAL, *TAGS, *placeholders):
        is_special = text not in TAGS or text in special_tags
        backend.add_tokens([AddedToken(text, special=is_special, normalized=False)])
    tokenizer_class: Any = PreTrainedTokenizerFast
    hf = tokenizer_class(
        tokenizer_object=backend, eos_token="<|im_end|>", pad_token="<|pad|>", chat_template=template
    )
    end = backend.token_to_id("<|im_end|>")
    assert end is not None
    return Tokenizer(hf, vocab_size=backend.get_vocab_size(), end_token_ids=(end,))
