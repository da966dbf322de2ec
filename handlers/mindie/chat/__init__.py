"""MindIE's chats."""
