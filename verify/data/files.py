"""Files of examples as prompts and answers in text: lines, JSON lines, and CSV."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from io import StringIO
from itertools import repeat
from random import Random
from typing import Any

from arith.theory.errors import InvalidInput

COMMENT = "#"
"""What begins a line that says how a file was made; readers pass over it."""
PROMPTS = ("prompt", "question", "input", "problem", "query", "user", "human", "instruction")
ANSWERS = ("answer", "completion", "output", "target", "response", "result", "assistant", "gpt")
"""The names of a prompt and of its answer: in JSON, in the first line of CSV, and as roles."""
_TURNS = ("messages", "conversations")
"""The names of a list of turns, each with a role and a content."""
_BETWEEN = (";", "\t", ",")
"""What may stand between the columns of CSV."""
_SHOWN = 100
"""Characters of a line that an error repeats: those that it begins with, and those that end it."""
_FIRST = 100
"""Lines by which it is seen whether a blank stands before answers."""
_END = re.compile(r"(?:<eos>|<end>|</s>|<\|endoftext\|>|[$;.])\s*$")
_WORD = re.compile("[A-Za-z]{2}|[A-Za-z]:")
"""What stands before the number of an answer that has words."""
_JSON = json.JSONDecoder(parse_int=str, parse_float=str)
"""Numbers are read as they are written, of any length."""
_PAIR = ("prompt", "answer")
_AS_IN = '{"prompt": "12+34=", "answer": "46"}'
_Turn = tuple[str, str, int]
"""A prompt, its answer, and how many characters of its chat stand before."""
_BEGIN = re.compile(r"^\s*(?:<bos>|<s>|\$)")
_BEGINS = "<$ \t"
"""What a prompt with a begin token begins with."""
_MARK = re.compile(
    r"=>|->|→|\t|\?|(?:\b(?:is|equals|makes|gives|(?:a|answer):)|:)(?=\s)", re.IGNORECASE
)
"""What stands before an answer, where no ``=`` does."""


@dataclass(frozen=True)
class Source:
    """The file that examples stand in, for errors.

    Args:
        what: it is: ``train.txt``.
        numbers: of the line of each example, or of its entry in a list.
        text: all of it, if an example is a line of it as it stands.
        unit: what is numbered.
    """

    what: str
    numbers: Sequence[int]
    text: str = ""
    unit: str = "line"

    def place(self, index: int) -> str:
        """``train.txt, line 3``."""
        return f"{self.what}, {self.unit} {self.numbers[index]:,}"

    def line(self, index: int) -> str:
        """The line of an example; empty where it is not one."""
        return self.text.splitlines()[self.numbers[index] - 1] if self.text else ""


@dataclass(frozen=True)
class Examples:
    """Prompts and their answers, as they are written.

    Where nothing parts the two in a line, all of it is the prompt, and the answer is empty.

    Args:
        in_columns: each operand stood in a column of its own, so what stands between is not known.
        before: how many characters of its chat stand before each prompt; empty of what is no chat.
        begin: what each line began with, as ``$`` or ``<bos>``; it is left out of the prompts.
        source: where they stand, if that is known.
    """

    prompts: list[str]
    answers: list[str]
    in_columns: bool = field(default=False, kw_only=True)
    begin: str = field(default="", kw_only=True)
    before: Sequence[int] = field(default=(), kw_only=True)
    source: Source | None = field(default=None, kw_only=True, compare=False, repr=False)

    def __len__(self) -> int:
        return len(self.prompts)

    @classmethod
    def joined(cls, parts: Iterable[Examples]) -> Examples:
        """Those of several parts, in their order."""
        pairs = [pair for x in parts for pair in zip(x.prompts, x.answers, strict=True)]
        return cls([p for p, _ in pairs], [a for _, a in pairs])

    def some(self, rows: Iterable[int]) -> Examples:
        """Those of some lines, by their indices."""
        rows, source = list(rows), self.source
        if source is not None:
            source = replace(source, numbers=[source.numbers[i] for i in rows])
        prompts, answers = ([x[i] for i in rows] for x in (self.prompts, self.answers))
        before = [self.before[i] for i in rows] if self.before else ()
        return replace(self, prompts=prompts, answers=answers, before=before, source=source)

    def sample(self, most: int) -> Examples:
        """Some of them, from everywhere: no more than so many.

        They stand at no regular distance, as what a file repeats at one would be missed.
        """
        if len(self) <= most:
            return self
        draw, step = Random(0), len(self) / most
        return self.some(int((i + draw.random()) * step) for i in range(most))

    def line(self, index: int) -> str:
        """One example as a line of text."""
        return self.prompts[index] + self.answers[index]

    def told(self, index: int) -> str:
        """An example for an error: its line as it stands; of one that is none, what was read."""
        own = self.source.line(index) if self.source else ""
        return shown(own or f"{self.prompts[index]} -> {self.answers[index]}")

    def as_they_stand(self) -> Iterator[tuple[str, str | None]]:
        """Each prompt as its file has it, and what follows the answer there.

        That is None of an example that is no line of text, but of JSON or CSV.
        """
        lines = self.source.text.splitlines() if self.source else []
        for i, (prompt, answer) in enumerate(zip(self.prompts, self.answers, strict=True)):
            line = lines[self.source.numbers[i] - 1] if self.source and lines else ""
            number = answer.split()[-1] if _WORD.search(answer) else answer
            at = max(line.rfind(number), 0) if number else 0
            asked, end = _BEGIN.sub("", line[:at]), line[at + len(number) :]
            known = prompt.removesuffix("=")
            is_line = asked.startswith(known) and asked[len(known) :].strip('"= ') not in _BETWEEN
            yield (asked, end) if is_line and asked else (prompt, None)

    def quoted(self, index: int) -> str:
        """An example as an error repeats it: ``'12+34=47' (train.txt, line 3)``."""
        place = f" ({self.source.place(index)})" if self.source else ""
        return f"'{self.told(index)}'{place}"


def parse_examples(data: bytes, what: str) -> Examples:
    """The examples in a file: JSON lines, CSV, or an example a line.

    Args:
        what: the file is, for errors: ``train.txt``.

    Raises:
        InvalidInput: it is no text, has no examples, or a line of JSON or CSV is none.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput(f"{what}: it is no text in UTF-8") from None
    if "\0" in text:
        raise InvalidInput(f"{what}: it is no text (it holds null characters)")
    lines = text.splitlines()
    kept = [i for i, line in enumerate(lines) if line.strip() and not line.startswith(COMMENT)]
    if not kept:
        raise InvalidInput(f"{what}: it has no examples")
    first, between = lines[kept[0]].lstrip(), ""
    entries = _listed(text, first, what)
    is_list = entries is not None
    if entries is None and "{" in text:
        _check_alike([(i + 1, lines[i].lstrip()) for i in kept], what)
    is_json = is_list or first.startswith("{")
    numbers, before = [i + 1 for i in kept], list[int]()
    if is_json:
        if entries is not None:
            numbers = [*range(1, len(entries) + 1)]
        else:
            entries = [_loads(lines[i], f"{what}, line {i + 1:,}") for i in kept]
        unit = "entry" if is_list else "line"
        where = (f"{what}, {unit} {i:,}" for i in numbers)
        chats = _without_shared([_of_json(x, y) for x, y in zip(entries, where, strict=True)])
        numbers = [i for i, chat in zip(numbers, chats, strict=True) for _ in chat]
        pairs = [(prompt, answer) for chat in chats for prompt, answer, _ in chat]
        before = [x for chat in chats for *_, x in chat]
    elif between := _between_columns(first):
        pairs = list(_of_csv([(i + 1, lines[i]) for i in kept], what, between))
    else:
        blanks = any(_ends_after_blank(lines[i]) for i in kept[:_FIRST])
        pairs = [split_line(lines[i], blanks) for i in kept]
    if not pairs:
        raise InvalidInput(f"{what}: it has no examples")
    prompts, answers = map(list, zip(*pairs, strict=True))
    marks = {_begin(x) if x[:1] in _BEGINS else "" for x in prompts}
    if marks != {""}:
        prompts = [_BEGIN.sub("", x) for x in prompts]
    answers = [_END.sub("", x).rstrip() if x[-1:] in "$;.>" else x for x in answers]
    heads = {x.strip().lower() for x in first.split(between)} if between else set(PROMPTS)
    begin = marks.pop() if len(marks) == 1 else ""
    numbers = numbers[-len(pairs) :]  # but that of the names of columns
    source = Source(what, numbers, unit=unit) if is_json else Source(what, numbers, text)
    return Examples(
        prompts,
        answers,
        in_columns=heads.isdisjoint(PROMPTS) and not _WORD.search(prompts[0]),
        begin=begin,
        before=before if any(before) else (),
        source=source,
    )


