"""What an import found in its files: each with place, severity and a sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from arena import rules

__all__ = ["Code", "Finding", "Place", "Report", "Severity"]


class Severity(StrEnum):
    """An error stops the import; a warning says what is left out or odd."""

    ERROR = "error"
    WARNING = "warning"


class Code(StrEnum):
    """Kinds of findings."""

    MISSING_FILE = "missing_file"
    EMPTY_FILE = "empty_file"
    OVER_LONG_FILE = "over_long_file"
    OVER_LONG_LINE = "over_long_line"
    NOT_UTF8 = "not_utf8"
    BAD_JSON = "bad_json"
    BAD_CSV = "bad_csv"
    BAD_TOML = "bad_toml"
    BAD_HEADER = "bad_header"
    MISSING_FIELD = "missing_field"
    WRONG_TYPE = "wrong_type"
    UNKNOWN_MODEL = "unknown_model"
    UNKNOWN_QUESTION = "unknown_question"
    CONFLICTING_QUESTION = "conflicting_question"
    CONFLICTING_MODEL = "conflicting_model"
    NO_ANSWERS = "no_answers"
    DUPLICATE_QUESTION = "duplicate_question"
    DUPLICATE_ANSWER = "duplicate_answer"
    EMPTY_ANSWER = "empty_answer"
    EMPTY_QUESTION = "empty_question"
    OVER_LONG_ANSWER = "over_long_answer"
    OVER_LONG_QUESTION = "over_long_question"
    OVER_LONG_NAME = "over_long_name"
    HOLE = "hole"
    FEW_ANSWERS = "few_answers"
    PLACEHOLDER_NAME = "placeholder_name"
    UNKNOWN_MAKER = "unknown_maker"
    MODEL_WITHOUT_ANSWERS = "model_without_answers"
    ODD_CHARACTERS = "odd_characters"
    UNKNOWN_COLUMN = "unknown_column"


_WARNINGS = frozenset(
    {
        Code.DUPLICATE_QUESTION,
        Code.DUPLICATE_ANSWER,
        Code.EMPTY_ANSWER,
        Code.OVER_LONG_ANSWER,
        Code.OVER_LONG_QUESTION,
        Code.HOLE,
        Code.FEW_ANSWERS,
        Code.PLACEHOLDER_NAME,
        Code.UNKNOWN_MAKER,
        Code.MODEL_WITHOUT_ANSWERS,
        Code.ODD_CHARACTERS,
        Code.UNKNOWN_COLUMN,
    }
)


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """Where something stands: a file as given, and a line from 1, or 0 for the file as a whole."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Finding:
    """One finding; its code decides its severity."""

    code: Code
    place: Place
    text: str

    @property
    def severity(self) -> Severity:
        """Error or warning."""
        return Severity.WARNING if self.code in _WARNINGS else Severity.ERROR

    def __str__(self) -> str:
        return f"{self.place}: {self.severity}: {self.text} [{self.code}]"


@dataclass(slots=True)
class Report:
    """All findings counted, and of each kind the first ones in full."""

    _counts: Counter[Code] = field(default_factory=Counter)
    _listed: list[Finding] = field(default_factory=list)

    def add(self, finding: Finding) -> None:
        """Count a finding, and keep it unless its kind has filled its share."""
        self._counts[finding.code] += 1
        if self._counts[finding.code] <= rules.current().max_findings_listed:
            self._listed.append(finding)

    def __iter__(self) -> Iterator[Finding]:
        return iter(self._listed)

    @property
    def counts(self) -> Mapping[Code, int]:
        """How many findings of each kind there are, listed or not."""
        return dict(self._counts)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The errors listed; empty when the import may go on."""
        return tuple(each for each in self._listed if each.severity is Severity.ERROR)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The warnings listed."""
        return tuple(each for each in self._listed if each.severity is Severity.WARNING)
