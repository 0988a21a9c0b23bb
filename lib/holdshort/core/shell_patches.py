"""Which files a patch changes: of `apply_patch`, and unified diffs for `git apply` and `patch`."""

from __future__ import annotations

from holdshort.core.shell_script import LARGEST

HEADS = ("*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: ")


def paths_of_envelope(text: str) -> list[str]:
    """Both ends of a move included; lines of content, which begin with a mark, are none."""
    heads = [line for line in text.splitlines() if line.startswith("*** ")]
    found = [line[len(head) :].strip() for line in heads for head in HEADS if line.startswith(head)]
    return list(dict.fromkeys(found))


def paths_of_diff(text: str, strip: int) -> list[str]:
    """The files in the headers of a unified diff, without their first `strip` directories.

    Inside a hunk nothing is a header, however much it looks like one.
    """
    found: list[str] = []
    left = [0, 0]  # lines of the hunk still to come, before and after
    for line in text[:LARGEST].splitlines():
        if left[0] > 0 or left[1] > 0:
            left[0] -= not line.startswith(("+", "\\"))
            left[1] -= not line.startswith(("-", "\\"))
        elif line.startswith("@@ "):
            left = _counts(line)
        else:
            found += _headed(line, strip)
    return list(dict.fromkeys(found))


def _headed(line: str, strip: int) -> list[str]:
    for head, is_named_whole in (("--- ", True), ("+++ ", True), ("rename to ", False)):
        if line.startswith(head):
            path = line[len(head) :].partition("\t")[0].strip().strip('"')
            if path == "/dev/null":
                return []
            return ["/".join(path.split("/")[strip:]) if is_named_whole else path]
    if line.startswith("rename from "):
        return [line[len("rename from ") :].strip()]
    return []


def _counts(line: str) -> list[int]:
    """Lines before and after of `@@ -a,b +c,d @@`."""
    found = []
    for word in line.split()[1:3]:
        count = word.partition(",")[2] or "1"
        found.append(int(count) if count.isascii() and count.isdigit() and len(count) < 7 else 0)
    return found if len(found) == 2 else [0, 0]
