"""The compiled file behind the hooks: used when it is right, made anew when not, never in the way."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.harness import CHECKOUT

PYTHON = str(CHECKOUT / ".venv" / "bin" / "python3")
CODE = """
import sys
sys.path.append({lib!r})
from holdshort import compiled
compiled.use()
import holdshort.core.words as words
print(type(words.__spec__.loader).__name__, words.__file__, getattr(words, "MARK", ""))
"""


@pytest.fixture
def lib(tmp_path: Path) -> Path:
    """A copy of the library that a test may change."""
    without = shutil.ignore_patterns("__pycache__")
    return Path(shutil.copytree(CHECKOUT / "lib", tmp_path / "lib", ignore=without))


def imported(lib: Path) -> list[str]:
    """Who loaded a module of `lib` in a fresh process, from where, and its `MARK` if it has one."""
    command = [PYTHON, "-I", "-S", "-OO", "-c", CODE.format(lib=str(lib))]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()


def compiled_file(lib: Path) -> Path:
    (found,) = (lib / "holdshort" / "__pycache__").glob("hooks.*.bin")
    return found


def words(lib: Path) -> Path:
    return lib / "holdshort" / "core" / "words.py"


def test_modules_come_from_the_file_from_the_first_time_on(lib: Path) -> None:
    assert imported(lib) == ["Importer", str(words(lib))]
    made = compiled_file(lib).stat().st_mtime_ns

    assert imported(lib) == ["Importer", str(words(lib))]
    assert compiled_file(lib).stat().st_mtime_ns == made


def test_a_changed_source_is_noticed(lib: Path) -> None:
    imported(lib)
    with words(lib).open("a") as source:
        source.write("\nMARK = 'changed'\n")

    assert imported(lib) == ["Importer", str(words(lib)), "changed"]
    assert imported(lib) == ["Importer", str(words(lib)), "changed"]


@pytest.mark.parametrize("damage", [b"", b"x", b"\0" * 100, b"\xff" * 1000, b"\0\0\0\0\0\0\0\1N"])
def test_a_damaged_file_is_made_anew(lib: Path, damage: bytes) -> None:
    imported(lib)
    file = compiled_file(lib)
    size = file.stat().st_size
    file.write_bytes(damage)

    assert imported(lib) == ["Importer", str(words(lib))]
    assert file.stat().st_size == size


@pytest.mark.parametrize("share", [0.001, 0.01, 0.5, 0.999])
def test_a_file_that_was_cut_off_is_made_anew(lib: Path, share: float) -> None:
    imported(lib)
    file = compiled_file(lib)
    size = file.stat().st_size
    os.truncate(file, int(size * share))

    assert imported(lib) == ["Importer", str(words(lib))]
    assert file.stat().st_size == size


def test_where_it_cannot_be_kept_python_imports_as_usual(lib: Path) -> None:
    (lib / "holdshort" / "__pycache__").write_text("no directory")

    assert imported(lib) == ["SourceFileLoader", str(words(lib))]


def test_a_broken_module_does_not_keep_the_others_from_being_compiled(lib: Path) -> None:
    (lib / "holdshort" / "core" / "cover.py").write_text("def broken(:\n")

    assert imported(lib) == ["Importer", str(words(lib))]


def test_many_hooks_at_once_leave_one_whole_file(lib: Path) -> None:
    command = [PYTHON, "-I", "-S", "-OO", "-c", CODE.format(lib=str(lib))]
    started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(8)]

    assert {process.communicate()[0].split()[0] for process in started} == {"Importer"}
    assert [name for name in os.listdir(compiled_file(lib).parent) if ".bin" in name] == [
        compiled_file(lib).name
    ]


@pytest.mark.parametrize("fill", [b"\0", b"\xff"])
def test_a_file_damaged_inside_costs_one_call_and_is_made_anew(lib: Path, fill: bytes) -> None:
    imported(lib)
    file = compiled_file(lib)
    whole = file.read_bytes()
    start = 8 + int.from_bytes(whole[:8], "big")
    file.write_bytes(whole[:start] + fill * (len(whole) - start))

    assert imported(lib) == ["Importer", str(words(lib))]
    assert imported(lib) == ["Importer", str(words(lib))]
    assert compiled_file(lib).stat().st_size == len(whole)


def test_a_source_changed_within_the_second_is_noticed(lib: Path) -> None:
    with words(lib).open("a") as source:
        source.write("\nMARK = 'one'\n")
    os.utime(words(lib), ns=(10**18, 10**18))
    assert imported(lib)[-1] == "one"
    words(lib).write_text(words(lib).read_text().replace("MARK = 'one'", "MARK = 'two'"))
    os.utime(words(lib), ns=(10**18 + 5, 10**18 + 5))

    assert imported(lib)[-1] == "two"


def test_nothing_is_left_where_the_disk_is_full(lib: Path) -> None:
    imported(lib)
    cache = compiled_file(lib).parent
    compiled_file(lib).unlink()
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (9999, 9999)){CODE}"
    command = [PYTHON, "-I", "-S", "-OO", "-c", limit.format(lib=str(lib))]
    done = subprocess.run(command, capture_output=True, text=True, check=True)

    assert done.stdout.split()[0] == "SourceFileLoader"
    assert not [name for name in os.listdir(cache) if ".bin" in name]


def test_every_hook_uses_it() -> None:
    hooks = list((CHECKOUT / "hooks").glob("*.py"))

    assert hooks
    assert all("compiled.use()" in hook.read_text() for hook in hooks)
