"""The table from errors to statuses, slugs and messages, which is TGI's but for the statuses.

400 is for the request and 422 for its generation, as the document has it.
"""

from typing import Final

from handlers.tgi.errors import error_table

to_problem: Final = error_table(invalid=400, failed=422, incomplete=422, adapter_field="model").to_problem
