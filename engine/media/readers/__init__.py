"""The readers of images and audio, by transformers' processors; that of videos is in `engine/media/video`."""
