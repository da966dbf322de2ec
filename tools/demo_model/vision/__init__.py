"""The making of `verbatim-demo-vision`, which reads drawings: their figures, questions, training."""
