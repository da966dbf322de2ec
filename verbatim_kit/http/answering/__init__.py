"""The writing of answers: their heads and ends, and the pace of those that refuse."""
