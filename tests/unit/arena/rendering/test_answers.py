"""Rendering: what Markdown becomes, that hostile text stays inert, and that no word is lost."""

from __future__ import annotations

import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import rules
from arena.rendering import render, visible
from arena.rendering.allow_list import ATTRIBUTES, TAGS

# Far above what any of these takes (at most 1.5 s on a slow machine), far below what a quadratic
# rule takes on the same text.
SECONDS = 10.0


class Seen(HTMLParser):
    """Collects tags, attributes and visible text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: set[str] = set()
        self.attributes: list[tuple[str, str, str]] = []
        self.text = ""
        self.comments: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep a tag and its attributes."""
        self.tags.add(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_data(self, data: str) -> None:
        """Keep text."""
        self.text += data

    def handle_comment(self, data: str) -> None:
        """Keep a comment."""
        self.comments.append(data)


def assert_inert(html: str) -> Seen:
    """Fail unless the HTML holds nothing but allowed tags and attributes without addresses."""
    seen = Seen(html)
    assert seen.tags <= TAGS
    assert seen.comments == []
    for tag, name, value in seen.attributes:
        assert name in ATTRIBUTES[tag]
        assert "script" not in value
        assert ":" not in value
    return seen


def words(text: str) -> list[str]:
    """Return the words of a text."""
    return re.findall(r"\w+", text)


def test_markdown_becomes_html() -> None:
    """Emphasis, lists, quotes, rules, code, tables and strikethrough are shown as such."""
    html = render(
        "**b** *e* ~~s~~ `c`\n\n1. x\n2. y\n\n> q\n\n---\n\n| a | b |\n|:-|-:|\n| 1 | 2 |"
    ).html
    for piece in (
        "<strong>b</strong>",
        "<em>e</em>",
        "<s>s</s>",
        '<code dir="ltr">c</code>',
        '<ol dir="auto">',
        '<blockquote dir="auto">',
        "<hr>",
        '<td dir="auto" class="md-right">2</td>',
    ):
        assert piece in html


def test_headings_are_lowered_below_the_pages_own() -> None:
    """The highest heading of an answer is h4, the deepest h6, and classes keep the levels apart."""
    html = render("# one\n\n## two\n\n###### six").html
    assert re.findall(r"<(h\d)[^>]*class=\"(md-heading-\d)\"", html) == [
        ("h4", "md-heading-1"),
        ("h5", "md-heading-2"),
        ("h6", "md-heading-6"),
    ]


def test_wide_things_scroll_in_a_labelled_box_of_their_own() -> None:
    """Tables, code and formulas can be reached and scrolled by key."""
    html = render("| a |\n|-|\n| 1 |\n\n```\ncode\n```\n\n$$\nx\n$$").html
    for label in ("Table", "Code", "Formula"):
        assert f'role="group" tabindex="0" aria-label="{label}"' in html


def test_code_is_highlighted_by_classes_only() -> None:
    """A fence with a known language gets spans with classes, and no style."""
    html = render("```python\ndef f(): pass\n```").html
    assert '<span class="k">def</span>' in html
    assert " style=" not in html
    assert '<div class="md-language" dir="ltr">python</div>' in html


@pytest.mark.parametrize(
    "code",
    ["x = 1\n" * 1_000, "y" * 401],
    ids=["over 4,000 characters", "a line over 400 characters"],
)
def test_long_code_is_shown_without_highlighting(code: str) -> None:
    """Beyond the limits the highlighter is not asked, and every character is still there."""
    html = render(f"```python\n{code}\n```").html
    assert "<span" not in html
    assert Seen(html).text.count(code[0]) >= code.count(code[0])


def test_many_code_blocks_share_one_budget() -> None:
    """The blocks beyond the answer's budget stay plain."""
    block = "```python\n" + "a = 1\n" * 500 + "```\n\n"
    html = render(block * 5).html
    assert 0 < html.count('class="n"') < 500 * 5
    assert Seen(html).text.count("a = 1") == 2_500


def test_links_are_inert_and_say_their_address() -> None:
    """No link can be followed; the address stands behind its text unless it is the text."""
    html = render('[here](https://a.example/x "why") and <https://b.example>').html
    assert "<a" not in html
    assert "href" not in html
    assert (
        '<span class="link">here</span> '
        '<span class="md-address" dir="ltr">(https://a.example/x “why”)</span>'
    ) in html
    assert html.count("https://b.example") == 1


def test_pictures_become_words() -> None:
    """No picture is loaded: its description and its address are shown."""
    html = render("![a cat](https://a.example/cat.png)").html
    assert "<img" not in html
    assert "Picture: a cat" in html
    assert "(https://a.example/cat.png)" in html


@pytest.mark.parametrize(
    "text,expected",
    [
        ("it is $x^2$ here", "<msup>"),
        ("it is \\(a+b\\) here", "<mo>+</mo>"),
        ("so\n\\[\\frac{1}{2}\\]\nthen", "<mfrac>"),
        ("$$\na\n- b\n$$", "<mo"),
        ("$$x$$ inline", "<math"),
    ],
)
def test_formulas_become_mathml(text: str, expected: str) -> None:
    """All four kinds of delimiters are understood."""
    html = render(text).html
    assert "<math" in html
    assert expected in html
    assert " style=" not in html


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5, or $10 with tax.",
        "US$5 and 7$ and $ 8 $",
        "$20-$30 a month",
        "from $1,000 to A$2",
        "\\$x\\$",
    ],
)
def test_money_is_no_formula(text: str) -> None:
    """A dollar sign beside a digit or a blank is money."""
    assert "<math" not in render(text).html


