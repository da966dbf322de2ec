"""Aleph Alpha's chats."""
