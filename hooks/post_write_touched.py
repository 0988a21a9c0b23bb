"""PostToolUse of `Write`, `Edit`, `MultiEdit`, `NotebookEdit`: notes who wrote what. Never denies.

Observed holds are judged in `holdshort.core.observed`; docs/hooks/post_write_touched.md.
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
    from holdshort.gather.writes import judge
    from holdshort.shell import run
except Exception as error:  # noqa: BLE001  # a broken file: hooks/run tells the user
    sys.exit(f"{type(error).__name__}: {error}")

run("post_write_touched", judge, is_guard=False)
