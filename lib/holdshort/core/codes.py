"""What each HS code and each row of the fail matrix means. Codes are stable: never renamed."""

from __future__ import annotations

CODES: dict[str, tuple[str, str, str]] = {
    "HS101": (
        "A dispatch was denied: its scope meets that of an agent in flight.",
        (
            "Two agents in one working tree were about to be given the same file. The denial names the "
            "file, the agent that has it, and why it is believed to be at work still."
        ),
        (
            "Give the new agent other files, or dispatch it once the other has ended; an ended agent no "
            "longer blocks. If the other is gone and its end was never reported, a person may run "
            "`holdshort release ID` at a terminal."
        ),
    ),
    "HS102": (
        "A message was denied: it gives a running agent files that another has.",
        "A FILE-SCOPE block sent to an agent adds to its scope and is judged like a dispatch.",
        "Send other files, or wait until the agent that has them has ended.",
    ),
    "HS201": (
        "A write was denied: an agent in flight holds the file.",
        (
            "The file is in the declared scope of another agent that is believed to be at work. A child's "
            "hold binds its parents, a parent's never its children. Where the coordinator writes below a "
            "directory that its agent holds but has not touched, a person is asked instead."
        ),
        (
            "Leave the change to that agent, or make it once it has ended. If it is gone and its end was "
            "never reported, a person may run `holdshort release ID` at a terminal."
        ),
    ),
    "HS202": (
        "A write was denied: it is outside the agent's own scope.",
        "`own_scope` is `strict` under `[write]` in `.holdshort.toml`.",
        "Report that the task needs the file; the coordinator widens the scope.",
    ),
    "HS203": (
        "A command was denied: it names what was denied, and cannot be read.",
        (
            "The agent was denied a write to the file, which is still held. Its command contains code, an "
            "`eval` or a syntax whose writes cannot be told, and names that file."
        ),
        "Leave the file alone. To read it, use a command that only reads.",
    ),
    "HS204": (
        "A write was denied: the file guards the tree itself.",
        (
            "holdshort's state, its settings and its own files, a registration that names it, the wave "
            "manifest and the scope files. The coordinator writes the last two; for settings and the "
            "plugin a person is asked."
        ),
        "Report what you meant to change.",
    ),
    "HS205": (
        "A write was denied: the wave manifest does not grant it.",
        "`allowedPaths` of the manifest in force has no entry for the file, or it lies outside the tree.",
        "Change the plan: declare the file for an agent, unite the scopes, write the manifest anew.",
    ),
    "HS206": (
        "A write was denied: the wave manifest grants nothing.",
        "Its list is empty or unreadable; the sentence tells which of five reasons is the likely one.",
        "As the sentence says. A person may set `enforcement` to `off` in the manifest.",
    ),
    "HS207": (
        "A write was denied: it cannot be told where it would land.",
        "A name too long, a loop of links, a file in the place of a directory; and a wave is on.",
        "Use a path that can exist.",
    ),
    "HS208": (
        "A write was denied: another party wrote the file lately.",
        "`observed` is `deny` under `[write]` in `.holdshort.toml`.",
        "Wait until that party has ended, or for half an hour of silence.",
    ),
    "HS301": (
        "A git command was denied: it would take back uncommitted work of others.",
        (
            "`stash`, `reset --hard`, `checkout` and `restore` of paths, `clean`, `--autostash` reach "
            "every uncommitted change in the tree, and some are in files that another party at work holds "
            "or has written."
        ),
        "Name the paths that are your own (`git stash push -- PATHS`), or wait until the others end.",
    ),
    "HS302": (
        "A git command was denied: it would put another version in the place of files of others.",
        (
            "`switch`, `checkout` of a branch, `merge`, `rebase`, `pull`, `cherry-pick`, `revert` and "
            "`reset --hard` bring other versions of files in, and some are in the hands of another party "
            "at work. What a `pull` would fetch is not known: the upstream as last fetched counts."
        ),
        "Wait until the others have ended, or do it in a worktree of your own.",
    ),
    "HS303": (
        "A git command was denied: it would sweep in work of others.",
        (
            "`add -A`, `add .`, `commit -a` and a commit of what is staged take along changes in files "
            "that another party at work holds or has written. An agent may sweep in those of its ancestors."
        ),
        "Stage your own files, each by its name, and commit those: `git commit -- PATHS`.",
    ),
    "HS501": (
        "Overlap with an agent that works in a tree of its own.",
        (
            "One of the two was dispatched with isolation, so they cannot overwrite each other's files, "
            "but both changes have to be merged."
        ),
        "Nothing, or give the file one owner to spare yourself the merge.",
    ),
    "HS502": (
        "Overlap with a file that somebody in flight wrote without declaring it.",
        (
            "An agent, or the main thread of another session, wrote a file of this scope in the last 30 "
            "minutes and has not been seen to end."
        ),
        "Have scopes declared, so that such files are kept for their agent.",
    ),
    "HS503": (
        "Overlap in shared files only.",
        (
            "Lockfiles, changelogs and snapshots, and what `.holdshort.toml` adds under `shared`, may be "
            "in several scopes."
        ),
        "Regenerate or merge the file instead of writing back an old copy.",
    ),
    "HS504": (
        "Overlap with an agent of which nothing is known any more.",
        "It was dispatched or seen to start, but nothing was heard of it for 30 minutes.",
        "Look whether it still works: `holdshort status`.",
    ),
    "HS505": (
        "A possible overlap, read from prose.",
        "One of the two scopes was not declared by a marker with a block, so it only advises.",
        "Declare scopes in a FILE-SCOPE block (docs/declaring-a-scope.md).",
    ),
    "HS506": (
        "It cannot be told whether two scopes meet.",
        "An entry or a scope is larger than what is compared (docs/scope-entries.md).",
        "Use shorter entries, fewer of them, or fewer brace alternatives.",
    ),
    "HS507": (
        "Part of a scope block was not understood.",
        "The lines named are no paths, so nobody is kept off whatever they meant.",
        "Write one path or glob per line.",
    ),
    "HS508": (
        "The prompt and the scope file name different files.",
        "The agent holds both.",
        "Write the block with the same list as the file.",
    ),
    "HS509": (
        "The wave has scope files, but this dispatch declares nothing.",
        "Without a declared scope an agent holds nothing and nobody is kept off its files.",
        "Put the FILE-SCOPE block of its scope file into the prompt.",
    ),
    "HS510": (
        "A message wakes an agent whose files another has now.",
        "A finished agent that gets a message works on, with the scope it had.",
        "Wait until the other has ended, or tell the woken agent to leave the file alone.",
    ),
    "HS511": (
        "The scope of a starting agent, as it was understood.",
        "Told to the agent itself, so that a misreading shows.",
        "If it is wrong, tell the coordinator.",
    ),
    "HS512": (
        "Overlap with edits that the coordinator plans itself.",
        (
            "The wave's coordinator.json names a file of this scope. The coordinator's own edits are no "
            "dispatch, so nothing else could tell of them."
        ),
        "Leave the file to one of the two, or edit it once the agent has ended.",
    ),
    "HS513": (
        "A write beside one's own scope.",
        "The agent declared other files; nobody holds this one.",
        'Mention it in the report, or make it a denial by `own_scope = "strict"`.',
    ),
    "HS514": (
        "A write by somebody who may be the holder.",
        "The harness has not told yet which agent a dispatch became.",
        "Nothing; it is certain from the agent's next event on.",
    ),
    "HS515": (
        "A write onto what another party has written lately.",
        "An agent or another session wrote the file in the last 30 minutes without having declared it.",
        'Read the file again first. `observed = "deny"` under `[write]` makes it a denial.',
    ),
    "HS516": (
        "A wave manifest was left over.",
        "The session that was seen to write it is gone and was not resumed, so it governs nobody.",
        "Write it anew, or clear it with `holdshort scopes clear`.",
    ),
    "HS517": (
        "An isolation that did not happen.",
        (
            "The agent was dispatched into a tree of its own, which lets it overlap with others; its first "
            "write shows that it works in the common tree. From here on its scope holds there."
        ),
        "Stop one of the two where their scopes meet, or have the work merged by hand.",
    ),
    "HS518": (
        "A shell command was too long to be read.",
        "Only the first 64 KiB of a command are looked at for what it writes.",
        "Put long texts into files with the tool for that.",
    ),
    "HS519": (
        "The wave manifest was written over by another session.",
        (
            "A manifest governs the session that wrote it last. Two coordinators in one tree have one "
            "manifest between them, so the wave of the first is no longer guarded by it."
        ),
        "Let one session at a time run waves in a tree, or give the second a worktree.",
    ),
    "HS901": (
        "GUARD INACTIVE: a hook could not run at all.",
        "Python is missing or too old, or a file of holdshort is missing or broken.",
        "Install Python 3.11 or newer, or install holdshort again.",
    ),
    "HS902": (
        "The ledger was unreadable.",
        (
            "It was kept aside as wave-dispatch-scopes.corrupt.json; records that made sense were kept. "
            "Agents whose records were lost hold nothing until they are dispatched again."
        ),
        "Nothing; look at the file that was kept if it happens again.",
    ),
    "HS903": (
        "No decision within the hook's deadline.",
        "The call went through unchecked, as the dispatch guard fails open.",
        "See whether the machine is overloaded or the project lies on a slow disk.",
    ),
    "HS904": (
        "The ledger's lock was not to be had in time.",
        (
            "The call was judged without it and recorded in `pending/`, from where the ledger takes it "
            "in; what the holder of the lock is about to record was not compared."
        ),
        "See which process holds wave-dispatch-scopes.lock.",
    ),
    "HS905": (
        "State is kept outside the project.",
        "The project's .orchestrator cannot be written, or is not ours.",
        "Make it writable to share the state with other users of the project.",
    ),
    "HS906": (
        ".holdshort.toml has faults.",
        "Each is named; defaults stand in their place, so the guard stays armed.",
        "Mend the lines named.",
    ),
    "HS907": (
        "An unexpected error.",
        "The call was not checked.",
        "Report it, with the line named.",
    ),
    "HS908": (
        "A call could not be read.",
        "What came on stdin was no JSON object, or too large. It was not checked.",
        "Check that the hooks are registered as in hooks.json.",
    ),
    "HS909": (
        "Unknown hook profile.",
        "HOLDSHORT_HOOK_PROFILE is full, minimal or off; anything else counts as full.",
        "Mend the variable.",
    ),
    "HS910": (
        "State could not be written.",
        (
            "The verdict stands where one was reached, but it was not recorded, so others may miss this "
            "dispatch. Where the ledger could not be opened, nothing was compared."
        ),
        "See whether the disk is full or read-only.",
    ),
}

ROWS: dict[str, str] = {
    "off": "row 1: the guard is switched off in .holdshort.toml",
    "again": "the same call was delivered twice; the answer is the same",
    "allow": "no other agent's open scope meets this one",
    "10a": "row 10a: every agent whose scope meets this one has ended",
    "11": "row 11: an agent in flight has a file of this scope",
    "warn": "an agent in flight has a file of this scope, but the guard is in warn mode",
}
