"""`.holdshort.toml`, parsed once per change.

Parsing TOML would cost more than the whole hook, so what the file says is kept as JSON beside the
ledger, under the file's size, inode and times.
"""

from __future__ import annotations

import posix

from holdshort.adapters import paths
from holdshort.adapters.files import contents, json_at, replace
from holdshort.adapters.json_text import compact
from holdshort.core.policy import Policy, policy_of, policy_of_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

NAME = ".holdshort.toml"
CACHE = "policy.json"
LARGEST = 1 << 20
_FORMAT = 3


def policy_at(root: str, state_dir: str) -> tuple[Policy, tuple[str, ...]]:
    """The policy of the tree at `root`, and every fault of its settings file, one line each.

    Whatever is wrong, the guard stays armed: a faulty value is replaced by its default.
    """
    path = paths.join(root, NAME)
    try:
        info = posix.stat(path)
    except FileNotFoundError:
        return Policy(), ()
    except OSError as error:
        return Policy(), (f"it cannot be looked at: {error.strerror}",)
    key = [_FORMAT, info.st_size, info.st_ino, info.st_mtime_ns, info.st_ctime_ns]
    cached = _cached(state_dir, key)
    if cached is not None:
        return cached
    policy, faults = _parsed(path)
    _keep(state_dir, {"key": key, "policy": policy.as_json(), "faults": faults})
    return policy, faults


def _cached(state_dir: str, key: list[int]) -> tuple[Policy, tuple[str, ...]] | None:
    kept = json_at(paths.join(state_dir, CACHE), LARGEST)
    if not isinstance(kept, dict) or kept.get("key") != key:
        return None
    policy, faults = policy_of_json(kept.get("policy")), kept.get("faults")
    if policy is None or not isinstance(faults, list):
        return None
    return policy, tuple(str(fault) for fault in faults)


def _parsed(path: str) -> tuple[Policy, tuple[str, ...]]:
    import tomllib  # noqa: PLC0415  # more than doubles the start; once per change of the file

    try:
        raw = contents(path, LARGEST) or b""
        return policy_of(tomllib.loads(raw.decode("utf-8-sig").replace("\r\n", "\n")))
    except OSError as error:
        return Policy(), (f"it cannot be read: {error.strerror}",)
    except RecursionError:
        return Policy(), ("it is nested too deeply",)
    except ValueError as error:  # no UTF-8, or no TOML: tomllib's message names line and column
        return Policy(), (f"it is not TOML: {error}",)


def _keep(state_dir: str, compiled: dict[str, Any]) -> None:
    """Best effort: without the state directory, or when it is full, the next call parses again."""
    try:
        if paths.isdir(state_dir):
            replace(paths.join(state_dir, CACHE), compact(compiled), mark=f".{posix.getpid()}")
    except OSError:
        pass
