"""Pages of lists, as OpenAI's clients go through them."""

from collections.abc import Sequence
from typing import Any, TypeVar

from generated.openai import models as m

PageT = TypeVar("PageT", m.ListBatchesResponse, m.ListFilesResponse, m.ResponseItemList)


def page_of(kind: type[PageT], entries: Sequence[Any], limit: int) -> PageT:
    """Return the first `limit` of some entries, and whether there are more."""
    page = list(entries[:limit])
    return kind(
        object="list",
        data=page,
        first_id=page[0].id if page else None,
        last_id=page[-1].id if page else None,
        has_more=len(entries) > len(page),
    )
