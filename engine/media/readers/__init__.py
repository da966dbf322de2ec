"""What reads images and sounds for a model, by transformers' processors; for videos it is the room beside."""
