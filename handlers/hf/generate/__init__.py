"""Generation by Hugging Face's hosted API."""
