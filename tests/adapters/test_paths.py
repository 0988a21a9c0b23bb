"""Our path functions are the standard library's, on text and on a tree full of links."""

from __future__ import annotations

import os
import pwd
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from holdshort.adapters import paths

if TYPE_CHECKING:
    from pathlib import Path

PIECES = st.lists(
    st.sampled_from(
        ["/", "//", ".", "..", "a", "b", "link", "loop", "up", "x y", "ä", "~", "\udc80"]
    ),
    max_size=8,
).map("".join)
STEPS = st.lists(
    st.sampled_from(
        ["a", "b", "link", "loop", "up", "away", "gone", "file", ".", "..", "", "none"]
    ),
    max_size=8,
).map("/".join)


@given(PIECES, PIECES, PIECES)
def test_text_is_taken_apart_and_joined_alike(one: str, two: str, three: str) -> None:
    assert paths.join(one, two, three) == os.path.join(one, two, three)
    assert paths.dirname(one) == os.path.dirname(one)
    assert paths.basename(one) == os.path.basename(one)
    assert paths.isabs(one) is os.path.isabs(one)
    assert paths.encoded(one) == os.fsencode(one)
    assert paths.decoded(os.fsencode(one)) == one


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tree")
    (root / "a" / "b" / "a").mkdir(parents=True)
    (root / "b").mkdir()
    (root / "a" / "file").write_text("")
    (root / "link").symlink_to("a/b")
    (root / "a" / "up").symlink_to("..")
    (root / "a" / "b" / "link").symlink_to("../../link/a")
    (root / "away").symlink_to(root / "a" / "up" / "b")
    (root / "gone").symlink_to("nowhere/../b")
    (root / "loop").symlink_to("loop")
    return root


@settings(max_examples=2000)
@given(STEPS)
def test_links_are_followed_alike(tree: Path, steps: str) -> None:
    path = f"{tree}/{steps}"

    if "loop" not in steps:
        assert paths.realpath(path) == os.path.realpath(path)
    assert paths.lexists(path) is os.path.lexists(path)
    assert paths.isdir(path) is os.path.isdir(path)
    assert paths.isfile(path) is os.path.isfile(path)


@pytest.mark.parametrize("path", ["", "/", "//", "///a", ".", "..", "a/../../b", "x\0y"])
def test_odd_paths_are_resolved_alike(path: str) -> None:
    expected = os.path.realpath(path) if "\0" not in path else f"{os.getcwd()}/{path}"

    assert paths.realpath(path) == expected.replace("//", "/")


def test_a_loop_of_links_ends(tree: Path) -> None:
    assert paths.realpath(f"{tree}/loop/x").startswith(str(tree))


def test_a_long_chain_of_links_is_a_loop_but_a_usual_one_is_not(tmp_path: Path) -> None:
    (tmp_path / "0").mkdir()
    for number in range(1, 60):
        (tmp_path / str(number)).symlink_to(str(number - 1))

    assert paths.realpath(str(tmp_path / "39")) == os.path.realpath(tmp_path / "0")
    assert paths.realpath(str(tmp_path / "59")) != os.path.realpath(tmp_path / "0")


@pytest.mark.parametrize("home", ["/somewhere", "/", "/somewhere/", ""])
@pytest.mark.parametrize("path", ["~", "~/x", "x/~", "~nobody-of-that-name/x", "/~"])
def test_home_is_found_alike(home: str, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if home:
        monkeypatch.setenv("HOME", home)
        assert paths.expanduser(path) == os.path.expanduser(path)
    else:
        monkeypatch.delenv("HOME", raising=False)
        assert paths.expanduser("~/x") == f"{pwd.getpwuid(os.getuid()).pw_dir}/x"


def test_directories_are_made_on_the_way(tmp_path: Path) -> None:
    paths.makedirs(str(tmp_path / "a" / "b"), 0o700)
    paths.makedirs(str(tmp_path / "a" / "b"), 0o700)

    assert (tmp_path / "a" / "b").stat().st_mode & 0o777 == 0o700


def test_a_file_in_the_way_of_a_directory_is_told(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("")

    with pytest.raises(OSError, match=r"exists"):
        paths.makedirs(str(tmp_path / "a"), 0o700)
    with pytest.raises(OSError, match="irectory"):
        paths.makedirs(str(tmp_path / "a" / "b"), 0o700)


@settings(max_examples=500)
@given(STEPS)
def test_absolute_paths_are_tidied_alike(steps: str) -> None:
    assert paths.normpath(f"/{steps}") == os.path.normpath(f"/{steps.lstrip('/')}")
