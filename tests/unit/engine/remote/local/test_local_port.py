"""The port of a server that is started: nobody takes it meanwhile, and no earlier server is there."""

import asyncio
import sys
from pathlib import Path

import pytest

from engine.port.errors import ModelNotSupported
from engine.remote.local import local_port
from engine.remote.local.local_port import free_port, wait_until_left
from tests.support.clocks.until import until


@pytest.mark.skipif(sys.platform != "linux", reason="it reads /proc")
def test_the_port_is_none_that_the_system_gives_to_connections(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = tmp_path / "range"
    monkeypatch.setattr(local_port, "_RANGE", given)
    given.write_text("12000\t65000\n")
    ports = {free_port() for _ in range(50)}
    assert all(10_000 <= port < 12_000 or 65_000 < port <= 65_535 for port in ports)
    assert len(ports) > 25, "servers that start at the same time have different ones"
    given.write_text("1024 65535")
    assert free_port() > 1023
    given.unlink()
    assert free_port() > 1023


async def test_a_server_that_is_about_to_end_is_waited_for() -> None:
    def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.close()

    said: list[str] = []
    async with await asyncio.start_server(accept, "127.0.0.1", 0) as server:
        url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        with pytest.raises(ModelNotSupported, match=f"another server listens at {url} already"):
            await wait_until_left(url, 0.0, said.append)
        waiting = asyncio.create_task(wait_until_left(url, 60.0, said.append))
        await until(lambda: said)
        assert not waiting.done()
        server.close()
        await asyncio.wait_for(waiting, 60)
    assert said == [f"waiting until the server that is at {url} has left"]
