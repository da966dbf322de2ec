"""Speech: the facts about a model that transcribes, the features of audio, its encoder, times of tokens."""
