"""Completions in OpenAI's form, as TGI serves them."""
