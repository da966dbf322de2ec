"""The operations that vLLM has beside OpenAI's: prompts as tokens, the tokenizer, adapters."""
