"""The description that an engine gives of itself: its model, abilities, adapters and counters."""
