"""The ways in which a request can differ from what it must be."""

from enum import Enum, auto


class Violation(Enum):
    """The way in which a field or the body is invalid; contracts have codes of their own for it."""

    MALFORMED_JSON = auto()
    MALFORMED_FORM = auto()  # a body that is not the multipart/form-data that it says it is
    INVALID_UTF8 = auto()
    MISSING = auto()  # a required field is not there
    UNKNOWN = auto()  # a field that the document does not have
    REPEATED = auto()  # a parameter that is given more than once
    WRONG_TYPE = auto()
    TOO_SMALL = auto()  # a number
    TOO_LARGE = auto()
    TOO_SHORT = auto()  # a text, an array or an object
    TOO_LONG = auto()
    UNSUPPORTED_VALUE = auto()  # not one of those that the document lists, or that this server has
    UNSUPPORTED_FIELD = auto()  # known, and beyond this server or its model; maybe null alone is allowed
    INVALID_VALUE = auto()  # any other
