"""Languages by the names that OpenAI's answers have."""


def language_name(code: str) -> str:
    """Return the English name of one of Whisper's languages in lower case; the code where it has none."""
    # Only a server whose model transcribes needs it, and that has loaded transformers already.
    from transformers.models.whisper.tokenization_whisper import LANGUAGES

    return str(LANGUAGES.get(code, code))
