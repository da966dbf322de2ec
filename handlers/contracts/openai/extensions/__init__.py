"""The operations that vLLM has in addition to OpenAI's: prompts as tokens, the tokenizer, adapters."""
