"""Open Responses: OpenAI's responses in the form that its project publishes."""
