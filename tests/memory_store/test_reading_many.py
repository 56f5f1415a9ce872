"""What makes reading quick never makes it wrong: the files alone say what is there."""

from __future__ import annotations

import os
import random
from hashlib import sha256
from pathlib import Path

import pytest

from catmem.memory.store.entry import Entry
from catmem.memory.store.ranking import Ranking, rank
from catmem.memory.store.reading import header, plain
from catmem.memory.store.stores import Stores, open_stores
from catmem.paths import Paths
from tests.memory_store.asking import add, assert_like_opened_anew, entry, read
from tests.secrets.corpus import tokens

TOKEN = dict(tokens())["GitHub"]


def text_of(name: str, description: str, body: str = "The fact.") -> str:
    return f"---\nname: {name}\ndescription: {description}\nmetadata:\n  type: user\n---\n{body}\n"


def write_many(directory: Path, count: int) -> None:
    for number in range(count):
        (directory / f"fact-{number}.md").write_text(text_of(f"fact-{number}", f"Fact {number}"))


def test_an_edit_of_the_same_size_at_the_same_moment_is_seen(
    stores: Stores, user_dir: Path
) -> None:
    path = user_dir / "a-fact.md"
    seen = []
    for number in range(100, 200):
        path.write_text(text_of("a-fact", f"Fact {number}"))
        seen.append(read(stores, "a-fact").description)

    assert seen == [f"Fact {number}" for number in range(100, 200)]


def test_an_edit_that_keeps_size_and_time_is_seen(stores: Stores, user_dir: Path) -> None:
    path = user_dir / "a-fact.md"
    path.write_text(text_of("a-fact", "Fact 1"))
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert read(stores, "a-fact").description == "Fact 1"
    path.write_text(text_of("a-fact", "Fact 2"))
    os.utime(path, (1_000_000_000, 1_000_000_000))

    assert read(stores, "a-fact").description == "Fact 2"


def test_an_add_sees_what_an_editor_saved_in_another_file(stores: Stores, user_dir: Path) -> None:
    write_many(user_dir, 3)
    stores.load_all()
    (user_dir / "fact-1.md").write_text(text_of("fact-1", "Edited by hand"))
    (user_dir / "fact-2.md").unlink()
    add(stores, "fact-9", "Added")

    listed = (user_dir / "MEMORY.md").read_text().splitlines()[2:5]
    assert listed == [
        "- [fact-0](fact-0.md) — Fact 0",
        "- [fact-1](fact-1.md) — Edited by hand",
        "- [fact-9](fact-9.md) — Added",
    ]


def test_after_any_change_a_store_knows_what_a_new_one_reads(
    stores: Stores, user_dir: Path, paths: Paths
) -> None:
    chance = random.Random(7)
    write_many(user_dir, 210)
    stores.load_all()
    odd: list[Path] = []  # files that are not called like their entry
    for step in range(80):
        path = user_dir / f"fact-{chance.randrange(215)}.md"
        match chance.randrange(6) if not odd or step % 2 else 6:
            case 0:
                path.unlink(missing_ok=True)
            case 1:  # often the name of another entry: one of them is listed under a new one
                path.write_text(text_of(f"fact-{chance.randrange(430)}", f"Step {step}"))
                odd.append(path)
            case 6:
                path = odd.pop()
                path.write_text(text_of(path.stem, f"Step {step}"))
            case 2:
                path.write_text("no header, only words")
            case 3:
                path.write_text("---\nname: x: y\ndescription: [\n---\nbad\n")
            case _:
                path.write_text(text_of(path.stem, f"Step {step}", f"password: hunter{step}"))
        assert_like_opened_anew(stores, paths)


def test_the_order_after_a_change_is_that_of_ranking_anew() -> None:
    chance = random.Random(3)
    entries = [some_entry(chance, number) for number in range(150)]
    ranking = Ranking()
    for _ in range(60):
        for _ in range(chance.choice((0, 1, 3, 90))):
            entries[chance.randrange(len(entries))] = some_entry(chance, chance.randrange(300))
        del entries[: chance.randrange(2)]
        known = {one.name: one for one in entries}
        assert ranking.of(list(known.values())) == rank(known.values())


