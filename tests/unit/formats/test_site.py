"""The site of a ladder: it opens from the disk, links hold, and no name becomes markup."""

import posixpath
import re
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

import pytest

from referee.formats.export import ExportFormat, exported_files
from referee.formats.html_parts import file_name, said, tag
from tests.golden.ladder.texts import exported as played
from tests.unit.formats.exports import HOSTILE, NASTY, WHEN, exported

VOID = ("meta", "link")
KNOWN = {
    "html", "head", "meta", "title", "link", "body", "header", "nav", "main", "footer", "section",
    "h1", "h2", "p", "ul", "li", "dl", "dt", "dd", "div", "table", "caption", "thead", "tbody",
    "tr", "th", "td", "a", "svg", "line", "circle",
}  # fmt: skip
ATTRIBUTES = {
    "lang", "charset", "name", "content", "http-equiv", "rel", "href", "class", "role", "tabindex",
    "aria-label", "aria-hidden", "scope", "viewbox", "x1", "x2", "y1", "y2", "cx", "cy", "r",
}  # fmt: skip


class Page(HTMLParser):
    """Reads a page strictly: every element is closed, known, and has known attributes."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.links: list[str] = []
        self.text = ""
        self.widths: list[int] = []
        self.feed(text)
        self.close()
        assert self.open == [], "an element is not closed"

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in KNOWN, tag
        assert {name for name, _ in attrs} <= ATTRIBUTES, attrs
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag == "tr":
            self.widths.append(0)
        if tag in ("td", "th"):
            self.widths[-1] += 1
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


class Site(NamedTuple):
    """All files of a site, and its pages read."""

    files: dict[str, str]
    pages: dict[str, Page]


def site(*, hostile: bool = True, practice: bool = False) -> Site:
    what = exported(practice=practice) if hostile else played(practice=practice)
    written = list(exported_files(ExportFormat.HTML, what))
    files = dict(written)
    assert len(files) == len(written), "a file is written twice"
    pages = {path: Page(text) for path, text in files.items() if path.endswith(".html")}
    return Site(files, pages)


BOTH = pytest.mark.parametrize("hostile", [True, False])


@BOTH
def test_every_link_is_relative_and_leads_to_a_file_of_the_site(*, hostile: bool) -> None:
    files, pages = site(hostile=hostile)
    reached = set()
    for path, page in pages.items():
        assert page.links
        for link in page.links:
            parts = urlsplit(link)
            assert (parts.scheme, parts.netloc, link[0] == "/") == ("", "", False), link
            to = posixpath.normpath(posixpath.join(posixpath.dirname(path), unquote(parts.path)))
            assert to in files, f"{path}: {link}"
            reached.add(to)
    assert reached == set(files), "a page that nothing leads to"


@BOTH
def test_every_table_has_as_many_cells_in_each_row(*, hostile: bool) -> None:
    for path, text in site(hostile=hostile).files.items():
        for table in re.findall(r"<table>.*?</table>", text, re.DOTALL):
            assert len(set(Page(table).widths)) == 1, path


def test_a_name_never_becomes_markup() -> None:
    """Pages are read with only the elements and attributes that we write; names are text."""
    files, pages = site()
    for path, text in files.items():
        assert "<script" not in text.lower(), path
        assert "\x1b" not in text, path
    index = pages["index.html"]
    assert index.text.count(HOSTILE) >= 5
    assert "a\\x1b[31mb\\nc,d" in index.text


@pytest.mark.parametrize("name", [*NASTY, "", "ä" * 300, "NUL", "a/b", "a\\b", "%2e%2e"])
def test_a_page_has_a_safe_name(name: str) -> None:
    assert re.fullmatch(r"[a-z0-9-]{1,40}-[0-9a-f]{8}\.html", file_name(name))


def test_names_that_differ_in_case_only_have_pages_of_their_own() -> None:
    assert file_name("Zoe") != file_name("zoe")


def test_pages_say_event_and_time_and_the_index_its_rulings() -> None:
    _, pages = site(hostile=False)
    for path, page in pages.items():
        assert "spring-cup" in page.text, path
        assert WHEN in page.text, path
        assert "Practice" not in page.text, path
    assert "luna.v2~random/2 annulled. Reason: the machine was shared" in pages["index.html"].text


def test_every_page_of_a_practice_ladder_says_so() -> None:
    for path, page in site(hostile=False, practice=True).pages.items():
        assert "Practice: somebody chose the seed" in page.text, path


def test_every_column_is_explained_in_one_sentence() -> None:
    index = site(hostile=False).files["index.html"]
    table, legend = index.split("<tbody>", 1)[0], index
    titles = re.findall(r'<th scope="col"[^>]*>([^<]*)</th>', table)
    assert len(titles) > 10
    for title in titles:
        (meaning,) = re.findall(rf"<dt>{re.escape(title)}</dt><dd>([^<]*)</dd>", legend)[:1]
        assert meaning.endswith(".")
        assert ". " not in meaning.removesuffix(".")


def test_a_match_has_its_rounds_and_faults() -> None:
    files, pages = site(hostile=False)
    path = next(path for path in files if path.startswith("matches/duo-greedy-2-1-2"))
    text = pages[path].text
    for words in ("duo~greedy/2 leg 2", "crashed, ended the match", "at fault", "No round was"):
        assert words in text


def test_nothing_is_fetched_and_nothing_runs() -> None:
    files, _ = site(hostile=False)
    for path, text in files.items():
        assert not re.search(r"https?:|//|@import|url\(|<script|\son\w+=", text), path


def test_a_ladder_without_matches_is_a_site_too() -> None:
    empty = exported([])
    files = dict(exported_files(ExportFormat.HTML, empty))
    assert set(files) == {"index.html", "style.css"}
    assert "Nobody is in the table yet." in Page(files["index.html"]).text


def test_markup_is_made_of_escaped_text() -> None:
    assert tag("a", said("<&>"), href='"x') == '<a href="&quot;x">&lt;&amp;&gt;</a>'
