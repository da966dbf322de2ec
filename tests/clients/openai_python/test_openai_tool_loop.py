"""A developer's tool loop: the model calls, the caller runs the tool, the model tells what came of it."""

import json
from typing import Any, Final

from openai import OpenAI
from openai.types.chat.chat_completion import Choice

from tools.demo_model.scribe import Scribe, Split
from tools.demo_model.skills.calling import calling

NUM_PROMPTS: Final = 50
NEEDED: Final = 45


def test_loops_over_unseen_prompts_come_to_the_right_answer(server_url: str) -> None:
    scribe = Scribe(7, Split.UNSEEN)
    with OpenAI(base_url=f"{server_url}/openai/v1", api_key="none", max_retries=0) as client:
        right = sum(_is_solved(client, scribe) for _ in range(NUM_PROMPTS))
    assert right >= NEEDED, f"{right} of {NUM_PROMPTS} loops came to the right answer"


def _is_solved(client: OpenAI, scribe: Scribe) -> bool:
    dialogue = calling(scribe).without_thoughts()
    *earlier, last = dialogue.rounds
    messages: list[Any] = [] if dialogue.system is None else [{"role": "system", "content": dialogue.system}]
    messages += [_sent(message) for talk in earlier for message in talk.messages()]
    messages.append({"role": "user", "content": last.user})
    first = _ask(client, messages, dialogue.tools)
    if first.finish_reason == "length":
        return False
    answer = first.message
    calls = answer.tool_calls or []
    made = [
        (one.function.name, json.loads(one.function.arguments)) for one in calls if one.type == "function"
    ]
    if made != [(call.name, dict(call.arguments)) for call in last.calls]:
        return False
    messages.append(answer.model_dump(exclude_none=True, include={"role", "content", "tool_calls"}))
    messages += [
        {"role": "tool", "tool_call_id": call.id, "content": result}
        for call, result in zip(calls, last.results, strict=True)
    ]
    said = (_ask(client, messages, dialogue.tools).message.content or "").lower()
    return all(word in said for word in last.accept)


def _ask(client: OpenAI, messages: list[Any], tools: Any) -> Choice:
    completion = client.chat.completions.create(
        model="verbatim-demo",
        messages=messages,
        tools=[_offered(tool) for tool in tools],
        temperature=0,
        max_completion_tokens=120,
    )
    return completion.choices[0]


def _offered(tool: dict[str, Any]) -> Any:
    """Without `strict`: schemas of the corpus are looser than it allows."""
    function = {key: value for key, value in tool.items() if key != "strict"}
    return {"type": "function", "function": function}


def _sent(message: dict[str, Any]) -> dict[str, Any]:
    """A message of the corpus as a client of OpenAI's would send it back."""
    sent = {key: value for key, value in message.items() if key != "reasoning_content"}
    if calls := sent.get("tool_calls"):
        sent["tool_calls"] = [_call(number, call) for number, call in enumerate(calls)]
    if sent["role"] == "tool":
        sent["tool_call_id"] = "call_0"
    return sent


def _call(number: int, call: dict[str, Any]) -> dict[str, Any]:
    function = call["function"]
    text = json.dumps(function["arguments"])
    return {
        "id": f"call_{number}",
        "type": "function",
        "function": {"name": function["name"], "arguments": text},
    }
