"""Every number and list of the arena's own rules, once, with unit and reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

__all__ = ["ArenaRules", "current"]

KB: Final = 1024


@dataclass(frozen=True, slots=True)
class ArenaRules:
    """The arena's ruleset; a changed number is a new id."""

    id: str = field(
        default="arena.2026.1",
        metadata={"unit": "id", "reason": "named by every event written under these rules"},
    )

    published: str = field(
        default="2026-11-30",
        metadata={"unit": "UTC date", "reason": "since when these rules are in force"},
    )

    # Import
    max_answer_chars: int = field(
        default=64_000,
        metadata={
            "unit": "characters",
            "reason": "nobody compares four answers of more than 64 kB; longer ones are loops",
        },
    )
    max_question_chars: int = field(
        default=32_000,
        metadata={"unit": "characters", "reason": "a question must fit on the ballot page"},
    )
    max_name_chars: int = field(
        default=120,
        metadata={"unit": "characters", "reason": "slugs, names, makers and categories are labels"},
    )
    max_line_bytes: int = field(
        default=1024 * KB,
        metadata={
            "unit": "bytes",
            "reason": "a line is read into memory whole; a row of a model's answers stays below",
        },
    )
    max_json_bytes: int = field(
        default=64 * 1024 * KB,
        metadata={"unit": "bytes", "reason": "a JSON array is read into memory whole"},
    )
    max_findings_listed: int = field(
        default=1_000,
        metadata={
            "unit": "findings per kind",
            "reason": "the report names each place, but a wrong file must not fill the memory",
        },
    )
    min_answers_per_question: int = field(
        default=4,
        metadata={"unit": "answers", "reason": "a ballot shows four different models (V-001)"},
    )
    placeholder_names: tuple[str, ...] = field(
        default=("example", "model", "unknown", "default"),
        metadata={
            "unit": "names",
            "reason": "generator names that some result files carry in place of the model's name",
        },
    )
    free_licences: tuple[str, ...] = field(
        default=(
            "CC0", "CC BY", "CC-BY", "APACHE", "MIT", "BSD", "ODC-BY", "PDDL", "PUBLIC DOMAIN",
        ),
        metadata={
            "unit": "licence prefixes",
            "reason": "question texts under these may stand in archives (V-171) unless NC or ND",
        },
    )  # fmt: skip

    # Boards and lifecycle
    look_minute: int = field(
        default=5,
        metadata={
            "unit": "minutes after 00:00 UTC",
            "reason": "one look a day; by then a month's last votes are in the log (V-091)",
        },
    )
    views_refit_s: int = field(
        default=300,
        metadata={
            "unit": "seconds",
            "reason": "the boards beside the official one follow it in their own, slower time",
        },
    )

    # Reveal and reports
    others_shown_from: int = field(
        default=5,
        metadata={
            "unit": "other counted votes on the question",
            "reason": "fewer would let a voter see how one other person voted (V-158)",
        },
    )
    reasons_for: tuple[str, ...] = field(
        default=("correct", "complete", "clear", "concise", "well_formatted"),
        metadata={"unit": "codes", "reason": "what may be said of the best answer (V-170)"},
    )
    reasons_against: tuple[str, ...] = field(
        default=("wrong", "vague", "too_long"),
        metadata={"unit": "codes", "reason": "what may be said of the worst answer (V-170)"},
    )
    report_reasons: tuple[str, ...] = field(
        default=("identity", "broken", "offensive", "personal_data", "other"),
        metadata={"unit": "codes", "reason": "why a voter may report an answer (V-170)"},
    )  # fmt: skip

    # Rendering
    max_highlight_chars: int = field(
        default=4_000,
        metadata={"unit": "characters", "reason": "the highlighter is quadratic on hostile code"},
    )
    max_highlight_line: int = field(
        default=400,
        metadata={"unit": "characters", "reason": "as above, by line; real lines reach 381"},
    )
    max_highlight_chars_per_answer: int = field(
        default=8_000,
        metadata={"unit": "characters", "reason": "as above, for an answer of many code blocks"},
    )
    max_table_cells: int = field(
        default=5_000,
        metadata={
            "unit": "cells",
            "reason": "short rows are filled up to the width of the first, so tables can explode",
        },
    )
    max_math_chars: int = field(
        default=1_000,
        metadata={"unit": "characters", "reason": "longer formulas are shown as code"},
    )
    max_math_depth: int = field(
        default=40,
        metadata={
            "unit": "levels",
            "reason": "the formula library ends the process at about 3,100 nested groups",
        },
    )
    max_markdown_nesting: int = field(
        default=20,
        metadata={
            "unit": "levels",
            "reason": "deeper lists or quotes are shown as plain text, so that no word is lost",
        },
    )
    max_html_chars: int = field(
        default=400_000,
        metadata={
            "unit": "characters",
            "reason": "one table can grow sixtyfold; beyond this the answer is shown as plain text",
        },
    )

    # Your votes
    own_board_votes: int = field(
        default=10,
        metadata={
            "unit": "own votes with a best pick, in a mode",
            "reason": "below that a board of one's own would be one or two picks and noise",
        },
    )
    own_votes_listed: int = field(
        default=500,
        metadata={
            "unit": "own votes on one's page, the newest",
            "reason": "ten full days; a longer table helps nobody, and the file holds every vote",
        },
    )

    own_board_picks: int = field(
        default=5_000,
        metadata={
            "unit": "own votes with a best pick, in a mode, the newest",
            "reason": "a hundred full days; more would hold the page up and move no score",
        },
    )

    # Identity leaks (V-157)
    leak_phrases: tuple[str, ...] = field(
        default=(
            "i am", "i'm", "my name is", "my name's", "developed by", "as a model by",
            "as an ai model by", "as a language model by", "as an ai language model by",
            "as a model from", "as an ai by", "i was created by", "i was trained by",
            "i was made by", "i was built by", "assistant created by", "assistant trained by",
            "assistant made by", "assistant built by", "model created by", "model trained by",
            "model made by", "model built by",
        ),
        metadata={
            "unit": "phrases",
            "reason": "a name counts as a leak only right after one of these, never by itself",
        },
    )  # fmt: skip
    leak_fillers: tuple[str, ...] = field(
        default=(
            "a", "an", "the", "called", "named", "model", "team", "researchers", "engineers",
            "people", "company", "lab", "at", "of", "from",
        ),
        metadata={
            "unit": "words",
            "reason": "words that may stand between phrase and name, as in 'the team at'",
        },
    )  # fmt: skip
    max_leak_fillers: int = field(
        default=4,
        metadata={"unit": "words", "reason": "'by the research team at' and no longer reach"},
    )
    well_known_names: tuple[str, ...] = field(
        default=(
            "AI21", "Alibaba", "Alibaba Cloud", "Alpaca", "Amazon", "Anthropic", "Baichuan",
            "Baidu", "Bard", "BLOOM", "ByteDance", "ChatGLM", "ChatGPT", "Claude", "Cohere",
            "Command R", "DeepSeek", "Doubao", "Ernie", "Falcon", "Gemini", "Gemma", "GLM",
            "Google", "Google DeepMind", "DeepMind", "GPT", "GPT-3", "GPT-3.5", "GPT-4",
            "GPT-4o", "GPT-5", "Grok", "InternLM", "Jamba",
            "Kimi", "Koala", "LaMDA", "Llama", "LLaMA 2", "Llama 3",
            "LMSYS", "LMSYS Org", "Meta AI", "Microsoft", "Minimax", "Mistral", "Mistral AI",
            "Mixtral", "Moonshot AI", "Nemotron", "Nous Hermes", "NVIDIA", "OpenAI",
            "Open Assistant", "PaLM", "Phi-3", "Qwen", "Tongyi Qianwen", "Vicuna", "WizardLM",
            "xAI", "Yi", "Zephyr", "Zhipu AI", "01.AI",
        ),
        metadata={
            "unit": "names",
            "reason": "names people know models and makers by, beside those of the registry",
        },
    )  # fmt: skip

    @property
    def vote_reasons(self) -> tuple[str, ...]:
        """All reasons a voter may give after the vote."""
        return (*self.reasons_for, *self.reasons_against)


_CURRENT: Final = ArenaRules()


def current() -> ArenaRules:
    """Return the ruleset in force."""
    return _CURRENT
