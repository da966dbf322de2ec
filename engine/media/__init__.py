"""Images, audio and videos in prompts: their files, the model's own processor, and its encoder."""
