"""The contract of Text Generation Inference: its operations, and what its wire says in neutral terms."""
