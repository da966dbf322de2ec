"""Rules of style that the contracts' effective documents keep, beside being valid OpenAPI."""
