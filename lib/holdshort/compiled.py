"""The compiled modules of all hooks in one file, for hooks alone (docs/adr/0008-cheap-imports.md).

Python finds, checks and opens one file for each module it imports; for the forty of a denial that
is a fifth of its own start. The file lies in `__pycache__` beside Python's own, is as trusted as
they are, and is made anew by the first hook that finds a source changed.
"""

from __future__ import annotations

import marshal
import posix
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

    # Whether it is a package, st_mtime_ns and st_size of its source, where its code begins and ends.
    Row = tuple[bool, int, int, int, int]

HOME = __file__.rpartition("/")[0]
PACKAGES = ("", "core/", "adapters/", "gather/")  # not the command line
TABLE = 1 << 16  # bytes; more than the table of a few hundred modules
_Spec: Any = type(__spec__)


class Importer:
    """Finder and loader (PEP 451) of the modules in one compiled file at `path`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.table: dict[str, Row] = {}
        self.fd = -1
        self.start = 0  # of the code, after the table

    def find_spec(self, name: str, _path: object = None, _target: object = None) -> Any:
        """How to load the module called `name`, or None: then Python looks for it as usual."""
        row = self.table.get(name)
        if row is not None and _state_of(_source_of(name, is_package=row[0])) != row[1:3]:
            self.make()
            row = self.table.get(name)
        if row is None or row[3] == row[4]:
            return None
        source = _source_of(name, is_package=row[0])
        spec = _Spec(name, self, origin=source, is_package=row[0])
        spec.has_location = True
        if row[0]:
            spec.submodule_search_locations.append(source.rpartition("/")[0])
        return spec

    def create_module(self, _spec: object) -> None:
        """The usual kind of module."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the module's code; where the file is damaged, its source's, and have it made anew."""
        is_package, _, _, start, end = self.table[module.__name__]
        try:
            code = marshal.loads(posix.pread(self.fd, end - start, self.start + start))  # noqa: S302
        except (EOFError, ValueError, TypeError):
            _remove(self.path)
            source = _source_of(module.__name__, is_package=is_package)
            code = marshal.loads(_code_of(module.__name__, source))  # noqa: S302
        exec(code, module.__dict__)  # noqa: S102

    def read(self) -> None:
        """Take over what is in the file, whose code is read module by module.

        Raises OSError and ValueError: missing, or broken.
        """
        fd = posix.open(self.path, posix.O_RDONLY | posix.O_CLOEXEC)
        head = posix.read(fd, TABLE)
        start = 8 + int.from_bytes(head[:8], "big")
        try:
            table = marshal.loads(head[8:start])  # noqa: S302
            end = start + max(row[4] for row in table.values())
        except (EOFError, TypeError, AttributeError, LookupError, ValueError):
            end = -1
        if end != posix.fstat(fd).st_size:
            posix.close(fd)
            raise ValueError("broken, or cut off")
        self.table, self.fd, self.start = table, fd, start

    def make(self) -> None:
        """Compile what there is and keep it. Where it cannot be kept, Python imports as usual."""
        self.table = {}
        temporary = f"{self.path}.{posix.getpid()}"
        try:
            with open(temporary, "wb") as file:
                table, code = _compiled()
                head = marshal.dumps(table)
                file.write(len(head).to_bytes(8, "big") + head + code)
            posix.replace(temporary, self.path)
            self.read()
        except (OSError, ValueError):
            _remove(temporary)


def use() -> None:
    """From now on, import holdshort's modules from the compiled file."""
    kind = f"{sys.implementation.cache_tag}.opt-{sys.flags.optimize}"
    importer = Importer(f"{HOME}/__pycache__/hooks.{kind}.bin")
    try:
        importer.read()
    except (OSError, ValueError):
        importer.make()
    sys.meta_path.insert(0, importer)


def _compiled() -> tuple[dict[str, Row], bytes]:
    table: dict[str, Row] = {}
    code = b""
    for package in PACKAGES:
        for file in sorted(posix.listdir(f"{HOME}/{package}")):
            if file.endswith(".py"):
                is_package = file == "__init__.py"
                inside = (package + file).removesuffix("/__init__.py" if package else "__init__.py")
                name = f"holdshort/{inside.removesuffix('.py')}".strip("/").replace("/", ".")
                source = f"{HOME}/{package}{file}"
                start, (changed, size) = len(code), _state_of(source)
                code += _code_of(name, source)
                table[name] = (is_package, changed, size, start, len(code))
    return table, code


def _code_of(name: str, source: str) -> bytes:
    """The module's code; nothing when it cannot be compiled, which its import will tell.

    From the source itself: Python's own compiled files know its time to the second only.
    """
    from importlib.machinery import SourceFileLoader  # noqa: PLC0415  # only to make the file

    loader = SourceFileLoader(name, source)
    try:
        return marshal.dumps(loader.source_to_code(loader.get_data(source), source))
    except (OSError, SyntaxError, ValueError):
        return b""


def _remove(path: str) -> None:
    try:
        posix.unlink(path)
    except OSError:
        pass  # there was no file, or no directory for one


def _source_of(name: str, *, is_package: bool) -> str:
    inside = name.partition(".")[2].replace(".", "/")
    return (
        f"{HOME}/{inside}{'/' * bool(inside)}__init__.py" if is_package else f"{HOME}/{inside}.py"
    )


def _state_of(source: str) -> tuple[int, int]:
    try:
        info = posix.stat(source)
    except OSError:
        return 0, 0
    return info.st_mtime_ns, info.st_size
