"""The parts that tests share: engines, servers, models and files that stand in for real ones."""
