"""Reads HTML as browsers do, however its attributes are quoted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html.parser import HTMLParser

_ADDRESSES = frozenset(
    [
        "action",
        "archive",
        "background",
        "cite",
        "classid",
        "codebase",
        "data",
        "formaction",
        "href",
        "imagesrcset",
        "longdesc",
        "manifest",
        "ping",
        "poster",
        "profile",
        "src",
        "srcset",
        "usemap",
        "xlink:href",
    ]
)
_REFRESH = re.compile(r"url\s*=\s*['\"]?([^'\"]*)", re.IGNORECASE)
_IN_STYLE = re.compile(r"(?:url\(|@import)\s*['\"]?([^'\")\s;]*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Element:
    """The opening of an element."""

    name: str
    attributes: Mapping[str, str]

    def addresses(self) -> Iterator[str]:
        """Yield what the element may load, send to or lead to."""
        for name, value in self.attributes.items():
            if name in _ADDRESSES or re.fullmatch(r"hx-(?:get|post|put|patch|delete)", name):
                yield value.strip()
            if name == "style":
                yield from _IN_STYLE.findall(value)
        if self.name == "meta" and "http-equiv" in self.attributes:
            yield from _REFRESH.findall(self.attributes.get("content", ""))


class _Reader(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[Element] = []
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.elements.append(element)
        self.words += [element.attributes.get(name, "") for name in ("alt", "title", "aria-label")]

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def elements(html: str) -> list[Element]:
    """Return the openings of all elements, in their order."""
    return _Reader(html).elements


def words(html: str) -> str:
    """Return what a reader or a listener gets, labels and titles included."""
    return " ".join(" ".join(_Reader(html).words).split())


def addresses(html: str) -> list[str]:
    """Return every address that stands in a page, in attributes or in styles."""
    styles = re.findall(r"<style\b[^>]*>(.*?)</style", html, re.DOTALL | re.IGNORECASE)
    in_styles = [found for style in styles for found in _IN_STYLE.findall(style)]
    return [found for each in elements(html) for found in each.addresses()] + in_styles
