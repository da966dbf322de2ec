"""Chats in OpenAI's form, as TGI serves them."""
