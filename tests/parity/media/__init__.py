"""Models that read images, sounds and videos, beside transformers' whole models."""
