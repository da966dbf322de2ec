"""The hooks that MkDocs calls while it builds the site; mkdocs.yml names this file.

Pages of contracts are rendered at each build from specs/ and generated/, so that `make generate` is all that
a change of a document needs.
"""

from functools import cache
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

from tools.docs.contract import Contract, contracts
from tools.docs.interactive import interactive_files
from tools.docs.links import site_links
from tools.docs.navigation import fill_navigation
from tools.docs.overview import overview

_ROOT = Path(__file__).parents[2]


@cache
def _contracts() -> tuple[Contract, ...]:
    return tuple(contracts(_ROOT))


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """The navigation, by the pages that there are."""
    _contracts.cache_clear()
    pages = [path.relative_to(config.docs_dir).as_posix() for path in Path(config.docs_dir).rglob("*.md")]
    config.nav = fill_navigation(config.nav, sorted(pages), _contracts())
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """The pages of the contracts, and what their interactive references need."""
    files.append(File.generated(config, "contracts/index.md", content=overview(_contracts())))
    for contract in _contracts():
        for path, text in contract.pages().items():
            files.append(File.generated(config, path, content=text))
    for path, content in interactive_files(_contracts()).items():
        files.append(File.generated(config, path, content=content))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files, **_: Any) -> str:
    """Links that stay in the site."""
    return site_links(markdown, _ROOT, page.file.src_uri)
