"""Conversations as prompts: chat templates, their dialects, and control tokens."""
