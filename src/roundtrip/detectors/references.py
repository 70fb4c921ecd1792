"""Captions, headings and references to them that do not agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from roundtrip.detectors.proposal import Contradiction, Sure
from roundtrip.detectors.text import CAPTION, ReportText, marked, where
from roundtrip.drafting.sentences import Mark, Sentence, section_number

_REFERENCE = re.compile(
    r"\b(?P<what>table|figure)(?P<several>s)?\s+(?P<first>\d{1,4})(?!\d)"
    r"(?P<more>(?(several)(?:\s*(?:,|and|&)\s*\d{1,4}(?!\d|[\d.]*\s*%))*))", re.I
)  # fmt: skip
_SECTION = re.compile(r"\bsections?\s+(\d+(?:\.\d+)*)(?![\d.]*\d)", re.I)
_ELSEWHERE = re.compile(r"\b(?:of|in|from)\s+(?:the\s+)?(?:manual|guide|documentation|\[)", re.I)
_DIGITS = re.compile(r"\d+")
_WORDS = re.compile(r"[a-z]{3,}")
_DELIVERY = re.compile(r"\b(non[- ]?)?persistent\b", re.I)
_NAME = re.compile(r"\b[a-z]+(?:_[a-z0-9]+)+\b")
_ALMOST_ALL = 0.9


def references(text: ReportText) -> Iterator[Contradiction]:
    """Propose references to a table, figure or section that the report does not have.

    A section that calls its own number is proposed too: it means another one.
    """
    missing: dict[str, list[Sentence]] = {}
    for sentence in text.sentences:
        for what in _referred(sentence.text):
            missing.setdefault(what, []).append(sentence)
    sections = {number for mark in text.marks if mark.kind == "heading"
                if (number := section_number(mark.text))}  # fmt: skip
    known = {
        what: {int(found["number"]) for _, found in marked(text.marks, "caption", what)}
        for what in ("table", "figure")
    }
    for name, sentences in missing.items():
        what, _, number = name.partition(" ")
        if what == "section":
            itself = [one for one in sentences if section_number(one.section) == number]
            if itself:
                yield _odd(itself, name, "which is the section that says so")
            elif sections and number not in sections and _misses(number, sections):
                yield _odd(sentences, name, "which has no heading")
        elif int(number) not in known[what] and _complete(known[what]):
            yield _odd(sentences, name.capitalize(), "which has no caption")


def subjects(text: ReportText) -> Iterator[Contradiction]:
    """Propose sentences on one kind of delivery in a section whose heading names the other.

    They are what is left of a section that was copied.
    """
    for sentence in text.sentences:
        headed, said = _kinds(sentence.section), _kinds(sentence.text)
        if len(headed) == len(said) == 1 and headed != said:
            yield Contradiction.of_words(
                f"The sentence on {where(sentence)} speaks of {said.pop()} messages, and "
                f"the section, “{sentence.section}”, of {headed.pop()} ones.",
                (sentence,), Sure.medium,
            )  # fmt: skip


def names(text: ReportText) -> Iterator[Contradiction]:
    """Propose names of tests that differ by a letter between a sentence and the tables.

    What ends a name, such as ``no_correl_id`` that of ``clnp_no_correl_id``, is a name too.
    """
    rows = {name for cell in text.cells for name in _NAME.findall(cell.row.lower())}
    labels = {
        name[at:]
        for name in rows
        for at in (0, *(part.end() for part in re.finditer("_", name)))
        if "_" in name[at:]
    }
    seen: set[str] = set()
    for sentence in text.sentences:
        for name in _NAME.findall(sentence.text.lower()):
            if name in labels or name in seen:
                continue
            seen.add(name)
            if near := [label for label in sorted(labels) if _slip(name, label)]:
                says = f"The sentence on {where(sentence)} names {name}; tables have {near[0]}."
                yield Contradiction.of_words(says, (sentence,), Sure.medium)


def captions(text: ReportText) -> Iterator[Contradiction]:
    """Propose captions that repeat another, bear two numbers, or differ from the list of them."""
    for what in ("table", "figure"):
        printed = list(marked(text.marks, "caption", what))
        same: dict[str, list[tuple[Mark, str]]] = {}
        for mark, found in printed:
            said, number = _plain(found["text"]), found["number"]
            second = CAPTION.match(found["text"])
            if second and second["what"].lower() == what and second["number"] != number:
                yield _at([mark], f"is numbered {number} and {second['number']}")
            elif said:
                same.setdefault(said, []).append((mark, number))
        for marks in same.values():
            # A report with a chapter for each set-up has captions that come again in each.
            if len(marks) == 2 and not _repeats(text, [f"{what} {number}" for _, number in marks]):
                (first, one), (mark, other) = marks
                if one != other:
                    told = f"is that of {what.capitalize()} {one} on page {first.page} too"
                    yield _at([mark, first], told, Sure.medium)
        once = [(said, *marks[0]) for said, marks in same.items() if len(marks) == 1]
        numbers = {said: number for said, _, number in once}
        captioned = {number: (said, mark) for said, mark, number in once}
        listed = [(mark, _plain(found["text"]), found["number"])
                  for mark, found in marked(text.marks, "listed", what)]  # fmt: skip
        wrong = [mark for mark, said, number in listed if numbers.get(said, number) != number]
        if wrong:
            told = ", ".join(numbers[said] for mark, said, _ in listed if mark in wrong)
            yield _at(wrong, f"is of what is printed as {told}")
        for mark, said, number in listed:
            other, caption = captioned.get(number, (said, mark))
            # Of a caption of two lines only the first is known.
            apart = not (said.startswith(other) or other.startswith(said))
            if said and said not in same and apart:
                told = f"differs from the caption, “{caption.text}”"
                yield _at([mark, caption], told, Sure.medium)


def headings(text: ReportText) -> Iterator[Contradiction]:
    """Propose headings whose number is out of order, and those that repeat their neighbour's."""
    numbered = [
        (tuple(map(int, number.split("."))), mark) for mark in text.marks
        if mark.kind == "heading"
        and re.fullmatch(r"\d{1,4}(?:\.\d{1,4})+", number := section_number(mark.text))
    ]  # fmt: skip
    titles: dict[tuple[str, str], Mark] = {}
    for mark in text.marks:
        number = section_number(mark.text) if mark.kind == "heading" else ""
        title = _plain(mark.text.partition(number)[2]) if number else ""
        if title:
            other = titles.setdefault((number.rpartition(".")[0], title), mark)
            if (first := section_number(other.text)) != number:
                yield _at([mark, other], f"repeats that of section {first}", Sure.medium)
    for (before, _), (here, mark), (after, _) in zip(
        numbered, numbered[1:], numbered[2:], strict=False
    ):
        if here <= before < after:
            told = ".".join(map(str, before))
            yield _at([mark], f"follows that of section {told}", Sure.medium)


