"""The settings that no single contract owns, and what sections of settings are made of."""
