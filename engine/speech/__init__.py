"""Speech: the facts about a model that transcribes, the features of sounds, its encoder, times of tokens."""
