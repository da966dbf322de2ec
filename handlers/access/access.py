"""Access control of a server, created from its settings."""

import asyncio
from collections.abc import AsyncGenerator, Collection
from contextlib import asynccontextmanager
from pathlib import Path

from starlette.types import ASGIApp

from handlers.access.closed_pages import ClosedPages
from handlers.access.host_check import HostCheck
from handlers.access.hosts import AllowedHosts, is_loopback
from handlers.access.keys.key_check import KeyCheck
from handlers.access.keys.keyring import Keyring
from handlers.access.settings import AccessSettings
from handlers.access.visits.record_log import (
    MAX_WAITING,
    MAX_WAITING_TEXTS,
    STANDARD_ERROR,
    RecordLog,
    check_writable,
)
from handlers.access.visits.request_record import RecordLine, json_line, text_line
from handlers.access.visits.visits import TakesLine, Visits
from handlers.access.web_pages import WebPageGuard
from verbatim_kit.runtime.server import ContractServer


def check_access(settings: AccessSettings, contracts: Collection[str]) -> None:
    """Raise InvalidKeyFile or CannotWriteAuditLog for unusable settings, before the model is loaded."""
    _keyring(settings, contracts)
    if settings.audit_log is not None:
        check_writable(settings.audit_log)


class Access:
    """The access control of a server: keys, protected pages, the guard against web pages, and the logs of
    requests.

    host: the address that the server listens on. contracts: the names of all contracts. key_check: None if no
    key is required. Raises InvalidKeyFile and CannotWriteAuditLog.
    """

    def __init__(self, settings: AccessSettings, host: str, contracts: Collection[str]) -> None:
        self._settings = settings
        self._host = host
        self._keyring = _keyring(settings, contracts)
        self._audit_log = None if settings.audit_log is None else RecordLog(settings.audit_log)
        encode = json_line if settings.logs_json else text_line
        num_waiting = MAX_WAITING_TEXTS if settings.logs_texts else MAX_WAITING
        self._log = RecordLog(STANDARD_ERROR, encode, num_waiting) if settings.logs_ends else None
        self.key_check = KeyCheck(self._keyring) if settings.asks_for_key else None
        self.losses: list[str] = []
        """What was lost when the server stopped; the log has said it."""

    def closed(self, app: ASGIApp, server: ContractServer, open_paths: Collection[str]) -> ASGIApp:
        """Return the application around a server, wrapped to require a key for all paths if the settings
        say so.

        open_paths: as in `ClosedPages`.
        """
        if self.key_check is None or self._settings.require_key == "operations":
            return app
        return ClosedPages(app, server, self.key_check, open_paths)

    def guarded(
        self, app: ASGIApp, server: ContractServer, quiet_paths: Collection[str], count: TakesLine
    ) -> ASGIApp:
        """Wrap the application in the check of the Host header, in the guard against web pages of other
        sites, and in the logs of requests.

        A web page does not have a key, so a server that requires keys accepts any host and origin, unless
        allowed hosts are set. quiet_paths: as in `Visits`. count: counts each request when it has ended.
        """
        settings = self._settings
        is_open = self.key_check is None
        is_local = is_open and is_loopback(self._host)
        names = settings.allowed_hosts
        if is_open or names:
            app = WebPageGuard(
                app,
                server.refusal,
                hosts=AllowedHosts(names) if names or is_local else None,
                only_over_loopback=not names,
                origins=settings.cors_allow_origin if is_open else None,
            )
        app = HostCheck(app, server.refusal)
        takers = [count]
        if self._audit_log is not None:
            takers.append(self._audit)
        if self._log is not None:
            takers.append(self._tell)
        return Visits(app, takers, quiet_paths, keeps_texts=settings.logs_texts)

    def _audit(self, line: RecordLine) -> None:
        assert self._audit_log is not None
        self._audit_log.write(line.without_texts())

    def _tell(self, line: RecordLine) -> None:
        assert self._log is not None
        if line.level != "DEBUG" or self._settings.log_level == "debug":
            self._log.write(line)

    @asynccontextmanager
    async def kept_up(self) -> AsyncGenerator[None, None]:
        """Reload changed keys and write the logs of requests while the block runs."""
        reloading = asyncio.create_task(self._keyring.keep_fresh()) if self._keyring.has_file else None
        for log in filter(None, (self._audit_log, self._log)):
            log.start()
        try:
            yield
        finally:
            if reloading is not None:
                reloading.cancel()
            if self._log is not None:
                await asyncio.to_thread(self._log.close)
            if self._audit_log is not None and not await asyncio.to_thread(self._audit_log.close):
                self.losses.append("entries of the audit log")


def _keyring(settings: AccessSettings, contracts: Collection[str]) -> Keyring:
    path = None if settings.api_keys_file is None else Path(settings.api_keys_file)
    return Keyring(settings.api_key, path, contracts)