def test_formula_styles_become_classes() -> None:
    """The library's inline styles are mapped, so that the page's policy holds."""
    html = render("$$\n\\begin{cases}1 & x>0\\\\0 & y\\end{cases}\n$$").html
    assert "m-left" in html
    assert " style=" not in html


def test_equation_numbers_are_not_invented() -> None:
    """A numbered environment is shown without a number that the model did not write."""
    assert "(1)" not in render("$$\n\\begin{align}a &= b\\end{align}\n$$").html


@pytest.mark.parametrize(
    "formula",
    ["{" * 41 + "x" + "}" * 41, "x" * 1_001, "\\unknown{x}", "{" * 400 + "}" * 400],
    ids=["41 deep", "1,001 characters", "unknown command", "400 deep"],
)
def test_formula_that_is_too_much_is_shown_as_code(formula: str) -> None:
    """What the guard stops or the library does not know is shown as it was written."""
    html = render(f"$$\n{formula}\n$$").html
    assert "<math" not in html
    assert formula in Seen(html).text


def test_3100_nested_groups_do_not_end_the_process() -> None:
    """The depth that kills the formula library never reaches it."""
    text = "$" + "{" * 3_100 + "x" + "}" * 3_100 + "$"
    assert "x" in render(text).html


def test_raw_html_is_shown_as_the_text_it_is() -> None:
    """Tags that a model writes are words like others."""
    seen = assert_inert(render("Use <b>bold</b> and <!-- a note --> here").html)
    assert "<b>bold</b>" in seen.text
    assert "<!-- a note -->" in seen.text


