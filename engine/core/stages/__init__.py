"""The stages of a step: sampling with its drafts, beams, embeddings, log-probabilities of prompts."""
