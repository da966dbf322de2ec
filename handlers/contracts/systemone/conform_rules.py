"""The rules of System One's contract."""

from verbatim_kit.conform.document import Json
from verbatim_kit.conform.rules import Ban, Rules, is_longer_than


def _asks_nothing(value: Json, body: Json) -> bool:
    """Return whether a question of the body is a noul with neither instructions nor a criterion."""
    questions = body["questions"] if isinstance(body, dict) else {}
    return any(
        isinstance(question, dict)
        and question.get("type") == "noul"
        and question.get("instructions") is None
        and not any(each is not None for each in (question.get("criteria") or {}).values())
        for question in (questions.values() if isinstance(questions, dict) else ())
    )


RULES = Rules(
    companions=(),
    bans=(
        Ban("*", "questions*", "a question must ask something", _asks_nothing),
        Ban("*", "questions*.criteria", "it exceeds the context", is_longer_than(100), True),
    ),
    names_only=True,
    overload_statuses=(429,),
)
