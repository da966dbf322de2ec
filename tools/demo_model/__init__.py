"""The making of `verbatim-demo`, the model served when none is named: data, training, evaluation."""
