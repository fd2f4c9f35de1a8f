"""Reading imports: each format, the terms, the findings, and the real samples with their traps."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from arena import rules
from arena.errors import ImportRefused
from arena.imports import Code, Place, detect, plan
from tests.fixtures.import_files import (
    TERMS,
    a_pack,
    flat,
    found,
    hard,
    mt_bench,
    output,
    read,
    said,
    sound_rows,
    write_lines,
)


class TestRealSamples:
    """The samples of real answers read cleanly, and their traps are seen."""

    def test_alpacaeval_reads_eight_models_on_sixty_questions(self, shared_data: Path) -> None:
        """All answers but the two that hold no text are planned, and every question is votable."""
        made = read(shared_data / "real" / "alpacaeval", licence="CC BY-NC 4.0")
        assert made.is_sound
        assert made.format == "alpacaeval"
        assert (len(made.models), len(made.questions), len(made.answers)) == (8, 60, 478)
        assert [place.file for place in found(made, Code.EMPTY_ANSWER)] == [
            "gemma-2b-it.json",
            "text_davinci_003.json",
        ]
        assert found(made, Code.FEW_ANSWERS) == []
        assert found(made, Code.HOLE) == []

    def test_line_of_an_empty_answer_is_that_of_its_row(self, shared_data: Path) -> None:
        """The line named is where the row begins, in a file of many lines."""
        folder = shared_data / "real" / "alpacaeval"
        places = found(read(folder), Code.EMPTY_ANSWER)
        for place in places:
            lines = (folder / place.file).read_text(encoding="utf-8").splitlines()
            row, _ = json.JSONDecoder().raw_decode("\n".join(lines[place.line - 1 :]).strip())
            assert not row["output"].strip()
        assert len(places) == 2

    def test_mt_bench_reads_six_models_with_holes(self, shared_data: Path) -> None:
        """Number and text ids join, 15 holes and an empty answer are named, all can be shown."""
        made = read(shared_data / "real" / "mt_bench", mode="expert", licence="CC BY 4.0")
        assert made.is_sound
        assert made.format == "mt_bench"
        assert (len(made.models), len(made.questions), len(made.answers)) == (6, 80, 464)
        assert len(found(made, Code.HOLE)) == 15
        assert len(found(made, Code.EMPTY_ANSWER)) == 1
        assert found(made, Code.FEW_ANSWERS) == []
        assert {question.category for question in made.questions} >= {"writing", "math", "stem"}

    def test_mt_bench_dialogue_holds_both_turns(self, shared_data: Path) -> None:
        """With all turns, question and answer hold the second turn too."""
        first = read(shared_data / "real" / "mt_bench")
        whole = read(shared_data / "real" / "mt_bench", turns="all")
        assert whole.questions[0].text.startswith("Turn 1: " + first.questions[0].text)
        assert "Turn 2: " in whole.questions[0].text
        assert "**Turn 2**" in whole.answers[0].text


class TestFormats:
    """What each format's files become."""

    def test_csv(self, tmp_path: Path) -> None:
        """Quoted fields, optional columns and any order of columns are read."""
        path = tmp_path / "a.csv"
        path.write_text(
            "\ufeffmodel,question,answer,category,language,latency_ms\r\n"
            'm1,Why?,"Two\nlines, ""quoted""",logic,vi,120\r\n',
            encoding="utf-8",
        )
        made = read(path)
        assert made.is_sound
        assert made.answers[0].text == 'Two\nlines, "quoted"'
        assert made.answers[0].latency_ms == 120
        assert (made.questions[0].category, made.questions[0].language) == ("logic", "vi")

    def test_jsonl(self, tmp_path: Path) -> None:
        """One row per line; blank lines are passed over."""
        path = write_lines(tmp_path / "a.jsonl", *sound_rows())
        path.write_text(path.read_text() + "\n\n")
        made = read(path)
        assert made.is_sound
        assert (len(made.models), len(made.questions), len(made.answers)) == (4, 2, 8)

    def test_arena_hard(self, tmp_path: Path) -> None:
        """Answers are found inside the messages; there need be no time stamp."""
        folder = mt_bench(
            tmp_path,
            [{"uid": "u1", "category": "hard", "cluster": "x", "prompt": "Why?"}],
            {"m1": [hard("u1", "m1", "So.")], "m2": [hard("u1", "m2", "Thus.")]},
        )
        made = read(folder)
        assert made.is_sound
        assert made.format == "arena_hard"
        assert [each.text for each in made.answers] == ["So.", "Thus."]
        assert made.questions[0].category == "hard"

    def test_pack_states_its_own_terms(self, tmp_path: Path) -> None:
        """Mode, language, origin, licence and demo come from the pack."""
        made = plan(a_pack(tmp_path))
        assert made.is_sound
        assert (made.format, made.mode, made.origin, made.demo) == ("pack", "expert", "here", True)
        assert made.models[0].maker == "Maker"
        assert made.questions[0].language == "vi"
        assert made.answers[0].latency_ms == 900

    def test_alpacaeval_folder_of_folders(self, tmp_path: Path) -> None:
        """Upstream, a placeholder's name is its folder's; files beside the answers are not read."""
        for name in ("NullModel", "other"):
            (tmp_path / name / "judge").mkdir(parents=True)
            rows = [output("Why?", "So.", "example" if name == "NullModel" else "Other")]
            (tmp_path / name / "model_outputs.json").write_text(json.dumps(rows))
            (tmp_path / name / "judge" / "annotations.json").write_text("[1]")
        made = read(tmp_path)
        assert made.is_sound
        assert sorted(each.slug for each in made.models) == ["nullmodel", "other"]
        assert len(found(made, Code.PLACEHOLDER_NAME)) == 1

    @pytest.mark.parametrize("field", ["datasplit", "tokens"])
    def test_alpacaeval_fields_we_do_not_know_are_passed_over(
        self, tmp_path: Path, field: str
    ) -> None:
        """Some models' files carry more fields than others."""
        path = tmp_path / "m.json"
        path.write_text(json.dumps([{**output("Why?", "So."), field: "eval"}]))
        assert read(path).is_sound

    def test_alpacaeval_files_may_differ_in_order_and_rows(self, tmp_path: Path) -> None:
        """Answers join by question, and what one file lacks is a hole."""
        asked = ["Why a?", "Why b?", "Why c?"]
        for name, order in (("m1", asked), ("m2", asked[::-1]), ("m3", asked[:2])):
            rows = [output(q, f"{name} {q}", name) for q in order]
            (tmp_path / f"{name}.json").write_text(json.dumps(rows))
        made = read(tmp_path)
        assert len(made.questions) == 3
        assert {each.text for each in made.answers} >= {"m2 Why a?", "m1 Why a?"}
        assert len(found(made, Code.HOLE)) == 1
        assert len(found(made, Code.FEW_ANSWERS)) == 3

    def test_mt_bench_answer_without_its_second_turn_is_left_out_of_the_dialogue(
        self, tmp_path: Path
    ) -> None:
        """A dialogue that breaks off would be judged unfairly."""
        folder = mt_bench(
            tmp_path,
            [{"question_id": 1, "category": "c", "turns": ["One?", "Two?"]}],
            {"m1": [said("1", "m1", "A", "B")], "m2": [said("1", "m2", "A")]},
        )
        made = read(folder, turns="all")
        assert [each.model for each in made.answers] == ["m1"]
        assert len(found(made, Code.EMPTY_ANSWER)) == 1


