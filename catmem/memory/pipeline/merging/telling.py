"""What a new fact is to a stored one, told by code: the check on every decision of a model.

A wrong merge of two different facts is the worst that can happen, so a relation is only seen where
the words show it; where they do not, both facts stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cached_property

from catmem.memory.pipeline.extraction import Candidate
from catmem.memory.pipeline.merging import wording
from catmem.memory.pipeline.merging.contrasts import PASSING, Marks, marks, member_words
from catmem.memory.pipeline.merging.keeping import pieces_of
from catmem.memory.pipeline.merging.literals import Literal, folded, literals, missing, prose
from catmem.memory.search.lexical import terms
from catmem.memory.search.similarity import coverage, words_of
from catmem.memory.store.entry import Entry

_SAID = 0.8  # this much of a text's words in the other means that the other says it
_RESTATED = 0.7
_SAME_SUBJECT = 0.75
_CHARACTERS = 2_000  # of longer texts only the beginning is compared, and they are never the same


class Relation(StrEnum):
    """What a candidate is to an entry.

    ``APART``: another subject, or a special case beside a general rule. ``UNCLEAR``: similar words,
    and nothing that shows more; both can be true.
    """

    SAME = "same"
    REFINES = "refines"
    CORRECTS = "corrects"
    UNCLEAR = "unclear"
    APART = "apart"


MERGING = frozenset({Relation.SAME, Relation.REFINES, Relation.CORRECTS})
"""The relations in which a candidate may change an entry."""


def relation(candidate: Candidate, entry: Entry) -> Relation:
    """Tell what ``candidate`` is to ``entry`` by their words and the person's."""
    return _Pair(
        _statement(candidate),
        _statement(entry),
        "\n".join((*(item.quote for item in candidate.evidence), candidate.content)),
    ).relation()


def same_fact(one: Candidate | Entry, other: Candidate | Entry) -> bool:
    """Tell whether two facts say the same, each all that the other says."""
    statements = [_statement(item) for item in (one, other)]
    both = (statements, statements[::-1])
    return all(_Pair(new, old, "").relation() is Relation.SAME for new, old in both)


def _statement(item: Candidate | Entry) -> _Statement:
    content = item.content.strip()
    return _Statement(item.description, content[:_CHARACTERS], len(content) <= _CHARACTERS)


@dataclass
class _Statement:
    description: str
    content: str
    is_whole: bool = True

    @cached_property
    def text(self) -> str:
        return f"{self.description}\n{self.content}"

    @cached_property
    def words(self) -> frozenset[str]:
        return words_of(self.text)

    @cached_property
    def literals(self) -> list[Literal]:
        return literals(self.text)

    @cached_property
    def marks(self) -> Marks:
        return marks(prose(self.text))

    @cached_property
    def clauses(self) -> list[str]:
        return list(wording.clauses(self.text))

    def restrictions(self, among: frozenset[str]) -> frozenset[str]:
        """Where or when it holds, in what it says about something ``among`` these words."""
        found = [
            limits
            for clause in self.clauses
            if (limits := wording.restrictions(clause))
            and (wording.leads(clause) or (words_of(clause) - limits) & among)
        ]
        return frozenset[str]().union(*found)

    def names(self, group: str, among: frozenset[str]) -> frozenset[str]:
        """The words that name the group's members where it speaks of something ``among`` these."""
        found: list[frozenset[str]] = []
        for clause in self.clauses:
            said = prose(clause)
            words = words_of(member_words(group, marks(said).get(group, frozenset()), said))
            if wording.leads(said) or (words_of(said) - words) & among:
                found.append(words)
        return frozenset[str]().union(*found)

    @cached_property
    def subjects(self) -> list[frozenset[str]]:
        return [found for clause in self.clauses if (found := wording.subject_of(clause))]

    @cached_property
    def stated_subjects(self) -> list[frozenset[str]]:
        """The subjects of its statements, but not of its orders."""
        stated = [clause for clause in self.clauses if not wording.is_order(clause)]
        return [found for clause in stated if (found := wording.subject_of(clause))]


