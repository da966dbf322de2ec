"""How `verbatim-demo`, the model served when none is named, is made: data, training, evaluation."""
