"""A project file that is not YAML is refused in one plain sentence: where, what is wrong, and what to do."""

from pathlib import Path

import pytest

from ammg.errors import InputError, ProjectError
from ammg.io.yaml_text import parse_long_yaml
from ammg.projects.document import load_yaml

FAULTS = {
    "a tab": ("roles:\n\tage: key\n", "line 2, column 1: the line is indented with a tab: use spaces."),
    "a tab after spaces": (
        "roles:\n  age: key\n\tsex: key\n",
        "line 3, column 1: the line is indented with a tab: use spaces.",
    ),
    "no colon above a block": (
        "source: a.csv\nroles\n  age: key\n",
        "line 2, column 6: there is no colon after 'roles': write `roles: …`.",
    ),
    "no colon before a value": (
        "target b.csv  # here\nsource: a.csv\n",
        "line 1, column 13: there is no colon after 'target': write `target: b.csv`.",
    ),
    "no colon in the first line": (
        "source a.csv\ntarget: b.csv\n",
        "line 1, column 13: there is no colon after 'source': write `source: a.csv`.",
    ),
    "no space after a colon": (
        "roles:\n  age:key\n  sex: key\n",
        "line 2, column 7: there is no space after the colon: write `age: key`.",
    ),
    "no space after the only colon": (
        "source:a.csv\n",
        "line 1, column 8: there is no space after the colon: write `source: a.csv`.",
    ),
    "no space after a colon in brackets": (
        "roles: {age:key, sex: key}\n",
        "line 1, column 9: there is no space after the colon: write `age: key`.",
    ),
    "a brace that is not closed": (
        "roles: {age: key, sex: key\nmethods: []\n",
        "line 1, column 8: the bracket '{' is never closed: add '}' after its last entry.",
    ),
    "a bracket that is not closed": (
        "source: a.csv\nmethods: [rounding\n",
        "line 2, column 10: the bracket '[' is never closed: add ']' after its last entry.",
    ),
    "a bracket that is closed in a comment": (
        "methods: [rounding, # all]\n",
        "line 1, column 10: the bracket '[' is never closed: add ']' after its last entry.",
    ),
    "the wrong bracket": (
        "roles: {age: key]\n",
        "line 1, column 17: '{' (line 1, column 8) is closed by ']': use '}'.",
    ),
    "a bracket too many": (
        "methods: [rounding]]\n",
        "line 1, column 20: ']' stands outside brackets: delete it, or put the value in quotes.",
    ),
    "no comma": (
        "roles: {age: key,\n  sex: key\n  job: key}\n",
        "line 3, column 6: a comma is missing before this, between two entries in brackets: write one, or put a value "
        "with a colon or a quote in quotes.",
    ),
    "a quote that is not closed": (
        "source: 'a.csv\nroles: {a: key}\n",
        "line 1, column 9: the quote ' is never closed: add ' at the end of the value.",
    ),
    "a quote that is not closed before another": (
        'source: "a.csv\ntarget: "b.csv"\n',
        'line 1, column 9: the quote " is never closed: add " at the end of the value.',
    ),
    "an apostrophe in quotes": (
        "labels:\n  age: 'the person's age'\n",
        "line 2, column 20: something follows the closing quote: put the whole value in double quotes.",
    ),
    "a backslash in quotes": (
        'source: "C:\\data\\a.csv"\n',
        "line 1, column 13: in double quotes a backslash begins a code: use single quotes, or write two of them.",
    ),
    "lines that are not aligned": (
        "roles:\n    age: key\n  sex: key\n",
        "line 3, column 3: the line is indented by 2, unlike the lines around it: align them.",
    ),
    "list items that are not aligned": (
        "methods:\n  - rounding\n - sampling\n",
        "line 3, column 2: the line is indented by 1, unlike the lines around it: align them.",
    ),
    "a line that is indented too deep": (
        "source: a.csv\n  roles: {a: key}\n",
        "line 2, column 3: the line is indented deeper than line 1, which has a value already: align the two.",
    ),
    "no space after a dash": (
        "methods:\n  -rounding: {base: 5}\n  - sampling\n",
        "line 2, column 4: there is no space after the dash of a list item: write `- `.",
    ),
    "a colon in a value": (
        "labels:\n  age: age: years\n",
        "line 2, column 11: the value has a colon followed by a space: put the whole value in quotes.",
    ),
    "a value that begins with a sign": (
        "labels: {age: @home}\n",
        "line 1, column 15: a value cannot begin with '@': put it in quotes.",
    ),
    "a star": ("columns: *\n", "line 1, column 10: a value cannot begin with '*': put it in quotes."),
    "a tag": ("a: !b c\n", "line 1, column 4: a value cannot begin with '!': put it in quotes."),
    "braces of a template": (
        "source: {{path}}\n",
        "line 1, column 10: brackets stand where a name is expected: delete them, or put the text in quotes.",
    ),
    "a key twice": (
        "source: a.csv\nroles: {a: key}\nsource: b.csv\n",
        "line 3, column 1: 'source' is given twice, first at line 1: keep one.",
    ),
    "two documents": ("a: 1\n---\na: 2\n", "line 2, column 1: a second document begins with '---': keep one of them."),
    "a list among keys": (
        "source: a.csv\n- rounding\n",
        "line 2, column 1: a list item stands among keys: indent it under its key, or delete the dash.",
    ),
    "a key among list items": (
        "- rounding\nsource: a.csv\n",
        "line 2, column 1: a key stands among list items: write `- ` before it, or indent it differently.",
    ),
    "a date that is none": (
        "source: 2024-99-99",
        "line 1, column 9: 2024-99-99 is not a valid date: put it in quotes if it is text.",
    ),
    "an invisible character": (
        "source: a.csv\ntarget: b\x07.csv\n",
        "line 2, column 10: the invisible character U+0007 is not allowed: delete it.",
    ),
    "anything else": (
        "a: ? b\n",
        "line 1, column 4: it cannot be read as YAML from here on: check colons, indentation, brackets and quotes.",
    ),
    "another encoding": (
        "source: a.csv\nlabels: {näme: x}\n".encode("latin-1"),
        "line 2, column 11: the byte 0xe4 is not UTF-8 text: save the file as UTF-8.",
    ),
    "text of a notepad": (
        "source: a.csv\n".encode("utf-16"),
        "line 1, column 1: the file is text in UTF-16: save it as UTF-8.",
    ),
    "no mapping": ("hello\n", "it must be a mapping with source, roles, methods …, such as `source: patients.csv`."),
}


@pytest.mark.parametrize("case", FAULTS)
def test_the_sentence_says_where_what_and_what_to_do(tmp_path: Path, case: str) -> None:
    text, sentence = FAULTS[case]
    path = tmp_path / "project.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ProjectError) as refused:
        load_yaml(path)
    assert str(refused.value) == f"{path} has 1 problem:\n  - {sentence}"


def test_a_long_document_does_not_repeat_the_words_of_the_parser() -> None:
    values = "[1, 2, 3]\n- " * 100_000
    with pytest.raises(InputError, match=r"^line 100003, column 1: it cannot be read as YAML from here on: check"):
        parse_long_yaml(f"- {values}\n{'# ' * 500_000}\n: : {{")


@pytest.mark.parametrize("text", ["{a: 'x:y'}", "{'a:b': }", "{http://x: 1}", "- 12:30\n- a:b", "a: b:c", "{a: b:c}"])
def test_colons_that_are_meant_are_read(text: str) -> None:
    assert parse_long_yaml(text) == __import__("yaml").safe_load(text)
