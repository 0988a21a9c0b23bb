"""Small files: replaced in one step, appended in one write, never through a planted link."""

from __future__ import annotations

import os
import posix
from typing import TYPE_CHECKING

import pytest

from holdshort.adapters.files import append_line, contents, make_private, replace

if TYPE_CHECKING:
    from pathlib import Path


def test_a_missing_file_is_none_and_not_an_error(tmp_path: Path) -> None:
    assert contents(str(tmp_path / "none")) is None


@pytest.mark.parametrize("planted", ["link", "directory", "pipe", "large"])
def test_what_is_not_our_file_is_an_error(tmp_path: Path, planted: str) -> None:
    path = tmp_path / "file"
    if planted == "link":
        (tmp_path / "target").write_text("secret")
        path.symlink_to(tmp_path / "target")
    elif planted == "directory":
        path.mkdir()
    elif planted == "pipe":
        os.mkfifo(path)
    else:
        path.write_bytes(b"x" * 101)

    with pytest.raises(OSError):  # noqa: PT011  # any kind of it
        contents(str(path), 100)


def test_a_replaced_file_is_private_and_leaves_nothing_beside_it(tmp_path: Path) -> None:
    replace(str(tmp_path / "file"), "one")
    replace(str(tmp_path / "file"), "two")

    assert (tmp_path / "file").read_text() == "two"
    assert os.listdir(tmp_path) == ["file"]
    assert (tmp_path / "file").stat().st_mode & 0o777 == 0o600


def test_a_write_that_fails_keeps_the_old_file_and_leaves_nothing_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace(str(tmp_path / "file"), "old")

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(posix, "write", full)
    with pytest.raises(OSError, match="No space"):
        replace(str(tmp_path / "file"), "new")

    assert (tmp_path / "file").read_text() == "old"
    assert os.listdir(tmp_path) == ["file"]


def test_a_temporary_file_left_by_a_killed_writer_is_no_obstacle(tmp_path: Path) -> None:
    (tmp_path / "file.new").write_text("half")

    replace(str(tmp_path / "file"), "whole")

    assert os.listdir(tmp_path) == ["file"]


def test_a_link_planted_at_the_temporary_name_is_not_written_through(tmp_path: Path) -> None:
    (tmp_path / "target").write_text("mine")
    (tmp_path / "file.new").symlink_to(tmp_path / "target")

    replace(str(tmp_path / "file"), "ours")

    assert (tmp_path / "target").read_text() == "mine"


def test_an_appended_line_is_cut_below_4_kib(tmp_path: Path) -> None:
    append_line(str(tmp_path / "log"), "x" * 9000)

    assert (tmp_path / "log").stat().st_size == 4096


def test_the_state_directory_is_private_and_ignores_itself(tmp_path: Path) -> None:
    make_private(str(tmp_path / "a" / "state"))

    assert (tmp_path / "a" / "state").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "a" / "state" / ".gitignore").read_text() == "*\n"


def test_a_pipe_in_the_place_of_a_log_is_an_error_and_no_wait(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "log")

    with pytest.raises(OSError):  # noqa: PT011  # any kind of it
        append_line(str(tmp_path / "log"), "x")
