"""What is measured: for each piece of work our call, what people use for the same, what peers offer, and what is right.

A workload's `check` compares the answer with the reference's own output; it raises `Wrong` where they differ. Budgets are those of
the project's contract: a ratio to the reference of the same run.
"""

import dataclasses
import os
import pathlib
import shutil
import subprocess
import typing

from servers import Wrong, result

FD = shutil.which("fd") or shutil.which("fdfind") or "fd"
SMALL, DEEP, MANY = 1000, 300_001, 100_000


@dataclasses.dataclass
class Work:
    """One workload."""

    name: str
    #: Calls of ours, made one after the other: (tool, arguments).
    calls: list
    #: A command (run in `folder`), a list of them, or a function of the number of a call that does the same by system calls. Such
    #: steps wait for the disk, whose mood changes within milliseconds: ours and theirs take turns, and medians are compared.
    reference: typing.Any
    folder: pathlib.Path
    budget: float
    #: (answers of ours, output of the reference) -> None; raises Wrong.
    check: typing.Callable
    #: Name of a peer -> its calls.
    peers: dict = dataclasses.field(default_factory=dict)
    #: The host's workspace, where it is not the whole one.
    root: str = ""
    #: Done before each repetition, off the clock.
    before: typing.Callable = lambda: None
    #: The reference stops after this many lines.
    lines: int = 0


def same(what, ours, theirs, blocked=0):
    """Two lists have to be equal; entries that our law blocks (keys, password files) are missing, and counted."""
    if ours == theirs or (blocked and set(ours) < set(theirs) and len(theirs) - len(ours) == blocked):
        return
    ours, theirs = set(ours), set(theirs)
    more, less = sorted(ours - theirs)[:3], sorted(theirs - ours)[:3]
    raise Wrong(f"{what}: {len(ours)} instead of {len(theirs)}; only ours: {more}; missing: {less}")


def data_of(answer):
    return result(answer)[1]["data"]


def places(answers, _output):
    return [(match["path"], match["line"]) for match in data_of(answers[0])["matches"]]


def rg_places(output, prefix):
    found = []
    for line in output.decode(errors="replace").splitlines():
        path, number, _ = line.split(":", 2)
        found.append((prefix + path, int(number)))
    return found


def by_path(places):
    """Names compared one by one, as bytes: a folder's files right after it."""
    return sorted(places, key=lambda place: ([name.encode() for name in place[0].split("/")], place[1]))


def shallow_first(places):
    """The order of a search that is cut."""
    return sorted(by_path(places), key=lambda place: place[0].count("/"))


