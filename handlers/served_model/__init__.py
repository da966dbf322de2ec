"""The served model, which all contracts share: names, token ids, errors, bounds, seeds."""
