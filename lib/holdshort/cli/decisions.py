"""Reading the decisions log."""

from __future__ import annotations

import os

import orjson

from holdshort.adapters import decisions_log

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from holdshort.adapters.places import Place


def decisions(place: Place) -> Iterator[dict[str, object]]:
    """Every readable line of the log, oldest first; a torn line is left out."""
    directory = os.path.join(place.state_dir, decisions_log.DIRECTORY)
    for name in (decisions_log.OLDER, decisions_log.NAME):
        try:
            file = open(os.path.join(directory, name), "rb")
        except FileNotFoundError:
            continue
        with file:
            for line in file:
                try:
                    entry = orjson.loads(line)
                except orjson.JSONDecodeError:
                    continue
                if isinstance(entry, dict):
                    yield entry
