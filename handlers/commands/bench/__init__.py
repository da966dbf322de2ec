"""The command `verbatim bench`, which measures any OpenAI-compatible server under load."""
