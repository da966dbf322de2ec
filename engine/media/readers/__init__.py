"""The readers of images and sounds, by transformers' processors; that of videos is in the room beside."""
