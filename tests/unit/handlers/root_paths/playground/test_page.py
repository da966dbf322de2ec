"""The page as a browser gets it: every part served, typed, cached and bound to this server."""

import re
from importlib.resources import files
from pathlib import PurePath

import pytest

from handlers.composition import CONTRACTS
from handlers.serving.start_up_table import start_up_table
from handlers.settings.settings import Settings
from tests.support.scripted.engine import ScriptedEngine, says
from tests.unit.handlers.contracts.tgi.api import Api
from tests.unit.verbatim_kit.runtime.client import send
from verbatim_kit.runtime.documents.pages import HEADERS

TYPES = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
ASSETS = files("handlers.root_paths.playground").joinpath("assets")
NAMES = sorted(one.name for one in ASSETS.iterdir() if one.is_file()) + sorted(
    f"shapes/{one.name}" for one in ASSETS.joinpath("shapes").iterdir()
)
_IMPORT = re.compile(r'from "([^"]+)"')
_LINK = re.compile(r'(?:href|src)="([^"#]+)"')


def api(**settings: object) -> Api:
    return Api(says("a"), **settings)


async def test_every_part_is_served_with_its_type_and_the_headers_that_guard_it() -> None:
    one = api()
    for name in NAMES:
        answer = await one.get(f"/playground/{name}")
        assert answer.status_code == 200, name
        assert answer.headers["content-type"] == TYPES[PurePath(name).suffix], name
        assert {header: answer.headers[header] for header in HEADERS} == dict(HEADERS), name


@pytest.mark.parametrize("path", ["/", "/playground", "/docs", *(f"/{name}/docs" for name in CONTRACTS)])
async def test_a_page_allows_nothing_but_this_servers_own_scripts_and_styles(path: str) -> None:
    answer = await send(api().app, "GET", path, headers={"accept": "text/html"})
    assert answer.headers["content-type"] == TYPES[".html"]
    assert {header: answer.headers[header] for header in HEADERS} == dict(HEADERS)
    assert answer.headers["content-security-policy"].startswith("default-src 'self'; img-src 'self' data:;")
    assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=", answer.text), (
        "the policy forbids it"
    )


async def test_all_that_the_page_and_its_scripts_name_is_served_by_relative_links() -> None:
    one = api()
    pages = [
        await send(one.app, "GET", path, headers={"accept": "text/html"}) for path in ("/", "/playground")
    ]
    for link in _LINK.findall("".join(page.text for page in pages)):
        assert not link.startswith("/") and "//" not in link
        if link != "./":
            assert (await one.get(f"/{link}")).status_code == 200, link
    for name in NAMES:
        for link in _IMPORT.findall(ASSETS.joinpath(name).read_text()) if name.endswith(".js") else ():
            target = str(PurePath("/playground", PurePath(name).parent, link)).replace("shapes/../", "")
            assert (await one.get(target)).status_code == 200, f"{name} imports {link}"


async def test_a_part_that_the_browser_has_is_not_sent_again() -> None:
    one = api()
    for path in ("/playground", "/playground/main.js"):
        first = await one.get(path)
        again = await send(one.app, "GET", path, headers={"if-none-match": first.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == first.headers["etag"]
        assert again.headers["cache-control"] == "no-cache"


async def test_a_slash_at_the_end_leads_to_the_page_by_a_relative_link() -> None:
    answer = await api().get("/playground/")
    assert (answer.status_code, answer.headers["location"]) == (307, "../playground")


@pytest.mark.parametrize(
    "path", ["/playground/nothing.js", "/playground/../page.py", "/playground/%2e%2e/page.py"]
)
async def test_what_is_no_part_of_the_page_is_not_found_in_the_contracts_words(path: str) -> None:
    assert (await api().get(path)).json()["error_type"] == "not_found"


async def test_the_page_can_be_switched_off() -> None:
    one = api(playground=False)
    for path in ("", "/", "/about", "/state", "/main.js"):
        answer = await one.get(f"/playground{path}")
        assert (answer.status_code, answer.json()["error_type"]) == (404, "not_found"), path


async def test_the_list_of_contracts_and_the_start_lead_to_the_page_unless_it_is_off() -> None:
    info = ScriptedEngine(says("a")).model_info
    for is_on in (True, False):
        pages = start_up_table(Settings(playground=is_on), info).splitlines()[-1].split(maxsplit=1)
        assert pages == ["pages", "/, /docs, /playground" if is_on else "/docs"]
        links = _LINK.findall((await api(playground=is_on).get("/docs")).text)
        assert ("playground" in links) == is_on


async def test_the_page_is_told_the_model_the_contracts_and_whether_a_key_is_asked_for() -> None:
    told = (await api(served_model_name="mine", api_key="Secret").get("/playground/about")).json()
    assert (told["model"], told["example_model"], told["asks_for_key"]) == ("mine", "verbatim-demo", True)
    assert [one["name"] for one in told["contracts"]] == list(CONTRACTS)
    assert told["contracts"][0] == {"name": "openai", "title": "OpenAI API", "base_path": "/openai/v1"}
    assert told["generates_text"]
    assert told["device"] == "cpu, float32"


async def test_the_key_itself_is_told_to_nobody() -> None:
    one = api(api_key="Secret")
    for path in ("", "/about", "/state"):
        assert "Secret" not in (await one.get(f"/playground{path}")).text
