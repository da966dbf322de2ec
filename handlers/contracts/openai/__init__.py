"""OpenAI's contract on the neutral core."""
