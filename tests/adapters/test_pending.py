"""Changes left beside the ledger: read whole or not at all, kept until they are in it."""

from __future__ import annotations

import os
import posix
from typing import TYPE_CHECKING

import pytest
from tests.records import a_record

from holdshort.adapters import ledger_file, pending
from holdshort.core.book import Book

if TYPE_CHECKING:
    from pathlib import Path


def calls_of(book: Book) -> list[str]:
    return [one["toolUseId"] for one in book.agents]


def test_what_is_left_is_taken_in_oldest_first_and_removed_once_it_is_written(
    tmp_path: Path,
) -> None:
    for call in ("t1", "t2"):
        pending.leave(str(tmp_path), Book((a_record(call),)), "now")

    with ledger_file.open_ledger(str(tmp_path)) as ledger:
        assert calls_of(ledger.book) == ["t1", "t2"]
        assert len(os.listdir(tmp_path / "pending")) == 2
        ledger.write(ledger.book, "now")

    assert not (tmp_path / "pending").exists()
    assert calls_of(ledger_file.glance(str(tmp_path))[0]) == ["t1", "t2"]


def test_those_who_only_look_see_it_too(tmp_path: Path) -> None:
    pending.leave(str(tmp_path), Book((a_record("t1"),)), "now")

    assert ledger_file.exists(str(tmp_path))
    assert calls_of(ledger_file.glance(str(tmp_path))[0]) == ["t1"]


@pytest.mark.parametrize("text", ["", "{", "[]", '{"agents": 1}', "\0", "x" * 2_000_000])
def test_half_a_file_is_left_alone_until_it_is_old(tmp_path: Path, text: str) -> None:
    pending.leave(str(tmp_path), Book((a_record("t1"),)), "now")
    half = tmp_path / "pending" / "0.json"
    half.write_text(text)

    book, served = pending.taken_in(str(tmp_path), Book())
    assert calls_of(book) == ["t1"]
    assert str(half) not in served

    os.utime(half, (1, 1))
    assert str(half) in pending.taken_in(str(tmp_path), Book())[1]


def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text('{"agents": []}')
    (tmp_path / "pending").mkdir()
    (tmp_path / "pending" / "0.json").symlink_to(outside)

    book, served = pending.taken_in(str(tmp_path), Book())

    assert (book.agents, served) == ((), [])


def test_a_planted_directory_is_neither_read_nor_emptied_nor_written(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "old.txt").write_text("somebody's")
    os.utime(elsewhere / "old.txt", (1, 1))
    state = tmp_path / "state"
    state.mkdir()
    (state / "pending").symlink_to(elsewhere)

    with ledger_file.open_ledger(str(state)) as ledger:
        ledger.write(Book((a_record("t1"),)), "now")
    with pytest.raises(OSError, match="ours"):
        pending.leave(str(state), Book((a_record("t2"),)), "now")

    assert [path.name for path in elsewhere.iterdir()] == ["old.txt"]


def test_the_directory_may_go_while_somebody_leaves_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    really = posix.open
    gone: list[str] = []

    def emptied(path: str, *args: int) -> int:
        if not gone:
            gone.append(path)
            os.rmdir(tmp_path / "pending")
        return really(path, *args)

    monkeypatch.setattr(posix, "open", emptied)
    pending.leave(str(tmp_path), Book((a_record("t1"),)), "now")
    monkeypatch.undo()

    assert gone
    assert calls_of(ledger_file.glance(str(tmp_path))[0]) == ["t1"]


def test_a_ledger_that_was_replaced_behind_the_lock_is_not_overwritten(tmp_path: Path) -> None:
    with ledger_file.open_ledger(str(tmp_path)) as ledger:
        other = ledger_file.held_ledger(str(tmp_path))
        other.write(Book((a_record("other"),)), "now")
        ledger.write(Book((a_record("mine"),)), "now")

    assert sorted(calls_of(ledger_file.glance(str(tmp_path))[0])) == ["mine", "other"]
