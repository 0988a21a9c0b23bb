"""PreToolUse of the writing tools and of `Bash`: a held file is written by its holder alone.

Decides in `holdshort.core.write.judge_write`; docs/hooks/enforce_scope.md.
"""

import gc
import sys

gc.disable()  # the process ends before there is garbage worth collecting

if sys.version_info < (3, 11):
    sys.exit("holdshort needs Python 3.11 or newer, this is " + sys.version.split()[0])

sys.path.append(__file__.rpartition("hooks")[0] + "lib")

try:
    from holdshort import compiled

    compiled.use()
    from holdshort.gather.write import is_governed, judge
    from holdshort.shell import run
except Exception as error:  # noqa: BLE001  # a broken file: hooks/run tells the user
    sys.exit(f"{type(error).__name__}: {error}")

run("enforce_scope", judge, is_guard=True, fails_closed=is_governed)
