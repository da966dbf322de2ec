"""Pages of the documentation site that are rendered from what they tell of."""
