"""The place in which each family's model writes its label, after the prompt that its template ends with."""

import pytest

from engine.port.text.tokenizer import Tokenizer
from handlers.decisions.labels import Labels
from tests.support.scripted.engine import ScriptedEngine
from tests.unit.handlers.chat.prompt.control.families import FAMILIES, Family, tokenizer_of, wrapped
from tests.unit.handlers.contracts.openai.api import Api
from tests.unit.handlers.contracts.openai.decisions.scripted import DECISIONS, body, predicate, weighs

LAST = "Does this hold? Reply with one word only: Yes or No."
# The end of GLM 4.5's published template: answers begin on a line of their own, with or without thoughts.
GLM_45 = (
    "[gMASK]<sop>{% for m in messages %}<|{{ m.role }}|>"
    "{% if m.role == 'assistant' %}{{ '\\n<think></think>\\n' + m.content }}{% else %}{{ '\\n' + m.content }}"
    "{{ '/nothink' if m.role == 'user' and not enable_thinking else '' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>"
    "{{ '\\n<think></think>' if enable_thinking is defined and not enable_thinking else '' }}{% endif %}"
)
ENDS = {
    "qwen3": "<|im_end|>\n<|im_start|>assistant\n",
    "qwen3-coder": "<|im_end|>\n<|im_start|>assistant\n",
    "llama3": "<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n",
    "mistral": "[/INST]",  # and labels with a blank before them, where these are tokens
    "gemma": "<end_of_turn>\n<start_of_turn>model\n",
    "phi3": "<|end|><|assistant|>",  # whose tokens hold the line breaks after them
    "deepseek": "<｜Assistant｜><think>\n\n</think>\n\n",  # opened by the template, closed here
    "glm": "<|assistant|>",
    "glm 4.5": "/nothink<|assistant|>\n<think></think>\n",  # the last line break is the answer's
    "granite": "<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>",
    "command-r": "<|END_OF_TURN_TOKEN|><|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>",
    "gpt-oss": "<|end|><|start|>assistant<|channel|>final<|message|>",
}


def tokenizer_with_template(family: str) -> Tokenizer:
    if family != "glm 4.5":
        return tokenizer_of(family)
    traits: Family = FAMILIES["glm"]
    backend = tokenizer_of("glm").hf.backend_tokenizer
    return wrapped(backend, traits._replace(template=GLM_45))


@pytest.mark.parametrize("family", ENDS)
async def test_the_prompt_ends_where_the_label_is_written(family: str) -> None:
    tokenizer = tokenizer_with_template(family)
    server = Api(ScriptedEngine(weighs(lambda prompt, text: 0.5), tokenizer=tokenizer, max_total_tokens=4000))
    assert (await server.answer(DECISIONS, body(predicate())))["answers"][0]["probability"] > 0
    prompt = server.engine.requests[0].prompt.token_ids
    text = tokenizer.decode(prompt, skip_special_tokens=False)
    assert text.endswith(LAST + ENDS[family])
    for label, (spelling,) in zip(
        ("Yes", "No"), Labels(tokenizer).spellings(("Yes", "No"), prompt), strict=True
    ):
        assert tokenizer.decode((*prompt, *spelling), skip_special_tokens=False) == text + label


def test_all_families_are_tried() -> None:
    assert set(ENDS) == {*FAMILIES, "glm 4.5"}
