"""Every contract over token servers, beside the engine behind these."""