class TestTerms:
    """Mode, origin and licence."""

    @pytest.mark.parametrize("missing", ["mode", "origin", "licence"])
    def test_term_that_nothing_states_is_required(self, tmp_path: Path, missing: str) -> None:
        """Without it the import is refused, and the message says which one."""
        path = write_lines(tmp_path / "a.jsonl", *sound_rows())
        terms = {**TERMS, missing: None}
        with pytest.raises(ImportRefused, match=missing):
            plan(path, **terms)

    def test_term_against_the_pack_is_refused(self, tmp_path: Path) -> None:
        """What a pack states is not overruled by mistake."""
        with pytest.raises(ImportRefused, match="expert"):
            plan(a_pack(tmp_path), mode="speed")

    @pytest.mark.parametrize(
        "licence,noncommercial,redistribute",
        [
            ("CC0-1.0", False, True),
            ("CC BY 4.0", False, True),
            ("Apache-2.0", False, True),
            ("CC BY-NC 4.0", True, False),
            ("CC-BY-NC-SA-4.0", True, False),
            ("non-commercial use only", True, False),
            ("CC BY-ND 4.0", False, False),
            ("all rights reserved", False, False),
        ],
    )
    def test_licence_decides_marks(
        self, tmp_path: Path, licence: str, noncommercial: bool, redistribute: bool
    ) -> None:
        """Non-commercial data is marked; texts go to archives only under a free licence."""
        path = write_lines(tmp_path / "a.jsonl", *sound_rows())
        made = read(path, licence=licence)
        assert (made.noncommercial, made.redistribute) == (noncommercial, redistribute)

    def test_redistribution_may_be_said(self, tmp_path: Path) -> None:
        """An operator who knows better decides."""
        path = write_lines(tmp_path / "a.jsonl", *sound_rows())
        assert not read(path, redistribute=False).redistribute
        assert read(path, licence="private", redistribute=True).redistribute