class Tree:
    """Workloads on one large tree, by its path relative to the workspace."""

    def __init__(self, workspace, name):
        self.folder, self.prefix, self.name = pathlib.Path(workspace, name), f"{name}/", name
        self.absolute = str(self.folder)

    def grep(self, name, pattern, budget=1.0, regex=False, icase=False, cap=0):
        arguments = {
            "path": self.name,
            "pattern": pattern,
            "literal": not regex,
            "case": "insensitive" if icase else "sensitive",
            "limit": cap or MANY,
        }
        reference = ["rg", "-n", "--no-heading", *([] if regex else ["-F"]), *(["-i"] if icase else []), "-e", pattern]

        def check(answers, output):
            ours = places(answers, output)
            structured = result(answers[0])[1]
            if cap:
                shown = structured.get("truncated", {}).get("shown")
                if (len(ours), shown, structured["data"]["complete"]) != (cap, cap, False):
                    raise Wrong(f"{len(ours)} matches, {shown} said to be shown")
                everything = subprocess.run(
                    [*reference, "--sort", "path"], cwd=self.folder, capture_output=True, check=True
                ).stdout
                first = shallow_first(rg_places(everything, self.prefix))[:cap]
                return same("matches", ours, by_path(first))
            return same("matches", ours, by_path(rg_places(output, self.prefix)))

        peers = {}
        if not cap:
            query = ("(?i)" if icase else "") + pattern
            peers["rust-mcp-filesystem"] = [
                ("search_files_content", {"path": self.absolute, "pattern": "**/*", "query": query, "is_regex": regex or icase})
            ]
        return Work(name, [("search_grep", arguments)], reference, self.folder, budget, check, peers, lines=cap)

    def glob(self, name, pattern, budget=0.7):
        def check(answers, output):
            theirs = [self.prefix + path for path in output.decode().split("\n") if path]
            data = data_of(answers[0])
            same("paths", sorted(data["paths"]), sorted(theirs), data["blocked"])

        call = ("search_glob", {"path": self.name, "pattern": pattern, "limit": MANY})
        peers = {
            "server-filesystem": [("search_files", {"path": self.absolute, "pattern": f"**/{pattern}"})],
            "rust-mcp-filesystem": [("search_files", {"path": self.absolute, "pattern": f"**/{pattern}"})],
        }
        return Work(name, [call], [FD, "-s", "-t", "f", "-g", pattern], self.folder, budget, check, peers)

    def tree(self, name):
        def check(answers, output):
            theirs = [self.prefix + path.rstrip("/") for path in output.decode().split("\n") if path]
            data = data_of(answers[0])
            same("entries", sorted(entry["path"] for entry in data["entries"]), sorted(theirs), data["blocked_count"])

        call = ("fs_list", {"path": self.name, "depth": 10, "limit": MANY})
        reference = [FD, "-H", "--exclude", ".git", "--max-depth", "10"]
        return Work(name, [call], reference, self.folder, 0.7, check)

    def git(self, name, tool, arguments, command, budget, check, **more):
        return Work(name, [(tool, arguments)], ["git", *command], self.folder, budget, check, **more)


def nothing(_answers, _output):
    """What is checked by the project's own differential tests."""


def contains(count, needle):
    def check(answers, output):
        found = sum(result(answer)[0].count(needle) for answer in answers)
        if found != count:
            raise Wrong(f"{found} of {count} `{needle}`")

    return check


def reads(workspace):
    folder = pathlib.Path(workspace, "data")
    whole = {"line_numbers": False, "limit": 1_000_000, "max_bytes": 16 << 20}
    read = lambda name: ("fs_read", {"path": f"data/{name}", **whole})
    peer = lambda names: {
        "server-filesystem": [("read_text_file", {"path": f"{folder}/{name}"}) for name in names],
        "rust-mcp-filesystem": [("read_text_file", {"path": f"{folder}/{name}"}) for name in names],
    }
    small = [f"small/{number:04}.txt" for number in range(SMALL)]
    lines = ("fs_read", {"path": "data/20m.txt", "start_line": DEEP, "limit": 100, "line_numbers": False})
    cat = lambda names: [["cat", name] for name in names]
    sed = ["sed", "-n", f"{DEEP},{DEEP + 99}p;{DEEP + 100}q", "20m.txt"]

    def listed(answers, output):
        same("names", sorted(entry["path"].removeprefix("data/dir10k/") for entry in data_of(answers[0])["entries"]), sorted(output.decode().split()))

    return [
        Work("read 4 KiB x200", [read("4k.txt")] * 200, cat(["4k.txt"] * 200), folder, 0.4, contains(200 * 64, "line "), peer(["4k.txt"] * 200)),
        Work("read 1000 small files", [read(name) for name in small], cat(small), folder, 0.4, contains(SMALL * 200, "file "), peer(small)),
        Work("read 1 MiB x10", [read("1m.txt")] * 10, cat(["1m.txt"] * 10), folder, 1.0, contains(10 * 16384, "line "), peer(["1m.txt"] * 10)),
        Work("100 lines at 300000 x5", [lines] * 5, [sed] * 5, folder, 0.35, contains(500, "line "),
             {"rust-mcp-filesystem": [("read_file_lines", {"path": f"{folder}/20m.txt", "offset": DEEP - 1, "limit": 100})] * 5}),
        Work("list 10000 entries", [("fs_list", {"path": "data/dir10k", "limit": MANY})], [["ls", "-U", "dir10k"]], folder, 0.8, listed,
             {name: [("list_directory", {"path": f"{folder}/dir10k"})] for name in ("server-filesystem", "rust-mcp-filesystem")}),
    ]


