"""Whole sequences and embeddings, as every contract answers with them."""