ATTACKS = [
    "<script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
    "<img src=x onerror=alert(1)>",
    "<img src='https://maker.example/pixel.gif'>",
    "![x](javascript:alert(1))",
    "![x](data:text/html;base64,PHNjcmlwdD4=)",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#10;script:alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    "[x](data:text/html,<script>alert(1)</script>)",
    "[x](vbscript:msgbox(1))",
    '[x](https://a.example/"onmouseover="alert(1))',
    "<https://a.example/?x=<script>>",
    "<javascript:alert(1)>",
    "<style>*{display:none}</style>",
    "<link rel=stylesheet href=https://maker.example/x.css>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<math><mtext><img src=x onerror=alert(1)></mtext></math>",
    "<iframe src=https://maker.example></iframe>",
    "<object data=x></object><embed src=x>",
    "<meta http-equiv=refresh content='0;url=https://maker.example'>",
    "<base href=https://maker.example>",
    "<form action=https://maker.example><input name=best></form>",
    "<a href=https://maker.example onclick=alert(1)>x</a>",
    "<p style='position:fixed'>x</p>",
    "<div id=ballot-form class=reveal>x</div>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "&#60;script&#62;alert(1)&#60;/script&#62;",
    "```<script>\n</code></pre><script>alert(1)</script>\n```",
    '```"onload="alert(1)\nx\n```',
    "`</code><script>alert(1)</script>`",
    "$\\text{<img src=x onerror=alert(1)>}$",
    "$\\text{</math><script>alert(1)</script>}$",
    "$$\n\\href{javascript:alert(1)}{x}\n$$",
    "\\(\\style{x}{<script>}\\)",
    "| <script>alert(1)</script> |\n|-|\n| <img src=x onerror=alert(1)> |",
    "# <script>alert(1)</script>",
    "[x]: javascript:alert(1)\n\n[x]",
    "<![CDATA[<script>alert(1)</script>]]>",
    "<?php echo 1 ?>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
    "<template><script>alert(1)</script></template>",
    "<xmp><script>alert(1)</script></xmp>",
    "<textarea><script>alert(1)</script></textarea>",
    "<a href='\x01javascript:alert(1)'>x</a>",
    "\u202e<script>\u202c",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_attack_stays_inert(attack: str) -> None:
    """Nothing on the page runs, loads or looks like a part of the page."""
    for text in (attack, f"text {attack} text", f"- {attack}", f"> {attack}\n\n**{attack}**"):
        html = render(text).html
        assert_inert(html)
        assert "<script" not in html.lower()
        assert not re.search(r"<[^>]*\son\w+\s*=", html)


def test_unseen_marks_are_taken_out_also_when_written_as_entities() -> None:
    """The parser decodes entities, so the output is cleaned as well, and both are named."""
    rendered = render("a\u200bb &#8238;c&#x200B;d &#xE0041;e")
    assert "\u202e" not in rendered.html
    assert "\u200b" not in rendered.html
    assert "\U000e0041" not in rendered.html
    named = " ".join(rendered.removed)
    assert "ZERO WIDTH SPACE" in named
    assert "RIGHT-TO-LEFT OVERRIDE" in named
    assert "TAG CHARACTER" in named


def test_raw_text_holds_no_unseen_marks_and_no_outer_blanks() -> None:
    """The other view of an answer tells no more of its author than the rendered one."""
    shown = visible("\n\n  a\u200bb\u202ec \n\n")
    assert shown.text == "abc"
    assert len(shown.removed) == 2


@pytest.mark.parametrize("before", ["", " ", "  \n", "\r\n", "\u200b\n ", "\xa0", " \n\t\n  "])
@pytest.mark.parametrize("after", ["", " ", "\n", "\r\n \n", "\u2060"])
def test_blanks_around_an_answer_are_seen_in_no_view(before: str, after: str) -> None:
    """Some models begin or end each answer with a blank or an empty line: that tells their name."""
    text = f"{before}One answer.{after}"
    assert visible(text).text == "One answer."
    if "\xa0" not in before:
        assert render(text).html == render("One answer.").html


def test_the_first_lines_indent_keeps_its_meaning() -> None:
    """What the first line's indent means in Markdown is not lost: here items of one list."""
    assert render("  - a\n  - b").html == render("- a\n- b").html


def test_entity_in_code_is_shown_as_written() -> None:
    """In code an entity is text, so nothing was taken out."""
    rendered = render("`&#8238;`")
    assert "&amp;#8238;" in rendered.html
    assert rendered.removed == ()


def test_blocks_take_their_direction_from_their_text() -> None:
    """Paragraphs and list items of right-to-left scripts are laid out as such."""
    assert render("שלום").html.startswith('<p dir="auto">')
    assert '<li dir="auto">' in render("- مرحبا").html


def test_lines_break_where_the_model_broke_them() -> None:
    """A poem keeps its lines."""
    assert "one<br>\ntwo" in render("one\ntwo").html


def test_link_definitions_are_not_swallowed() -> None:
    """Markdown would hide these lines, and with them the words they hold."""
    assert "[1]: https://a.example" in Seen(render("see [1]\n\n[1]: https://a.example").html).text


def test_surplus_cells_are_not_swallowed() -> None:
    """Markdown would drop cells beyond the head's: then the table is shown as text."""
    assert "lost" in render("| a | b |\n|-|-|\n| 1 | 2 | lost |").html


def test_too_deep_a_list_is_shown_as_plain_text() -> None:
    """Beyond the nesting limit the parser drops text: then the whole is shown as written."""
    text = "\n".join("  " * level + f"- level{level}" for level in range(30))
    html = render(text).html
    assert 'class="md-plain"' in html
    assert Seen(html).text == text


HOSTILE = {
    "one line of 60,000": "a" * 60_000,
    "brackets": "[" * 60_000,
    "links": "[a](" * 15_000,
    "pictures": "![a](" * 12_000,
    "ten thousand levels": "\n".join("  " * n + "- x" for n in range(10_000))[:64_000],
    "ten thousand marks": "- " * 10_000 + "end",
    "quotes": ">" * 60_000 + "end",
    "emphasis": "*a **a " * 8_000,
    "stars": "a*" * 30_000,
    "underscores": "_a __b" * 10_000,
    "backticks": "".join("`" * n + "a" for n in range(340)),
    "strikethrough": "~~a" * 20_000,
    "wide table": "|a" * 2_000 + "\n" + "|-" * 2_000 + "\n" + ("|a" * 20 + "\n") * 1_000,
    "long table": "|".join("a" * 200) + "\n" + "|".join("-" * 200) + "\n" + "a\n" * 25_000,
    "inline formulas": "\\(" * 30_000,
    "open formulas": "\\[\na\n" * 12_000,
    "dollars": "$a " * 20_000,
    "double dollars": "$$\n" * 20_000,
    "entities": "&#8238;" * 8_000,
    "angles": "<" * 60_000,
    "backslashes": "\\" * 60_000,
    "definitions": "[a]: b\n\n" + "[a]" * 20_000,
    "underlined": "a\n=\n" * 15_000,
    "zero width": "a\u200b" * 30_000,
    "accents": "a" + "\u0301" * 60_000,
    "code": "".join(f"```{name}\n" + "a " * 1_900 + "\n```\n" for name in ("java", "yaml") * 8),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_size_is_rendered_in_bounded_time_and_size(name: str) -> None:
    """No text within the import limit holds the import up or fills the page."""
    started = time.perf_counter()
    html = render(HOSTILE[name]).html
    assert time.perf_counter() - started < SECONDS
    assert len(html) < 2 * rules.current().max_html_chars
    assert_inert(html)


MARKDOWN = st.lists(
    st.sampled_from(
        ["*", "_", "`", "```", "\n", "\n\n", "    ", "- ", "1. ", "> ", "# ", "|", "|-|", "$", "$$",
         "\\(", "\\)", "\\[", "\\]", "[", "]", "(", ")", "<", ">", "<b>", "<script>", "&lt;",
         "&#8238;", "~~", "![", "javascript:", "https://a.example", "\\", '"', "'", "word", " "]
    )
    | st.text(max_size=4),
    max_size=40,
).map("".join)  # fmt: skip


@settings(max_examples=300)
@given(MARKDOWN | st.text(max_size=200))
def test_any_text_gives_only_allowed_html(text: str) -> None:
    """Whatever a model writes, only listed tags and attributes come out."""
    assert_inert(render(text).html)


@given(st.lists(st.from_regex(r"[A-Za-z]{1,12}", fullmatch=True), min_size=1, max_size=30))
def test_words_come_out_as_they_went_in(given_words: list[str]) -> None:
    """Plain words are neither lost, doubled nor changed."""
    assert words(Seen(render(" ".join(given_words)).html).text) == given_words


def test_real_answers_keep_their_words(shared_data: Path) -> None:
    """Outside formulas, addresses and list numbers every word of 480 real answers is shown."""
    checked = 0
    for file in sorted((shared_data / "real" / "alpacaeval").glob("*.json")):
        for row in json.loads(file.read_text(encoding="utf-8")):
            text = row["output"]
            html = render(text).html
            if "<math" in html or "formula" in html or re.search(r"&\w+;|\]\(|%[0-9A-F]", text):
                continue
            shown = set(words(assert_inert(html).text))
            assert set(re.findall(r"[^\W\d_]{2,}", text)) <= {
                part for word in shown for part in re.findall(r"[^\W\d_]{2,}", word)
            }
            checked += 1
    assert checked > 400
