"""The kinds of invalid requests."""

from enum import Enum, auto


class Violation(Enum):
    """The kind of error in a field or in the body, which contracts map to their own codes."""

    MALFORMED_JSON = auto()
    MALFORMED_FORM = auto()  # a body that is declared as multipart/form-data and is not valid
    INVALID_UTF8 = auto()
    MISSING = auto()  # a required field is missing
    UNKNOWN = auto()  # a field that the document does not have
    REPEATED = auto()  # a parameter that is given more than once
    WRONG_TYPE = auto()
    TOO_SMALL = auto()  # a number
    TOO_LARGE = auto()
    TOO_SHORT = auto()  # a text, an array or an object
    TOO_LONG = auto()
    UNSUPPORTED_VALUE = auto()  # not one of those that the document lists, or that this server has
    UNSUPPORTED_FIELD = auto()  # not supported by this server or its model, except perhaps as null
    INVALID_VALUE = auto()  # any other