def some_entry(chance: random.Random, number: int) -> Entry:
    optional = {"importance": str(chance.choice((0.2, 0.5, 0.9)))}
    if chance.random() < 0.2:
        optional |= chance.choice(({"pinned": "true"}, {"status": "deprecated"}))
    return entry(
        f"fact-{number}",
        type=chance.choice(("user", "feedback", "odd")),
        updated_at=chance.choice(("2026-08-01", "2026-08-02", "")),
        modified_ns=chance.randrange(3),
        optional=optional,
    )


def test_files_without_secrets_are_noted_by_their_digest_alone(
    paths: Paths, user_dir: Path
) -> None:
    write_many(user_dir, 60)
    (user_dir / "with-one.md").write_text(text_of("with-one", "Has one", f"use {TOKEN}"))
    open_stores(paths).load_all()
    assert not paths.state.exists()  # reading alone makes nothing

    paths.state.mkdir()
    digests = [one.digest for one in open_stores(paths).load_all() if one.name != "with-one"]
    first, *lines = (paths.state / "harmless").read_text().splitlines()
    assert first.startswith("catmem harmless 1 ")
    assert lines == sorted(digests)
    assert (paths.state / "harmless").stat().st_mode & 0o777 == 0o600
    assert "[masked GitHub token]" in read(open_stores(paths), "with-one").content


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00\xff\n" * 1_000,
        b"catmem harmless 1 0000000000000000\nDIGEST\n",
        b"catmem harmless 9\n",
        b"a" * 5_000_000,
        None,
    ],
    ids=["empty", "binary", "other patterns", "newer", "huge", "a directory"],
)
def test_a_list_that_is_none_is_replaced_or_left_alone(
    paths: Paths, user_dir: Path, content: bytes | None
) -> None:
    write_many(user_dir, 60)
    data = text_of("with-one", "Has one", f"use {TOKEN}").encode()
    (user_dir / "with-one.md").write_bytes(data)
    paths.state.mkdir()
    place = paths.state / "harmless"
    if content is None:
        place.mkdir()
    else:
        place.write_bytes(content.replace(b"DIGEST", sha256(data).hexdigest().encode()))

    for _ in range(2):
        found = open_stores(paths).load_all()
        assert len(found) == 61
        assert found[-1].content == "use [masked GitHub token]\n"
    if content is not None:
        assert len(place.read_text().splitlines()) == 61


def test_a_list_that_was_cut_off_is_as_good_as_far_as_it_goes(paths: Paths, user_dir: Path) -> None:
    write_many(user_dir, 60)
    paths.state.mkdir()
    whole = open_stores(paths).load_all()
    place = paths.state / "harmless"
    place.write_bytes(place.read_bytes()[:1_000])

    assert open_stores(paths).load_all() == whole


_WRITTEN = """\
user|a b|2026-08-01|0.6|true|no|-x|[a, b]|[a,b]|[a, "b, c"]|[]|"q\\"x"|'s'|a: b|a #b|x#y|[a , b]
http://x|12:30|用户用 vim|"a\\nb"|[2026-01-01, x-y]|[what?, a]|> |{a: b}|&a x|*a|x  y|a\\b|a"b
[it's]|%x|@x|`x`|1.10|~|null|“q”|"\\/"|"tab\\t"|x,|x]|[a b, c]|😀 x|"😀"|?|a?|…x|[x…]|it's|"é" """
VALUES = [*_WRITTEN.replace("\n", "|").split("|"), "a\u2028b"]
KEYS = ("name", "description", "type", "keywords", "a-b", "a_b", "no", "metadata")


def test_a_plain_header_is_read_as_yaml_reads_it() -> None:
    chance = random.Random(11)

    def line(indent: str) -> str:
        gap = chance.choice([" "] * 20 + ["", "  "])
        return f"{indent}{chance.choice(KEYS)}:{gap}{chance.choice(VALUES)}"

    compared = 0
    for _ in range(8_000):
        lines = [line("") for _ in range(chance.randrange(3))]
        if chance.random() < 0.7:
            lines += ["metadata:", *(line("  ") for _ in range(chance.randrange(4)))]
        lines += [line(chance.choice(("", "  "))) for _ in range(chance.randrange(2))]
        text = "\n" * chance.randrange(2) + "\n".join(lines) + "\n" * chance.randrange(2)
        quick = plain.parse(text)
        if quick is not None:
            compared += 1
            assert quick == header.parse_yaml(text), text
    assert compared > 500
