"""The contract of Hugging Face's hosted API: its operations, and what its wire says in neutral terms."""