class TestFindings:
    """What does not fit, with its place."""

    def test_models_file_gives_makers_and_refuses_others(self, tmp_path: Path) -> None:
        """Names, slugs and other names are matched; a model that is not listed is an error."""
        listed = tmp_path / "models.toml"
        listed.write_text(
            '[[models]]\nslug = "m1"\nname = "M One"\nmaker = "Maker"\nlicence = "MIT"\n'
            'also = ["m1-2024"]\n'
        )
        path = write_lines(
            tmp_path / "a.jsonl",
            flat("Why?", "M One", "a"),
            flat("Why then?", "m1-2024", "b"),
            flat("Why?", "stranger", "c"),
        )
        made = read(path, models_file=listed)
        assert not made.is_sound
        assert found(made, Code.UNKNOWN_MODEL) == [Place("a.jsonl", 3)]
        assert {each.model for each in made.answers} == {"m1"}
        assert made.models[0].maker == "Maker"

    def test_duplicates_are_named_and_the_first_is_taken(self, tmp_path: Path) -> None:
        """The same answer again, and another one to the same question, are left out."""
        rows = [flat("Why?", "m1", "a"), flat("why ?", "m1", "x"), flat("WHY?", "m1", "b")]
        made = read(write_lines(tmp_path / "a.jsonl", *rows))
        assert found(made, Code.DUPLICATE_ANSWER) == [Place("a.jsonl", 3)]
        assert [each.text for each in made.answers] == ["a", "x"]

    @pytest.mark.parametrize("blank", ["", "  \n ", "\u200b\u200b", "\ufeff"])
    def test_answer_without_text_is_left_out(self, tmp_path: Path, blank: str) -> None:
        """Blanks and unseen marks are no answer."""
        rows = [*sound_rows(), flat("Why one?", "m5", blank), flat("Why two?", "m5", "five")]
        made = read(write_lines(tmp_path / "a.jsonl", *rows))
        assert made.is_sound
        assert found(made, Code.EMPTY_ANSWER) == [Place("a.jsonl", 9)]
        assert len(made.answers) == 9

    def test_over_long_answer_is_left_out(self, tmp_path: Path) -> None:
        """One character over the limit is too many, the limit itself is not."""
        limit = rules.current().max_answer_chars
        rows = [flat("Why?", "m1", "a" * limit), flat("Why?", "m2", "a" * (limit + 1))]
        made = read(write_lines(tmp_path / "a.jsonl", *rows))
        assert found(made, Code.OVER_LONG_ANSWER) == [Place("a.jsonl", 2)]
        assert [each.model for each in made.answers] == ["m1"]

    def test_thin_questions_and_holes_are_warnings(self, tmp_path: Path) -> None:
        """They are named, and the import may go on."""
        rows = sound_rows()[:-1]
        made = read(write_lines(tmp_path / "a.jsonl", *rows))
        assert made.is_sound
        assert found(made, Code.HOLE) == [Place("a.jsonl", 5)]
        assert found(made, Code.FEW_ANSWERS) == [Place("a.jsonl", 5)]

    def test_two_names_with_one_slug_are_an_error(self, tmp_path: Path) -> None:
        """Two models must not become one by their spelling."""
        rows = [flat("Why?", "GPT 4", "a"), flat("Why?", "gpt-4", "b")]
        made = read(write_lines(tmp_path / "a.jsonl", *rows))
        assert found(made, Code.CONFLICTING_MODEL) == [Place("a.jsonl", 2)]

    def test_models_named_in_other_scripts_need_a_list(self, tmp_path: Path) -> None:
        """No slug can be made of such a name; a list of models gives one, and keeps them apart."""
        path = write_lines(
            tmp_path / "a.jsonl", flat("Why?", "通义千问", "a"), flat("Why?", "文心一言", "b")
        )
        assert len(found(read(path), Code.WRONG_TYPE)) == 2
        listed = tmp_path / "models.toml"
        listed.write_text(
            "".join(
                f'[[models]]\nslug = "{slug}"\nname = "{name}"\nmaker = "x"\nlicence = "x"\n'
                for slug, name in (("qwen", "通义千问"), ("ernie", "文心一言"))
            ),
            encoding="utf-8",
        )
        made = read(path, models_file=listed)
        assert made.is_sound
        assert [(each.model, each.text) for each in made.answers] == [("qwen", "a"), ("ernie", "b")]

    def test_line_of_a_csv_record_is_where_it_begins(self, tmp_path: Path) -> None:
        """Records may hold line ends."""
        path = tmp_path / "a.csv"
        path.write_text('question,model,answer\nWhy?,m1,"a\nb"\nWhy?,m2,"\n\n"\n')
        assert found(read(path), Code.EMPTY_ANSWER) == [Place("a.csv", 4)]

    def test_unstorable_characters_are_replaced_with_a_warning(self, tmp_path: Path) -> None:
        """NUL and half surrogates cannot be stored."""
        path = tmp_path / "a.jsonl"
        path.write_text('{"question": "Why?", "model": "m", "answer": "a\\u0000b\\ud800c"}\n')
        made = read(path)
        assert made.is_sound
        assert made.answers[0].text == "a\ufffdb\ufffdc"
        assert found(made, Code.ODD_CHARACTERS) == [Place("a.jsonl", 1)]

    def test_answer_to_no_question_is_an_error(self, tmp_path: Path) -> None:
        """An id that no question has is named with its place."""
        folder = mt_bench(
            tmp_path,
            [{"question_id": 1, "category": "c", "turns": ["One?"]}],
            {"m1": [said(1, "m1", "A"), said(2, "m1", "B")]},
        )
        made = read(folder)
        assert found(made, Code.UNKNOWN_QUESTION) == [Place("model_answer/m1.jsonl", 2)]

    def test_one_id_for_two_questions_is_an_error(self, tmp_path: Path) -> None:
        """Answers could not be joined."""
        folder = a_pack(tmp_path)
        write_lines(
            folder / "questions.jsonl", {"id": "q1", "text": "Why?"}, {"id": "q1", "text": "How?"}
        )
        assert found(plan(folder), Code.CONFLICTING_QUESTION) == [Place("questions.jsonl", 2)]

    def test_many_findings_are_all_counted_and_the_first_listed(self, tmp_path: Path) -> None:
        """A wrong file does not fill the memory with its report."""
        limit = rules.current().max_findings_listed
        path = tmp_path / "a.jsonl"
        path.write_text("{\n" * (limit + 5))
        made = read(path)
        assert made.report.counts[Code.BAD_JSON] == limit + 5
        assert len(found(made, Code.BAD_JSON)) == limit

    def test_finding_reads_as_one_line_with_file_and_line(self, tmp_path: Path) -> None:
        """The report's line can be clicked in an editor."""
        made = read(write_lines(tmp_path / "a.jsonl", flat("Why?", "m1", "")))
        lines = [str(each) for each in made.report if each.code is Code.EMPTY_ANSWER]
        assert lines == [
            "a.jsonl:1: warning: the answer of m1 holds no text: left out [empty_answer]"
        ]


def test_formats_are_told_from_names_and_first_answer(tmp_path: Path) -> None:
    """Each layout is recognised without being named."""
    (tmp_path / "a.json").write_text("[]")
    assert detect(tmp_path) == "alpacaeval"
    assert detect(tmp_path / "a.json") == "alpacaeval"
    for name, chosen in (("a.csv", "csv"), ("a.jsonl", "jsonl")):
        (tmp_path / name).write_text("")
        assert detect(tmp_path / name) == chosen
    assert detect(a_pack(tmp_path / "pack")) == "pack"
    asked = [{"question_id": 1, "turns": ["a"]}]
    assert detect(mt_bench(tmp_path / "mt", asked, {"m": [said(1, "m", "a")]})) == "mt_bench"
    assert detect(mt_bench(tmp_path / "hard", asked, {"m": [hard("1", "m", "a")]})) == "arena_hard"