def running_heads(text: ReportText) -> Iterator[Contradiction]:
    """Propose heads and feet of pages that give another version or date than the others."""
    groups: dict[str, Counter[str]] = {}
    pages: dict[str, list[Mark]] = {}
    for mark in text.marks:
        if mark.kind == "head":
            said = re.sub(rf"\b{mark.page}\b", "", mark.text).strip()
            key = _DIGITS.sub("0", said)
            if len(_WORDS.findall(key.lower())) < 2:
                continue
            groups.setdefault(key, Counter())[said] += 1
            pages.setdefault(said, []).append(mark)
    for counts in groups.values():
        usual, count = counts.most_common(1)[0]
        for other, times in counts.items():
            # A page's number that differs from the file's changes on every page.
            if other != usual and times < count and count >= 3:
                yield _at(pages[other], f"differs from “{usual}” on {count} pages")


def _referred(text: str) -> Iterator[str]:
    """Give what a sentence refers to: ``table 8``, ``section 3.2``."""
    for found in _REFERENCE.finditer(text):
        for number in (found["first"], *_DIGITS.findall(found["more"])):
            yield f"{found['what'].lower()} {number}"
    for found in _SECTION.finditer(text):
        if not _ELSEWHERE.match(text[found.end() :].lstrip()):
            yield f"section {found[1]}"


def _complete(known: set[int]) -> bool:
    """Say whether captions were found almost without a gap: one may be part of a picture."""
    return bool(known) and len(known) >= _ALMOST_ALL * max(known)


def _misses(number: str, sections: set[str]) -> bool:
    """Say whether a section is missing among others of its chapter that are there."""
    parent = number.rpartition(".")[0]
    siblings = [one for one in sections if one.rpartition(".")[0] == parent and one[0].isdigit()]
    return number == "0" or len(siblings) > 1


def _repeats(text: ReportText, tables: Sequence[str]) -> bool:
    """Say whether two tables print the same numbers, so that one caption is right for both."""
    one, other = (
        {cell.text for cell in text.cells if cell.table.lower() == table} for table in tables
    )
    return bool(one and other) and 2 * len(one & other) >= min(len(one), len(other))


def _kinds(text: str) -> set[str]:
    return {"non-persistent" if found[1] else "persistent" for found in _DELIVERY.finditer(text)}


def _slip(one: str, other: str) -> bool:
    """Say whether two names differ by a letter left out or wrong, or by two that changed places."""
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) == 1:
        return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))
    at = next((place for place, pair in enumerate(zip(one, other, strict=False))
               if pair[0] != pair[1]), len(one))  # fmt: skip
    if len(one) != len(other):
        return False
    swapped = one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    wrong = one[at + 1 :] == other[at + 1 :] and "_" in (one[at : at + 1], other[at : at + 1])
    return swapped or wrong


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9.]+", text.lower()))


def _odd(sentences: Sequence[Sentence], what: str, why: str) -> Contradiction:
    more = f" and {len(sentences) - 1} more" if len(sentences) > 1 else ""
    says = f"The sentence on {where(sentences[0])}{more} refers to {what}, {why}."
    return Contradiction.of_words(says, sentences)


def _at(marks: Sequence[Mark], why: str, most: Sure = Sure.high) -> Contradiction:
    mark = marks[0]
    said = {"listed": "entry of the list", "head": "margin"}.get(mark.kind, mark.kind)
    text = re.sub(r"(?:\s?\.){4,}\s*", " … ", mark.text)
    says = f"The {said} “{text}” on page {mark.page} {why}."
    return Contradiction.of_words(says, marks, most)
