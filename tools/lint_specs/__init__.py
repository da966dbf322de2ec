"""Rules of style that the contracts' effective documents keep, in addition to being valid OpenAPI."""
