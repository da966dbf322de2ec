"""openapi-spec-validator, with its check of schemas by their metaschema done in Rust.

The library judges the document itself by jsonschema-rs, but each schema in it by jsonschema, in Python, which
takes longer than all else that it does. Here a schema that jsonschema-rs takes for valid is; for another the
library's own check says what is wrong.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import jsonschema_rs
from jsonschema_path import SchemaPath
from openapi_schema_validator import OAS31_BASE_DIALECT_ID, OAS31Validator
from openapi_schema_validator._specifications import REGISTRY  # the metaschema's vocabularies, nowhere public
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator.validation.keywords import OpenAPIV31SchemaValidator
from typing_extensions import override


class _SchemaValidator(OpenAPIV31SchemaValidator):
    """The check of one schema, in OpenAPI's own dialect or another."""

    @override
    def _get_schema_checker(self, schema: SchemaPath, schema_value: Any) -> Callable[[Any], None]:
        check = super()._get_schema_checker(schema, schema_value)
        if self._get_schema_dialect_id(schema, schema_value) != OAS31_BASE_DIALECT_ID:
            return check
        return lambda value: None if _metaschema().is_valid(value) else check(value)


class SpecValidator(OpenAPIV31SpecValidator):
    """The validator of OpenAPI 3.1 documents."""

    keyword_validators = OpenAPIV31SpecValidator.keyword_validators | {"schema": _SchemaValidator}


@cache
def _metaschema() -> jsonschema_rs.Validator:
    resources = [(uri, REGISTRY.contents(uri)) for uri in REGISTRY]
    return jsonschema_rs.validator_for(
        OAS31Validator.META_SCHEMA, registry=jsonschema_rs.Registry(resources), validate_formats=True
    )
