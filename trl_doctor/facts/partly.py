"""A mapping with some unknown values: reading one of them raises the reason."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any, TypeVar

from trl_doctor.core.unavailable import OF_A_KEY, Unavailable

T = TypeVar("T")


class Partly(dict[str, T]):
    """The known values; `unknown` are keys that exist, with values that are not known.

    `perhaps` are keys of which it is not known whether they exist. With `rest` any other key may
    exist too, except those in `complete`. Reading such a key raises `Unavailable`. `settled()`
    returns the known values alone.
    """

    def __init__(
        self,
        values: Mapping[str, T],
        unknown: Mapping[str, Unavailable] | None = None,
        rest: Unavailable | None = None,
        complete: frozenset[str] = frozenset(),
        perhaps: Mapping[str, Unavailable] | None = None,
    ) -> None:
        super().__init__(values)
        self.unknown, self.perhaps = dict(unknown or {}), dict(perhaps or {})
        self.rest = rest
        self.complete = complete

    def _raise(self, key: object) -> None:
        if key in self.unknown:
            raise self.unknown[str(key)]
        if key in self.perhaps:
            raise Unavailable(f"whether {key}{OF_A_KEY}{self.perhaps[str(key)]}")
        if self.rest is not None and key not in self.complete and not super().__contains__(key):
            raise Unavailable(f"whether {key}{OF_A_KEY}{self.rest}")

    def __getitem__(self, key: str) -> T:
        self._raise(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        if key in self.unknown or super().__contains__(key):
            return True
        self._raise(key)
        return False

    def get(self, key: str, default: Any = None) -> Any:
        """The value; the default where the key certainly does not exist."""
        self._raise(key)
        return super().get(key, default)

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()
        yield from self.unknown

    def keys(self) -> Any:
        """All keys that certainly exist."""
        return dict.fromkeys(self).keys()

    def __len__(self) -> int:
        return super().__len__() + len(self.unknown)

    def items(self) -> Any:
        """All keys with their values; raises `Unavailable` if one is not known."""
        return [(key, self[key]) for key in self]

    def settled(self) -> dict[str, T]:
        """The known values alone, also in nested mappings."""
        values = {key: super(Partly, self).__getitem__(key) for key in super().__iter__()}
        return {key: _settled(value) for key, value in values.items()}

    def values(self) -> Any:
        """The known values."""
        return [super(Partly, self).__getitem__(key) for key in super().__iter__()]

    def open_beside(self, keys: Collection[str]) -> Unavailable | None:
        """Why another key than these may exist; None if none can."""
        perhaps = (reason for key, reason in self.perhaps.items() if key not in keys)
        return self.rest or next(perhaps, None)

    def reasons(self) -> list[Unavailable]:
        """The reasons why values of this mapping, and of nested ones, are not known."""
        direct = [*self.unknown.values(), *self.perhaps.values()]
        direct += [self.rest] if self.rest is not None else []
        inner = (value for value in self.values() if isinstance(value, Partly))
        return direct + [reason for nested in inner for reason in nested.reasons()]


def _settled(value: Any) -> Any:
    return value.settled() if isinstance(value, Partly) else value


def with_stated(values: Mapping[str, Any], stated: Mapping[str, Any]) -> Mapping[str, Any]:
    """The values over what is stated elsewhere, which counts where they say nothing."""
    if isinstance(values, Partly):
        merged = {**stated, **values.settled()}
        return Partly(merged, values.unknown, values.rest, values.complete, values.perhaps)
    return {**stated, **values}
