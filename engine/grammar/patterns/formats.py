"""The patterns of JSON Schema's formats.

They are narrower than the specifications, so that every reader takes what matches them.
"""

from typing import Final

_HEX: Final = "[0-9a-fA-F]"
_OCTET: Final = r"(?:25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"

# RFC 3339 without leap seconds, the 29th of February and years before 1000, which only some readers take.
_DAY_OF_MONTH: Final = (
    r"(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)"
    r"|02-(?:0[1-9]|1[0-9]|2[0-8]))"
)
_DATE: Final = rf"[1-9][0-9]{{3}}-{_DAY_OF_MONTH}"
_HOUR: Final = r"(?:[01][0-9]|2[0-3]):[0-5][0-9]"
_TIME: Final = rf"{_HOUR}:[0-5][0-9](?:\.[0-9]{{1,9}})?(?:Z|[+-]{_HOUR})"

# RFC 3339, appendix A, with a number in each part that is there, and without fractions.
_CLOCK: Final = r"T(?:[0-9]{1,9}H(?:[0-9]{1,9}M(?:[0-9]{1,9}S)?)?|[0-9]{1,9}M(?:[0-9]{1,9}S)?|[0-9]{1,9}S)"
_DURATION: Final = (
    rf"P(?:[0-9]{{1,9}}W|(?:[0-9]{{1,9}}Y(?:[0-9]{{1,9}}M(?:[0-9]{{1,9}}D)?)?|[0-9]{{1,9}}M(?:[0-9]{{1,9}}D)?"
    rf"|[0-9]{{1,9}}D)(?:{_CLOCK})?|{_CLOCK})"
)

# RFC 5321 without quoted names and rare signs, and short of its limits of length.
_WORD: Final = r"[A-Za-z0-9_+-]{1,20}"
_LABEL: Final = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,20}[A-Za-z0-9])?"
_EMAIL: Final = rf"{_WORD}(?:\.{_WORD}){{0,2}}@(?:{_LABEL}\.){{1,3}}[A-Za-z]{{2,10}}"

# Absolute ones with an authority, and without user information, escapes and rare signs.
_PATH: Final = r"(?:/[A-Za-z0-9._~-]*)*"
_REST: Final = rf"{_PATH}(?:\?[A-Za-z0-9._~=&/-]*)?(?:#[A-Za-z0-9._~/-]*)?"
_URI: Final = rf"[a-z][a-z0-9+.-]{{0,15}}://{_LABEL}(?:\.{_LABEL}){{0,4}}(?::[1-9][0-9]{{0,3}})?{_REST}"

# RFC 4291 with hexadecimal groups only: all eight, or one run of zeros left out.
_GROUP: Final = rf"{_HEX}{{1,4}}"
_IPV6: Final = "|".join(
    [
        rf"(?:{_GROUP}:){{7}}{_GROUP}",
        *(rf"(?:{_GROUP}:){{{before}}}(?::{_GROUP}){{1,{7 - before}}}" for before in range(1, 7)),
        rf":(?::{_GROUP}){{1,7}}",
        rf"(?:{_GROUP}:){{1,7}}:",
        "::",
    ]
)

FORMAT_PATTERNS: Final[dict[str, str]] = {
    "ipv4": rf"^{_OCTET}(?:\.{_OCTET}){{3}}$",
    "ipv6": rf"^(?:{_IPV6})$",
    "date": rf"^{_DATE}$",
    "time": rf"^{_TIME}$",
    "date-time": rf"^{_DATE}T{_TIME}$",
    "duration": rf"^{_DURATION}$",
    "email": rf"^{_EMAIL}$",
    "hostname": rf"^{_LABEL}(?:\.{_LABEL}){{0,3}}$",
    "uri": rf"^{_URI}$",
    "uri-reference": rf"^(?:{_URI}|{_REST})$",
    "uri-template": rf"^(?:{_URI})?(?:[A-Za-z0-9._~/?#=&-]|\{{[A-Za-z0-9_]{{1,40}}\}})*$",
    "uuid": rf"^{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}$",
}
"""Those that are enforced; others are annotations."""
