"""What is wrong with a YAML document, in one sentence: where, what is likely meant, and what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

import yaml

_CLOSING = {"{": "}", "[": "]"}
_KEY = re.compile(r"[^\s#{\[\"'][^:]*:(\s|$)")


def at(line: int, column: int) -> str:
    """A place as people count: from 1."""
    return f"line {line + 1}, column {column + 1}"


def fault_of(error: Exception, text: str) -> str:
    """One sentence about what the parser refused."""
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position]
        place = at(before.count("\n"), len(before) - before.rfind("\n") - 1)
        return f"{place}: the invisible character U+{_point(error.character):04X} is not allowed: delete it."
    mark = getattr(error, "problem_mark", None)
    if not isinstance(error, yaml.MarkedYAMLError) or mark is None:
        return "it cannot be read as YAML: check the values that look like dates or numbers, and put them in quotes."
    refused = _Refused(
        text.splitlines(), error.problem or "", mark.line, mark.column, error.context or "", error.context_mark or mark
    )
    for pattern, tell in _FAULTS:
        if (match := re.search(pattern, f"{refused.context}: {refused.problem}")) and (told := tell(refused, match)):
            return told
    return f"{refused.place}: it cannot be read as YAML from here on: check colons, indentation, brackets and quotes."


def _point(character: int | bytes) -> int:
    return character if isinstance(character, int) else character[0]


def no_space(line: str, number: int = 0) -> str:
    """One sentence about a line such as `age:key`; empty if it is none."""
    content = _content(line)
    said = re.match(r"(?:- +)?([^\s:]+):[^\s/\\]", content)
    if said is None or re.search(r":(\s|$)", content):
        return ""
    column = line.index(f"{said[1]}:") + len(said[1]) + 1
    return f"{at(number, column)}: there is no space after the colon: write `{said[1]}: {_content(line[column:])}`."


def undecodable(error: UnicodeDecodeError) -> str:
    """One sentence about bytes that are not UTF-8."""
    data = bytes(error.object)
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "line 1, column 1: the file is text in UTF-16: save it as UTF-8."
    before = data[: error.start]
    line = before[before.rfind(b"\n") + 1 :].decode("utf-8", "replace")
    place = at(before.count(b"\n"), len(line))
    return f"{place}: the byte 0x{data[error.start]:02x} is not UTF-8 text: save the file as UTF-8."


class _Refused(NamedTuple):
    """Where the parser stopped, and what it was in the middle of."""

    lines: list[str]
    problem: str
    line: int
    column: int
    context: str
    begun: yaml.Mark

    @property
    def place(self) -> str:
        return at(min(self.line, max(len(self.lines) - 1, 0)), self.column)

    @property
    def here(self) -> str:
        return self.lines[self.line] if self.line < len(self.lines) else ""

    def above(self) -> int | None:
        """The nearest line above with something on it."""
        filled = (n for n in range(min(self.line, len(self.lines)) - 1, -1, -1) if _content(self.lines[n]))
        return next(filled, None)


def _content(line: str) -> str:
    """A line without its comment and the blanks around it."""
    return re.sub(r"(^|\s)#.*", "", line).strip()


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


Match = re.Match[str]


def _sign(refused: _Refused, match: Match) -> str:
    sign = refused.here[refused.column : refused.column + 1] or match[1]
    if sign == "\t" and not refused.here[: refused.column].strip():
        return f"{refused.place}: the line is indented with a tab: use spaces."
    if sign == "\t":
        return f"{refused.place}: there is a tab between two values: use a space."
    return f"{refused.place}: a value cannot begin with '{sign}': put it in quotes."


def _no_colon(refused: _Refused, match: Match) -> str:
    number = refused.above() if "document" in match[0] else refused.begun.line
    return "" if number is None else _lacks_colon(refused.lines[number], number)


def _lacks_colon(line: str, number: int) -> str:
    said = _content(line)
    place = at(number, line.index(said) + len(said))
    first, _, rest = said.removeprefix("- ").partition(" ")
    return f"{place}: there is no colon after '{first}': write `{first}: {rest or '…'}`."


def _second_colon(refused: _Refused, _: Match) -> str:
    """A colon where none may be: a second one, or one in a line that the parser took for part of a longer value."""
    if re.search(r":\s", refused.here[: refused.column]):
        return f"{refused.place}: the value has a colon followed by a space: put the whole value in quotes."
    number = refused.above()
    if number is None:
        return ""
    above = refused.lines[number]
    if told := no_space(above, number):
        return told
    if ":" not in above and _indent(refused.here) <= _indent(above):
        return _lacks_colon(above, number)
    if _indent(refused.here) > _indent(above):
        place = at(refused.line, _indent(refused.here))
        return f"{place}: the line is indented deeper than line {number + 1}, which has a value already: align the two."
    return ""


def _in_brackets(refused: _Refused, match: Match) -> str:
    opening = refused.begun
    sign = refused.lines[opening.line][opening.column]
    got = match[1]
    if got in ("]", "}"):
        opened = at(opening.line, opening.column)
        return f"{refused.place}: '{sign}' ({opened}) is closed by '{got}': use '{_CLOSING[sign]}'."
    if not _closes(refused.lines, opening.line, opening.column):
        return _never_closed(refused.lines, opening.line, opening.column)
    if told := _quote_above(refused):
        return told
    advice = "write one, or put a value with a colon or a quote in quotes"
    return f"{refused.place}: a comma is missing before this, between two entries in brackets: {advice}."


def _no_node(refused: _Refused, match: Match) -> str:
    if match[1] in ("<stream end>", "<document end>", "<document start>"):
        for number in range(len(refused.lines) - 1, -1, -1):
            for column in range(len(refused.lines[number]) - 1, -1, -1):
                if refused.lines[number][column] in _CLOSING and not _closes(refused.lines, number, column):
                    return _never_closed(refused.lines, number, column)
    return f"{refused.place}: a value is missing before '{match[1]}': write one, or delete the sign."


def _never_closed(lines: list[str], line: int, column: int) -> str:
    sign = lines[line][column]
    return f"{at(line, column)}: the bracket '{sign}' is never closed: add '{_CLOSING[sign]}' after its last entry."


def _closes(lines: list[str], line: int, column: int) -> bool:
    """Whether a bracket is closed before the next key that stands no deeper than the line it is in."""
    depth = 0
    for number in range(line, len(lines)):
        if number > line and _KEY.match(lines[number].lstrip()) and _indent(lines[number]) <= _indent(lines[line]):
            return False
        shown = re.sub(r"(^|\s)#.*", "", lines[number]) if number > line else lines[number][column:]
        for sign in re.sub(r"\"[^\"]*\"|'[^']*'", "", re.sub(r"\s#.*", "", shown)):
            depth += (sign in "[{") - (sign in "]}")
            if depth == 0:
                return True
    return False


def _in_block(refused: _Refused, match: Match) -> str:
    got = match[1]
    number = refused.above()
    if got in ("]", "}", ","):
        return f"{refused.place}: '{got}' stands outside brackets: delete it, or put the value in quotes."
    if got == "<scalar>" and (told := _quote_above(refused)):
        return told
    if got == "<scalar>":
        advice = "put the whole value in double quotes"
        return f"{refused.place}: something follows the closing quote: {advice}."
    if number is not None and re.match(r"-[^\s-]", _content(refused.lines[number])):
        column = _indent(refused.lines[number]) + 1
        return f"{at(number, column)}: there is no space after the dash of a list item: write `- `."
    if got in ("<block mapping start>", "<block sequence start>"):
        return f"{refused.place}: the line is indented by {refused.column}, unlike the lines around it: align them."
    if got == "-":
        return f"{refused.place}: a list item stands among keys: indent it under its key, or delete the dash."
    return f"{refused.place}: a key stands among list items: write `- ` before it, or indent it differently."


def _quote_above(refused: _Refused) -> str:
    """A quote in a line above that was taken to end here, where another one begins."""
    for sign in "'\"":
        if refused.here[: refused.column].count(sign) % 2:
            odd = [n for n in range(refused.line) if _content(refused.lines[n]).count(sign) % 2]
            if odd:
                return _unclosed_quote(refused.lines, odd[-1], refused.lines[odd[-1]].rindex(sign))
    return ""


def _unclosed_quote(lines: list[str], line: int, column: int) -> str:
    sign = lines[line][column]
    return f"{at(line, column)}: the quote {sign} is never closed: add {sign} at the end of the value."


def _open_quote(refused: _Refused, _: Match) -> str:
    return _unclosed_quote(refused.lines, refused.begun.line, refused.begun.column)


def _escape(refused: _Refused, _: Match) -> str:
    return f"{refused.place}: in double quotes a backslash begins a code: use single quotes, or write two of them."


def _reference(refused: _Refused, _: Match) -> str:
    begun = refused.begun
    sign = refused.lines[begun.line][begun.column : begun.column + 1]
    return f"{at(begun.line, begun.column)}: a value cannot begin with '{sign}': put it in quotes."


def _unhashable(refused: _Refused, _: Match) -> str:
    return f"{refused.place}: brackets stand where a name is expected: delete them, or put the text in quotes."


def _second_document(refused: _Refused, _: Match) -> str:
    return f"{refused.place}: a second document begins with '---': keep one of them."


_FAULTS: list[tuple[str, Callable[[_Refused, Match], str]]] = [
    (r"found character (.+) that cannot start|that cannot start any token()", _sign),
    (r"could not find expected ':'|expected '<document start>'", _no_colon),
    (r"mapping values are not allowed", _second_colon),
    (r"while parsing a flow (?:mapping|sequence).*expected ',' or .*but got '(.+)'", _in_brackets),
    (r"while parsing a (?:flow|block) node.*expected.*node content.*but found '(.+)'", _no_node),
    (r"while parsing a block (?:mapping|collection).*expected <block end>, but found '(.+)'", _in_block),
    (r"while scanning a quoted scalar.*found unexpected", _open_quote),
    (r"while scanning a double-quoted scalar", _escape),
    (
        r"while scanning an? (?:alias|anchor|block scalar|tag|directive)|undefined alias|determine a constructor",
        _reference,
    ),
    (r"found unhashable key", _unhashable),
    (r"expected a single document", _second_document),
]