def _listed(text: str, first: str, what: str) -> list[Any] | None:
    """The entries of a file that is one list, or an object with one under some key; else None."""
    if not first.startswith(("[", "{")):
        return None
    whole = "\n".join(x for x in text.splitlines() if not x.startswith(COMMENT)).strip()
    if first.startswith("[") and whole.endswith("]"):
        entries: list[Any] = _loads(whole, what)
        return entries
    with suppress(ValueError, RecursionError):
        found, end = _JSON.raw_decode(whole)
        is_whole = end == len(whole) and isinstance(found, dict)
        if is_whole and found.keys().isdisjoint((*PROMPTS, *_TURNS)):
            lists = [x for x in found.values() if isinstance(x, list)]
            return lists[0] if len(lists) == 1 else None
    return None


def _check_alike(numbered: Sequence[tuple[int, str]], what: str) -> None:
    """Refuse lines of which some are JSON and others are not (InvalidInput)."""
    number, first = numbered[0]
    is_json = first.startswith("{")
    if is_json:
        _loads(first, f"{what}, line {number:,}")
    odd = next((x for x in numbered if x[1].startswith("{") != is_json), None)
    if odd is not None:
        kinds = ("no JSON", "JSON") if is_json else ("JSON", "no JSON")
        raise InvalidInput(
            f"{what}, line {odd[0]:,}: it is {kinds[0]}, and the lines before it are {kinds[1]}: "
            f"write all in one way: {shown(odd[1])}"
        )


