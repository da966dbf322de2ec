"""The parts that answers of chats and of completions have in common."""