@dataclass
class _Pair:
    """A new and an old statement; ``spoken`` is what was said about the new one."""

    new: _Statement
    old: _Statement
    spoken: str

    def relation(self) -> Relation:
        if self._are_contrasted() or self._have_other_subjects():
            return Relation.APART
        if self._names_what_goes():
            return Relation.CORRECTS
        return Relation.APART if self._is_special_case() else self._of_one_thing()

    def _of_one_thing(self) -> Relation:
        if self._is_negated(self.new) is not self._is_negated(self.old):
            turned = self._corrects() or self._is_turned_round()
            return Relation.CORRECTS if turned else Relation.UNCLEAR
        if self._says_all_of(self.old, self.new):
            return Relation.SAME
        if self._restates():
            return Relation.REFINES
        return Relation.CORRECTS if self._corrects() else Relation.UNCLEAR

    @cached_property
    def _left_behind(self) -> frozenset[str]:
        return words_of(wording.left_behind(self.spoken))

    @cached_property
    def _replaces(self) -> bool:
        return wording.REPLACES.search(self.spoken) is not None

    @cached_property
    def _is_newer(self) -> bool:
        """Whether it was said that this is how things are from now on."""
        return self._replaces or wording.SINCE.search(self.spoken) is not None

    def _are_contrasted(self) -> bool:
        for group, members in self.old.marks.items():
            others = self.new.marks.get(group, frozenset())
            if not others or members & others:
                continue
            named = words_of(member_words(group, members, self.old.text))
            if named and named <= self._left_behind:
                continue
            if self._is_newer and self._is_value_only(group):
                continue
            return True
        return False

    def _is_value_only(self, group: str) -> bool:
        """Whether both name the group's members only in what they say of one and the same thing."""
        if not self._have_one_subject():
            return False
        for statement in (self.new, self.old):
            named = words_of(member_words(group, statement.marks[group], statement.text))
            elsewhere = frozenset[str]().union(*statement.subjects)
            if named & (elsewhere | statement.restrictions(statement.words)):
                return False
        return True

    def _have_other_subjects(self) -> bool:
        """Whether each speaks of something that the other does not even mention."""
        news = [subject - self.old.words for subject in self.new.subjects]
        olds = [subject - self.new.words - self._left_behind for subject in self.old.subjects]
        return bool(news and olds) and all(map(_tells, news)) and all(map(_tells, olds))

    def _have_one_subject(self) -> bool:
        return any(
            _covers(one, other) and _covers(other, one)
            for one in self.new.subjects
            for other in self.old.subjects
        )

    def _is_special_case(self) -> bool:
        """Whether one of them holds only where the other says nothing of it."""
        if self._has_narrower_subject(self.new, self.old):
            return True
        if self._has_narrower_subject(self.old, self.new):
            return True
        for one, other in ((self.new, self.old), (self.old, self.new)):
            is_left_out = one is self.old and self._is_newer
            if not is_left_out and one.restrictions(other.words) - other.words:
                return True
            for group in one.marks.keys() - other.marks.keys() - PASSING:
                named = one.names(group, other.words)
                if named and not named & other.words:
                    return True
        return False

    def _has_narrower_subject(self, one: _Statement, other: _Statement) -> bool:
        """Whether ``one`` speaks of a kind of what ``other`` speaks of: "the US dates", "dates"."""
        narrower = [
            subject - other.words - self._left_behind
            for subject in one.stated_subjects
            if any(wide < subject for wide in other.stated_subjects)
        ]
        return bool(narrower) and all(map(_tells, narrower))

    @staticmethod
    def _says_all_of(one: _Statement, other: _Statement) -> bool:
        """Whether ``one`` says all that the content of ``other`` says."""
        if (
            not other.is_whole
            or missing(other.content, one.text)
            or _swaps(other.content, one.text)
        ):
            return False
        return coverage(other.content, one.words) >= _SAID

    def _restates(self) -> bool:
        """Whether the new statement says all of the old, or of a sentence of it, and more."""
        return any(
            len(words_of(piece)) + len(literals(piece)) > 1
            and not missing(piece, self.new.text)
            and not _swaps(piece, self.new.content)
            and coverage(piece, self.new.words) >= _RESTATED
            for piece in (self.old.content, *pieces_of(self.old.content))
        )

    def _corrects(self) -> bool:
        if self._several_values():
            return False
        return self._is_newer or self._has_another_value()

    def _names_what_goes(self) -> bool:
        """Whether it was said that something goes which the old statement says."""
        gone = self._left_behind & (self.old.words - (self.new.words - self._left_behind))
        limits = self.new.restrictions(self.old.words) - self.old.words
        left = wording.left_behind(self.spoken)
        named = any(literal.stands_in(left) for literal in literals(self.old.content))
        return (bool(gone) or named) and self._replaces and not limits

    def _several_values(self) -> bool:
        return all(wording.can_have_several(statement.text) for statement in (self.new, self.old))

    def _has_another_value(self) -> bool:
        """Whether both say of one thing what can be true of one value at a time."""
        single = wording.has_one_value(self.new.text) and wording.has_one_value(self.old.text)
        if single and self._have_one_subject():
            return True
        return any(
            self._differs_in_value(old, new)
            for old in pieces_of(self.old.content)
            for new in pieces_of(self.new.content)
        )

    def _differs_in_value(self, old: str, new: str) -> bool:
        """Whether two sentences say the same but for literals of the same kinds."""
        lost, fresh = missing(old, self.new.text), missing(new, self.old.text)
        return (
            bool(lost)
            and _follows_words(old, lost, self.new.words)
            and _follows_words(new, fresh, self.old.words)
            and {literal.kind for literal in lost} == {literal.kind for literal in fresh}
            and coverage(_without(old, lost), self.new.words) >= _SAID
            and coverage(_without(new, fresh), self.old.words) >= _SAID
        )

    def _is_turned_round(self) -> bool:
        return (
            coverage(self.old.content, self.new.words) >= _RESTATED
            or coverage(self.new.content, self.old.words) >= _SAID
        )

    @staticmethod
    def _is_negated(statement: _Statement) -> bool:
        return wording.NEGATION.search(statement.content) is not None


