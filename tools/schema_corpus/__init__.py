"""JSON Schemas that others wrote, tried with grammars of ours and of others (`make schema-corpus`)."""
