"""What all pages of the site have in common: head, title, way back, and where each page lies."""

from collections.abc import Iterable

from referee.formats.exported import PRACTICE, Exported
from referee.formats.html_parts import EMPTY, Html, file_name, link, said, tag

STYLE_FILE, INDEX = "style.css", "index.html"
ENTRIES, BOTS, MATCHES = "entries", "bots", "matches"
UP = "../"  # from a page in a folder to the root

# Nothing is fetched from anywhere, and no script could run if one got in.
_POLICY = "script-src 'none'; object-src 'none'; base-uri 'none'; form-action 'none'"


def path_of(folder: str, name: str) -> str:
    """Return where the page of an entry, bot or match lies."""
    return f"{folder}/{file_name(name)}"


def link_to(folder: str, name: str, *, up: str = UP) -> Html:
    """Return a link with a name to its page."""
    return link(up + path_of(folder, name), name)


def page(exported: Exported, title: str, *inside: Html, up: str = UP) -> str:
    """Return a page; `up` leads to the root, "" from the index itself."""
    is_index = not up
    about = said(f"{exported.event}, {exported.when}")
    heading = tag(
        "header",
        EMPTY if is_index else tag("nav", link(up + INDEX, f"Ladder {exported.event}")),
        tag("h1", said(title)),
        tag("p", said(exported.when)),
        tag("p", said(PRACTICE), class_="practice") if exported.practice else EMPTY,
    )
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", http_equiv="Content-Security-Policy", content=_POLICY),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", said(title if is_index else f"{title} - {exported.event}")),
        tag("link", rel="stylesheet", href=up + STYLE_FILE),
    )
    body = tag("body", heading, tag("main", *inside), tag("footer", tag("p", about)))
    return f"<!doctype html>\n{tag('html', head, body, lang='en')}\n"


def section(title: str, *inside: Html) -> Html:
    """Return a part of a page under its heading."""
    return tag("section", tag("h2", said(title)), *inside)


def listed(sentences: Iterable[str]) -> Html:
    """Return sentences as a list."""
    return tag("ul", *(tag("li", said(sentence)) for sentence in sentences))


def described(rows: Iterable[tuple[str, Html]]) -> Html:
    """Return names with what is to be said of each."""
    return tag("dl", *(part for name, what in rows for part in _described(name, what)))


def _described(name: str, what: Html) -> tuple[Html, Html]:
    return tag("dt", said(name)), tag("dd", what)