def _begin(prompt: str) -> str:
    """What is taken for the begin token of a prompt; empty if there is none."""
    found = _BEGIN.match(prompt)
    return found[0].strip() if found else ""


def split_line(line: str, blanks: bool = False) -> tuple[str, str]:
    """The prompt of a line, up to the last ``=``, and its answer; what ends it is cut.

    Where there is none ``->``, a tab, a question mark or a word such as ``is`` parts them.

    Args:
        blanks: else the last blank does.
    """
    if line[-1:] in "$;.> \t":
        line = _END.sub("", line).rstrip()
    before, equals, after = line.rpartition("=")
    if equals and after[:1] != ">":
        return before + equals, after.strip()
    marks = [x for x in _MARK.finditer(line) if line[x.end() :].strip()]
    if marks:
        return line[: marks[-1].start()] + "=", line[marks[-1].end() :].strip()
    if blanks and " " in line:
        before, _, after = line.rpartition(" ")
        return before.strip() + "=", after
    return line, ""


def _ends_after_blank(line: str) -> bool:
    """Whether a number stands after a blank, in a line whose blanks are not between digits."""
    words = line.split()
    whole = len(words) > 1 and words[-1].isalnum() and words[-2][-1].isalnum()
    return whole and any(len(x) > 1 and x.isalnum() for x in words)


def _loads(line: str, where: str) -> Any:
    try:
        return _JSON.decode(line)
    except (ValueError, RecursionError):
        what = "no JSON: each example stands on one line, or all in a list"
        raise InvalidInput(f"{where}: {what}: {shown(line)}") from None


def _of_json(entry: Any, where: str) -> list[_Turn]:
    """The prompts and answers of an object: of a chat several; else of its names, or of a pair.

    An object that has one text has a line in it.
    """
    if isinstance(entry, str):
        return [(*split_line(entry), 0)]
    names: Sequence[str] = _PAIR
    values, roles = entry if isinstance(entry, list) else [], list[str]()
    if isinstance(entry, dict):
        turns = next((entry[x] for x in _TURNS if isinstance(entry.get(x), list)), None)
        if turns is not None:
            found, roles = _of_chat(turns, where)
            if found:
                return found
        names = _named(entry, PROMPTS) + _named(entry, ANSWERS)
        if not names and isinstance(entry.get("text"), str):
            return [(*split_line(entry["text"]), 0)]
        values = [entry[x] for x in names]
    if len(values) == 2:
        prompt, answer = map(_text, names, values, repeat(where))
        return [(prompt, answer.strip(), 0)]
    lacks = f"not {shown(json.dumps(entry))}"
    if isinstance(entry, dict):
        each = f"one key of {', '.join(PROMPTS)}, and one of {', '.join(ANSWERS)}"
        has = shown(", ".join(roles if turns is not None else entry))
        lacks = f"with {each}; it has {has or 'none'}"
    what = f"it needs a prompt and an answer, as in {_AS_IN}"
    raise InvalidInput(f"{where}: {what}, {lacks}")