def _swaps(old: str, new: str) -> bool:
    """Whether ``new`` has other words in the place of some of ``old``: another thing is meant."""
    before, after = (_in_order(text) for text in (old, new))
    known, fresh = words_of(old), words_of(new)
    changes = SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
    return any(
        tag == "replace" and frozenset(before[a:b]) - fresh and frozenset(after[c:d]) - known
        for tag, a, b, c, d in changes
    )


def _in_order(text: str) -> list[str]:
    """Return the telling words of a text as they follow each other."""
    words = wording.telling(words_of(text))
    return [word for word in terms(text) if word in words]


def new_words(text: str, known: str) -> frozenset[str]:
    """Return the telling words that ``text`` has and ``known`` has not."""
    return wording.telling(words_of(text) - words_of(known))


def _follows_words(text: str, values: Sequence[Literal], words: frozenset[str]) -> bool:
    """Whether something both speak of comes before the first of these literals."""
    plain = folded(text)
    first = min((plain.find(value.text) for value in values), default=-1)
    return first > 0 and bool(words_of(plain[:first]) & words)


def _tells(words: frozenset[str]) -> bool:
    """Whether words are enough to name another thing: a word, or two Han characters."""
    found = wording.telling(words)
    return any(len(word) > 1 for word in found) or len(found) > 1


def _covers(one: frozenset[str], other: frozenset[str]) -> bool:
    return bool(one) and len(one & other) / len(one) >= _SAME_SUBJECT


def _without(text: str, gone: Sequence[Literal]) -> str:
    plain = text.casefold()
    for literal in gone:
        plain = plain.replace(literal.text, " ")
    return plain
