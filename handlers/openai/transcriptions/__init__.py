"""OpenAI's transcriptions and translations of sounds."""
