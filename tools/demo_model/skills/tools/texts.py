"""Tools that take free text: search, messages and notes."""

from tools.demo_model.scribe import Phrases, Scribe
from tools.demo_model.skills.tools.offer import Errand, Offer, describe, parameter

_SEARCH = Phrases.of(
    "Search for {x}.|Search the web for {x}.|Look up {x}.|Find {x} on the web.|Please search for {x}.|"
    'Search: {x}|Google {x}|Can you look up {x}?|Search for "{x}".|Look for {x}, please.|'
    "I want to know more about {x}. Search for it.",
    unseen='Can you search for {x}?|Please look up {x}.|Search the web for "{x}".',
)
_SEND = Phrases.of(
    "Send {y} the message: {x}|Tell {y} {x}.|Send a message to {y}: {x}|Write to {y}: {x}|"
    'Send "{x}" to {y}.|Text {y}: {x}|Please send {y} this message: {x}|Message {y} "{x}".|'
    "Let {y} know: {x}|Send to {y}: {x}",
    unseen='Please write to {y}: {x}|Send {y} a message: {x}|Please send "{x}" to {y}.',
)
_NOTE = Phrases.of(
    'Make a note: {x}|Note: {x}|Write down {x}.|Save the note "{x}".|Take a note: {x}|Please note {x}.|'
    "Remember this: {x}",
    unseen="Please make a note: {x}|Please write down: {x}",
)


def search(scribe: Scribe) -> Offer:
    """A query to be copied whole."""
    key = scribe.pick(("query", "query", "q", "text", "keywords"))

    def ask(scribe: Scribe) -> Errand:
        x, found = scribe.sentence(1, 4), scribe.sentence(2, 5)
        return Errand(scribe.say(_SEARCH, x=x), {key: x}, {"result": found}, f"I found this: {found}.", found)

    name = scribe.pick(("search", "search", "web_search", "search_web", "find", "lookup", "google"))
    return Offer(
        describe(
            scribe,
            name,
            scribe.pick(("Search the web", "Search for a text", "Find pages")),
            {key: parameter(scribe, "string", "What to search for")},
        ),
        ask,
    )


def message(scribe: Scribe) -> Offer:
    """A person and a text."""
    to, text = scribe.pick(
        (("to", "text"), ("to", "text"), ("recipient", "message"), ("to", "body"), ("name", "message"))
    )
    keys = (to, text) if scribe.chance(0.75) else (text, to)

    def ask(scribe: Scribe) -> Errand:
        x, y = scribe.sentence(2, 6), scribe.person()
        values = {to: y, text: x}
        return Errand(
            scribe.say(_SEND, x=x, y=y),
            {key: values[key] for key in keys},
            {"status": "sent"},
            f"The message to {y} is sent.",
            f"to {y} is sent",
        )

    name = scribe.pick(
        ("send_message", "send_message", "send", "message", "sendMessage", "send_text", "send_email")
    )
    return Offer(
        describe(
            scribe, name, "Send a message to a person", {key: parameter(scribe, "string") for key in keys}
        ),
        ask,
    )


def note(scribe: Scribe) -> Offer:
    """A text to keep."""
    key = scribe.pick(("text", "note", "content"))

    def ask(scribe: Scribe) -> Errand:
        x = scribe.sentence(2, 6)
        return Errand(scribe.say(_NOTE, x=x), {key: x}, {"status": "saved"}, f"Noted: {x}.", x)

    name = scribe.pick(("make_note", "save_note", "note", "add_note", "write_note"))
    return Offer(describe(scribe, name, "Save a note", {key: parameter(scribe, "string", "The text")}), ask)
