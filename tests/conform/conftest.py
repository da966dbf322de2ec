"""The servers that are checked, by the engine behind them."""

from tests.support.token_servers.served_engines import fronts, served

__all__ = ("fronts", "served")
