"""Chats in OpenAI's form, as Hugging Face's hosted API serves them."""
