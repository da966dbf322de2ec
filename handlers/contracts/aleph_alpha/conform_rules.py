"""The rules of Aleph Alpha's contract."""

from typing import Final

from verbatim_kit.conform.place import ABSENT
from verbatim_kit.conform.rules import Ban, Companion, Rules, has_part_of_type, is_longer_than, is_one_of

_ONE_WAY: Final = "only Aleph Alpha's own models support both values"

RULES: Final = Rules(
    companions=(
        Companion(
            "/chat/completions",
            "maximum_tokens",
            {("max_tokens",): ABSENT},
            "it is an alias of max_tokens, and only one of them may be set",
        ),
    ),
    bans=(
        Ban("*", "prompt.*", "the model reads only text", has_part_of_type("image"), True),
        Ban("*", "messages", "user and assistant alternate", is_longer_than(1)),
        Ban("*", "messages.role", "the last message is the user's", is_one_of("system", "assistant")),
        Ban("/complete", "best_of", "it must be greater than n", is_one_of(1, 1.0)),
        Ban("/complete", "*_include_prompt", _ONE_WAY, is_one_of(True), True),
        Ban("/complete", "*_include_completion", _ONE_WAY, is_one_of(False), True),
        Ban("/complete", "use_multiplicative_*", _ONE_WAY, is_one_of(True), True),
        Ban("/complete", "*_first_token_only", _ONE_WAY, is_one_of(True), True),
    ),
    overload_statuses=(429,),
)
