"""The servers that tests of contracts ask, by the engine behind them."""

from tests.token_servers.served import fronts, served

__all__ = ("fronts", "served")
