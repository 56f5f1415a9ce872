from __future__ import annotations

import dataclasses
from dataclasses import FrozenInstanceError, field, replace

import pytest

from catmem.records import dataclass


@dataclass(frozen=True, slots=True)
class Point:
    """A place."""

    x: int
    y: int = 2
    tags: list[str] = field(default_factory=list)
    secret: str = field(default="", repr=False)
    note: str = field(default="", compare=False)


@dataclass(frozen=True, slots=True)
class Nothing:
    """No fields."""


@dataclass(frozen=True, slots=True)
class Other:
    """The fields of ``Pair``, but another class."""

    x: int
    y: int


@dataclass(frozen=True, slots=True)
class Pair:
    """Two numbers."""

    x: int
    y: int


@dataclass(frozen=True, slots=True, eq=False)
class Unique:
    """Equal to itself alone."""

    x: int


def test_values_come_by_place_by_name_by_default_and_by_factory() -> None:
    first, second = Point(1), Point(1, y=3, tags=["a"])

    assert (first.x, first.y, first.tags, first.secret) == (1, 2, [], "")
    assert (second.x, second.y, second.tags) == (1, 3, ["a"])
    assert Point(1).tags is not first.tags


def test_equality_looks_at_the_class_and_at_the_fields_that_are_compared() -> None:
    assert Point(1, note="a") == Point(1, note="b")
    assert Point(1) != Point(2)
    other: object = Other(1, 2)
    assert Pair(1, 2) != other
    assert Nothing() == Nothing()
    assert Unique(1) != Unique(1)


def test_equal_records_are_one_key() -> None:
    assert {Pair(1, 2): "a"}[Pair(1, 2)] == "a"
    assert len({Nothing(), Nothing()}) == 1
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        hash(Point(1))


def test_what_must_not_be_shown_is_not() -> None:
    assert repr(Point(1, secret="key")) == "Point(x=1, y=2, tags=[], note='')"


@pytest.mark.parametrize("name", ["x", "other"])
def test_nothing_can_be_set_or_deleted(name: str) -> None:
    pair = Pair(1, 2)

    with pytest.raises(FrozenInstanceError):
        setattr(pair, name, 3)
    with pytest.raises(FrozenInstanceError):
        delattr(pair, name)
    assert pair == Pair(1, 2)
    assert not hasattr(pair, "__dict__")


@pytest.mark.parametrize(
    ("args", "kwargs"),
    [((), {}), ((1,), {}), ((1, 2, 3), {}), ((1,), {"x": 1}), ((1, 2), {"z": 1})],
)
def test_too_few_and_too_many_values_are_errors(
    args: tuple[int, ...], kwargs: dict[str, int]
) -> None:
    with pytest.raises(TypeError, match="Pair"):
        Pair(*args, **kwargs)


def test_the_standard_tools_for_dataclasses_work() -> None:
    assert replace(Point(1, 5), x=4) == Point(4, 5)
    assert [item.name for item in dataclasses.fields(Pair)] == ["x", "y"]
    match Pair(1, 2):
        case Pair(x, 2):
            assert x == 1
        case _:
            pytest.fail("not matched by place")
