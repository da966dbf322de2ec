"""A page a contract to browse its document and to send requests: Swagger UI, whole without network.

A page that is opened as a file may not fetch, so the document comes as a script.
"""

import json
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Final

from tools.docs.contract import Contract
from verbatim_kit.generate.documents.document import dump_document
from verbatim_kit.openapi.version_3_2 import as_3_2

_ASSETS: Final = ("swagger-ui-bundle.js", "swagger-ui.css", "favicon.png")
# Where the README's first command serves.
_SERVER: Final = "http://127.0.0.1:8080"
_PAGE: Final = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}: try it</title>
<link rel="icon" href="../assets/swagger/favicon.png">
<link rel="stylesheet" href="../assets/swagger/swagger-ui.css">
<style>
body {{ margin: 0; }}
nav {{ font: 15px/1.6 system-ui, sans-serif; padding: .6rem 1.4rem; background: #00897b; color: #fff; }}
nav a {{ color: #fff; }}
</style>
</head>
<body>
<nav><a href="{name}.html">← {title}</a> · requests go to {server}, where
<code>verbatim serve --cors-allow-origin <span id="origin"></span></code> lets this page call</nav>
<div id="swagger-ui"></div>
<script src="../assets/swagger/swagger-ui-bundle.js"></script>
<script src="{name}-document.js"></script>
<script>
document.getElementById("origin").textContent = window.origin;
SwaggerUIBundle({{ spec: contract, dom_id: "#swagger-ui", deepLinking: true, validatorUrl: null }});
</script>
</body>
</html>
"""


def interactive_files(contracts: Iterable[Contract]) -> dict[str, str | bytes]:
    """Content by its path in the site."""
    static = files("fastapi_offline").joinpath("static")
    found: dict[str, str | bytes] = {
        f"assets/swagger/{asset}": static.joinpath(asset).read_bytes() for asset in _ASSETS
    }
    for one in contracts:
        found[f"contracts/{one.name}-openapi.json"] = dump_document(one.document)
        found[f"contracts/{one.name}-openapi-3.2.json"] = dump_document(as_3_2(one.document))
        found[f"contracts/{one.name}-try.html"] = _PAGE.format(
            name=one.name, title=escape(one.title), server=_SERVER
        )
        found[f"contracts/{one.name}-document.js"] = _script(one)
    return found


def _script(contract: Contract) -> str:
    server = {"url": f"{_SERVER}/{contract.name}", "description": "A server on this machine"}
    document = {**contract.document, "servers": [server]}
    return f"const contract = {json.dumps(document, ensure_ascii=False)};\n"
