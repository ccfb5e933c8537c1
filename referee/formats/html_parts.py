"""HTML that cannot be forgotten to be escaped: text of strangers is a `str`, markup an `Html`.

Only `said`, `tag` and `joined` make `Html`; a type checker finds a name that is put in raw.
"""

from collections.abc import Iterable, Sequence
from hashlib import sha256
from html import escape
from re import sub
from typing import NewType

import msgspec

from referee.formats.printable import printable

Html = NewType("Html", str)
EMPTY = Html("")
_VOID = ("meta", "link")  # without a content and an end


class Heading(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a column. `is_text`: its cells begin at the left, numbers end at the right."""

    title: str
    is_text: bool = False


def said(text: str) -> Html:
    """Return text as it is to be read.

    >>> said("<b>&'")
    '&lt;b&gt;&amp;&#x27;'
    """
    return Html(escape(printable(text)))


def tag(name: str, /, *inside: Html, **attributes: str) -> Html:
    """Return an element; a `_` at the end of an attribute's name is left out, others become `-`.

    >>> tag("a", said("x"), href="y.html", class_="z")
    '<a href="y.html" class="z">x</a>'
    """
    shown = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{said(value)}"' for key, value in attributes.items()
    )
    if name in _VOID:
        return Html(f"<{name}{shown}>")
    return Html(f"<{name}{shown}>{''.join(inside)}</{name}>")


def joined(parts: Iterable[Html], between: str = "") -> Html:
    """Return parts one behind the other, with text between them."""
    return Html(said(between).join(parts))


def link(to: str, text: str) -> Html:
    """Return a link with its text."""
    return tag("a", said(text), href=to)


def table(caption: str, heads: Sequence[Heading], rows: Sequence[Sequence[Html]]) -> Html:
    """Return a table that scrolls by itself on a narrow page. The first cell heads its row."""
    head = tag(
        "tr",
        *(tag("th", said(h.title), scope="col", class_=_class(h)) for h in heads),
    )
    body = joined(
        Html(
            "\n" + tag("tr", *(_cell(place, cell, heads[place]) for place, cell in enumerate(row)))
        )
        for row in rows
    )
    whole = tag("table", tag("caption", said(caption)), tag("thead", head), tag("tbody", body))
    return tag("div", whole, class_="wide", role="region", tabindex="0", aria_label=caption)


def _cell(place: int, cell: Html, head: Heading) -> Html:
    if place == 0:
        return tag("th", cell, scope="row", class_=_class(head))
    return tag("td", cell, class_=_class(head))


def _class(head: Heading) -> str:
    return "text" if head.is_text else "number"


def headings(titles: Sequence[str], *, texts: Iterable[str]) -> list[Heading]:
    """Return the heads of columns; `texts` are the titles of those with text."""
    names = set(texts)
    return [Heading(title=title, is_text=title in names) for title in titles]


def file_name(name: str) -> str:
    """Return a file name for the page of a name: readable, safe everywhere, and never twice.

    Names that differ in case only are two files on every disk.

    >>> file_name("Zoë/../x")
    'zo-x-3be53085.html'
    """
    readable = sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:40]
    return f"{readable or 'page'}-{sha256(name.encode()).hexdigest()[:8]}.html"
