"""``dataclass``, quicker to define where it is frozen with slots, else the standard one.

The standard decorator writes, compiles and runs source for six methods of each class. For the
hundred classes that are there before the first prompt that was a third of the whole start (measured
with Python 3.11). Here the methods are closures over the fields' names. Fields, ``replace``,
``__match_args__`` and slots are the standard library's; making an instance takes about 2 µs more.

Not supported, because nothing here uses it: inheritance between records, ``kw_only``,
``init=False``, ``InitVar``, ``__post_init__``, and a ``__repr__`` or ``__eq__`` of the class's own.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

Class = type[Any]


def _decorator(*, frozen: bool = False, slots: bool = False, eq: bool = True) -> Any:
    """See ``dataclasses.dataclass``."""
    if not (frozen and slots):
        return dataclasses.dataclass(frozen=frozen, slots=slots, eq=eq)

    def decorate(cls: Class) -> Class:
        made: Class = dataclasses.dataclass(init=False, repr=False, eq=False, slots=True)(cls)
        for name, method in _methods(made, eq=eq).items():
            setattr(made, name, method)
        return made

    return decorate


def _methods(made: Class, *, eq: bool) -> dict[str, Callable[..., Any]]:
    fields = dataclasses.fields(made)
    methods: dict[str, Callable[..., Any]] = {
        "__init__": _init(made, fields),
        "__repr__": _repr([field.name for field in fields if field.repr]),
        "__setattr__": _refuse,
        "__delattr__": _refuse,
    }
    if eq:
        values = _values([field.name for field in fields if field.compare])
        methods |= {"__eq__": _eq(values), "__hash__": lambda self: hash(values(self))}
    return methods


def _init(made: Class, fields: Sequence[dataclasses.Field[Any]]) -> Callable[..., None]:
    names = [field.name for field in fields]
    setters = [made.__dict__[name].__set__ for name in names]
    defaults = {field.name: field.default for field in fields}
    factories = {field.name: field.default_factory for field in fields}
    missing: Any = dataclasses.MISSING

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:  # noqa: N807 - becomes the method
        given = len(args)
        if given > len(names):
            raise TypeError(f"{made.__name__} takes {len(names)} values, {given} were given")
        for setter, value in zip(setters, args, strict=False):
            setter(self, value)
        for name, setter in zip(names[given:], setters[given:], strict=True):
            value = kwargs.pop(name, missing)
            if value is missing:
                value = defaults[name]
            if value is missing:
                factory: Any = factories[name]
                if factory is missing:
                    raise TypeError(f"{made.__name__} needs a value for {name!r}")
                value = factory()
            setter(self, value)
        if kwargs:
            raise TypeError(f"{made.__name__} has no field {next(iter(kwargs))!r}, or has it twice")

    return __init__


def _refuse(self: Any, name: str, *_: Any) -> None:
    raise dataclasses.FrozenInstanceError(f"{type(self).__name__}.{name} cannot be changed")


def _repr(names: Sequence[str]) -> Callable[[Any], str]:
    def __repr__(self: Any) -> str:  # noqa: N807 - becomes the method
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({shown})"

    return __repr__


def _values(names: Sequence[str]) -> Callable[[Any], object]:
    return attrgetter(*names) if names else lambda _: ()


def _eq(values: Callable[[Any], object]) -> Callable[[Any, object], Any]:
    def __eq__(self: Any, other: object) -> Any:  # noqa: N807 - becomes the method
        return values(self) == values(other) if type(other) is type(self) else NotImplemented

    return __eq__


if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass
else:
    dataclass = _decorator
