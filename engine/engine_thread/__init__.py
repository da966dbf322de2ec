"""The thread of the own engine, and the messages between it and the event loop."""