def synced(path, flags=os.O_RDONLY | os.O_DIRECTORY, content=b""):
    handle = os.open(path, flags, 0o644)
    if content:
        os.write(handle, content)
    os.fsync(handle)
    os.close(handle)


def by_hand(folder, name, content):
    """The least a durable change is: the journal's append, the new file, its name; three syncs."""
    synced(folder / "journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND, b"x" * 400)
    synced(folder / ".temporary", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, content)
    os.rename(folder / ".temporary", folder / name)
    synced(folder)


def writes(workspace):
    folder, hand = pathlib.Path(workspace, "data", "out"), pathlib.Path(workspace, "data", "hand")
    content = "0123456789abcde\n" * 64
    large = "".join(f"line {number:06} abc\n" for number in range(58_000))

    def fresh():
        for place in (folder, hand):
            shutil.rmtree(place, ignore_errors=True)
            place.mkdir()
        for place in (folder, hand):
            (place / "edit.txt").write_text(large)

    def write(number):
        by_hand(hand, f"{number:04}.txt", content.encode())

    def edit(number):
        text = (hand / "edit.txt").read_text()
        by_hand(hand, "edit.txt", text.replace(f"line {number * 1000:06} abc", "changed").encode())

    def written(_answers, _output):
        wrong = [path.name for path in sorted(folder.glob("0*.txt")) if path.read_text() != content]
        if wrong or len(list(folder.glob("0*.txt"))) != 100:
            raise Wrong(f"wrong: {wrong[:3]}")

    def edited(_answers, _output):
        if (folder / "edit.txt").read_bytes() != (hand / "edit.txt").read_bytes():
            raise Wrong("another content")

    peer_edit = lambda key: [
        (key, {"path": f"{folder}/edit.txt", "edits": [{"oldText": f"line {number * 1000:06} abc", "newText": "changed"}]})
        for number in range(20)
    ]
    peer_write = [("write_file", {"path": f"{folder}/{number:04}.txt", "content": content}) for number in range(100)]
    names = ("server-filesystem", "rust-mcp-filesystem")
    return [
        Work("write 1 KiB x100", [("fs_write", {"path": f"data/out/{number:04}.txt", "content": content}) for number in range(100)],
             write, folder, 1.2, written, {name: peer_write for name in names}, before=fresh),
        Work("edit in 1 MiB x20",
             [("fs_edit", {"path": "data/out/edit.txt", "edits": [{"old_text": f"line {number * 1000:06} abc", "new_text": "changed"}]})
              for number in range(20)],
             edit, folder, 1.2, edited, {name: peer_edit("edit_file") for name in names}, before=fresh),
    ]


def commands(workspace):
    scratch = pathlib.Path(workspace, "data")

    def twice(_number):
        subprocess.run(["true"], check=True)
        subprocess.run(["echo", "hello"], check=True, capture_output=True)
        synced(scratch / "journal", os.O_WRONLY | os.O_CREAT | os.O_APPEND, b"x" * 400)

    return [Work("exec echo x20", [("exec_run", {"command": "echo", "args": ["hello"]})] * 20, twice, scratch, 1.2, contains(20, "hello"))]


def status_and_diff(tree):
    """A clean tree, and one with 500 changed files; what was changed is put back."""
    changed = sorted(str(path.relative_to(tree.folder)) for path in tree.folder.glob("include/linux/*.h"))[:500]
    touched = b"/* bench touched */\n"

    def dirty():
        for path in changed:
            with open(tree.folder / path, "rb") as file:
                content = file.read()
            if not content.endswith(touched):
                with open(tree.folder / path, "ab") as file:
                    file.write(touched)

    def clean():
        subprocess.run(["git", "checkout", "-q", "--", "include/linux"], cwd=tree.folder, check=True)
        # The index knows the new times only once somebody has looked.
        subprocess.run(["git", "status", "--porcelain"], cwd=tree.folder, check=True, capture_output=True)

    def status(answers, output):
        data = data_of(answers[0])
        ours = [entry["path"] for kind in ("staged", "unstaged", "untracked", "conflicted") for entry in data[kind]]
        same("changes", sorted(ours), sorted(tree.prefix + line[3:] for line in output.decode().splitlines()))

    def diff(answers, output):
        theirs = [line[6:] for line in output.decode(errors="replace").splitlines() if line.startswith("+++ b/")]
        same("files", sorted(file["path"] for file in data_of(answers[0])["files"]), sorted(tree.prefix + path for path in theirs))

    path, peer = {"path": tree.name}, {"repo_path": tree.absolute}
    return [
        tree.git("git status, clean", "git_status", path, ["status", "--porcelain"], 1.0, status,
                 peers={"mcp-server-git": [("git_status", peer)]}, before=clean),
        tree.git("git status, 500 changes", "git_status", path, ["status", "--porcelain"], 1.0, status,
                 peers={"mcp-server-git": [("git_status", peer)]}, before=dirty),
        tree.git("git diff, 500 changes", "git_diff", {"paths": [tree.name], "limit_bytes": 1 << 20}, ["diff"], 1.0, diff,
                 peers={"mcp-server-git": [("git_diff_unstaged", peer)]}, before=dirty),
        tree.git("git diff, clean", "git_diff", {"paths": [tree.name]}, ["diff"], 1.0, diff, before=clean),
    ]


def history(tree):
    def log(answers, output):
        same("commits", [commit["id"] for commit in data_of(answers[0])["commits"]], output.decode().split())

    def show(answers, output):
        theirs = [line[6:] for line in output.decode(errors="replace").splitlines() if line.startswith("+++ b/")]
        same("files", sorted(file["path"] for file in data_of(answers[0])["commit"]["files"]), sorted(theirs))

    def blame(answers, output):
        ours = [(run["id"], run["count"]) for run in data_of(answers[0])["runs"]]
        lines = [line.split()[0] for line in output.decode(errors="replace").splitlines()]
        spread = [commit[:40] for commit, count in ours for _ in range(count)]
        same("lines", list(enumerate(spread)), list(enumerate(lines)))

    log_of = {"path": tree.name, "limit": 100}
    blamed = {"path": f"{tree.name}/diff.c", "limit": 500}
    return [
        tree.git("git log, 100", "git_log", log_of, ["log", "-n100", "--format=%H"], 1.0, log,
                 peers={"mcp-server-git": [("git_log", {"repo_path": tree.absolute, "max_count": 100})]}),
        tree.git("git show", "git_show", {"rev": "HEAD"}, ["show", "--first-parent", "HEAD"], 1.0, show, root=tree.name),
        tree.git("git blame, 500 lines", "git_blame", blamed, ["blame", "-l", "-s", "-L1,500", "--root", "diff.c"], 1.5, blame),
    ]


def prepare(workspace):
    """Makes the small data; the two repositories are given."""
    folder = pathlib.Path(workspace, "data")
    (folder / "small").mkdir(parents=True, exist_ok=True)
    (folder / "dir10k").mkdir(exist_ok=True)
    for name, bytes_ in (("4k.txt", 4096), ("1m.txt", 1 << 20), ("20m.txt", 20 << 20)):
        lines = "".join(f"line {number:08} abcdefghijklmnopqrstuvwxyz 0123456789abcdefg\n" for number in range(bytes_ // 64))
        (folder / name).write_text(lines[:bytes_])
    for number in range(SMALL):
        (folder / "small" / f"{number:04}.txt").write_text(f"file {number:04}\n" * 200)
    for number in range(10_000):
        path = folder / "dir10k" / f"f_{number:05}.txt"
        if not path.exists():
            path.write_text("x")