def _named(entry: dict[str, Any], names: Sequence[str]) -> list[str]:
    """The first of some names that an object has, one with a text before those that have none."""
    has = [x for x in names if x in entry]
    return sorted(has, key=lambda x: entry[x] == "")[:1] if has[1:] else has


def _of_chat(turns: list[Any], where: str) -> tuple[list[_Turn], list[str]]:
    """Each prompt of a chat with its answer, the last that it has; and the roles of the turns."""
    found, roles, prompt = dict[int, _Turn](), list[str](), ""
    before = at = 0
    for turn in turns:
        if not isinstance(turn, dict):
            continue
        role = str(turn.get("role", turn.get("from"))).lower()
        roles.append(role)
        is_asked, is_answer = role in PROMPTS, role in ANSWERS
        content = turn.get("content", turn.get("value"))
        text = _text(f"{role} content", content, where) if is_asked or is_answer else content
        if is_asked:
            prompt, at = str(text), before
        elif is_answer and prompt:
            found[at] = prompt, str(text).strip(), at
        before += len(str(text)) + 1
    return [*found.values()], roles


def _text(name: str, value: Any, where: str) -> str:
    """A text, or one in parts as chats have it (InvalidInput: what is neither)."""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else [value]
    texts = [x.get("text") if isinstance(x, dict) else x for x in parts]
    known = [x for x in texts if isinstance(x, str)]
    if len(known) == len(texts):
        return "".join(known)
    raise InvalidInput(
        f"{where}: its {name} is {shown(json.dumps(value))}, and has to be text or a number, as in "
        f'{_AS_IN}; "" is no answer'
    )


def _without_shared(chats: list[list[_Turn]]) -> list[list[_Turn]]:
    """Chats without the turns that all begin with: these show what is asked for."""
    shared, most = 0, min(map(len, chats), default=0) - 1
    while shared < most and len({chat[shared][:2] for chat in chats}) == 1 < len(chats):
        shared += 1
    return [chat[shared:] for chat in chats] if shared else chats


def _between_columns(line: str) -> str:
    """What stands between the columns of CSV; empty where a line is none.

    An ``=`` may stand at the end of a prompt alone.
    """
    for mark in _BETWEEN:
        first, *others = (x.strip().strip('"').strip() for x in line.split(mark))
        if others and all(others) and "=" not in "".join([first.removesuffix("="), *others]):
            return mark
    return ""


def _of_csv(
    numbered: Sequence[tuple[int, str]], what: str, between: str
) -> Iterator[tuple[str, str]]:
    """The rows of CSV: columns of these names, or numbers, the last of which is the answer."""
    rows = csv.reader(StringIO("\n".join(line for _, line in numbered)), delimiter=between)
    try:
        read = [[cell.strip() for cell in row] for row in rows]
    except csv.Error as error:
        raise InvalidInput(f"{what}: no CSV: {error}") from None
    names = [cell.lower() for cell in read[0]]
    prompt = next((names.index(x) for x in PROMPTS if x in names), None)
    answer = next((names.index(x) for x in ANSWERS if x in names), None)
    is_head = not any(c.isdigit() for c in "".join(names))
    for number, (row, (i, line)) in enumerate(zip(read, numbered, strict=False)):
        if number == 0 and is_head:
            continue
        if len(row) != len(names):
            raise InvalidInput(
                f"{what}, line {i}: the first line has {len(names)} columns, and this one "
                f"{len(row)}: {shown(line)}"
            )
        if prompt is not None and answer is not None:
            yield row[prompt], row[answer]
        elif prompt is None:
            cells = [cell for j, cell in enumerate(row) if j != answer]
            asked = ",".join(cells if answer is not None else cells[:-1])
            yield asked.removesuffix("=") + "=", row[-1 if answer is None else answer]
        else:
            raise InvalidInput(f"{what}: it has no column of answers ({', '.join(ANSWERS)})")


def shown(text: str) -> str:
    """A text that an error repeats: where it is long its beginning and its end."""
    text = "".join(c if c.isprintable() else " " for c in text)
    half = _SHOWN // 2
    return text if len(text) <= _SHOWN else f"{text[:half]} ... {text[-half:]}"
