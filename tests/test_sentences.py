"""Nothing that people read has sentences of more than 30 words."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
MOST = 30
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    *(p for p in (ROOT / "docs" / "pages").rglob("*.md") if "reference" not in p.parts and p.name != "extend.md"),
]
SHOWN_CALLS = {"param", "Option", "Argument"}


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?:;])\s+|\n\s*\n", text)


def words(sentence: str) -> int:
    return len(re.findall(r"\w[\w'’.,%-]*", sentence))


def prose_of(page: Path) -> Iterator[str]:
    """Paragraphs, list items and cells of a Markdown page, without code."""
    text = re.sub(r"```.*?```|^    .*?$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"`[^`]*`", "code", re.sub(r"\]\([^)]*\)", "]", text))
    for part in re.split(r"\n\s*\n|\n(?=[-*\d|#])", text):
        yield from part.split("|") if part.lstrip().startswith("|") else [part]


def said_in(module: ast.Module) -> Iterator[str]:
    """First lines of docstrings, messages of raised errors, and the help of parameters and options."""
    for node in ast.walk(module):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield (ast.get_docstring(node) or "").partition("\n\n")[0]
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield from texts(node.exc)
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in SHOWN_CALLS:
            yield from texts(node)


def texts(node: ast.AST) -> Iterator[str]:
    """The string literals below a node, with a word for each value that is put into them."""
    if isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "value" for part in node.values)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    else:
        for child in ast.iter_child_nodes(node):
            yield from texts(child)


def too_long(said: Iterator[str]) -> list[tuple[int, str]]:
    found = {(words(sentence), " ".join(sentence.split())) for text in said for sentence in sentences(text)}
    return sorted((one for one in found if one[0] > MOST), reverse=True)


def test_no_sentence_of_a_page_is_longer_than_30_words():
    assert [(page.name, *one) for page in PAGES for one in too_long(prose_of(page))] == []


def test_no_message_help_text_or_first_line_is_longer_than_30_words():
    modules = sorted((ROOT / "src").rglob("*.py"))
    said = {path: too_long(said_in(ast.parse(path.read_text(encoding="utf-8")))) for path in modules}
    assert [(str(path.relative_to(ROOT)), *one) for path, found in said.items() for one in found] == []
