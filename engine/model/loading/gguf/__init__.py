"""GGUF files: their headers, checked before anything is believed, and the models that they describe."""
