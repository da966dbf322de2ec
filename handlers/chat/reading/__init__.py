"""The reading of an answer as it is written: thoughts, content, tool calls, log-probabilities."""
