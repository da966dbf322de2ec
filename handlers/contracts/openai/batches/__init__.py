"""Files and batches: the operations of both, and the lines of batches."""
