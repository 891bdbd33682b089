#!/usr/bin/env python3
"""The host beside the tools people use by hand, and beside other MCP servers: the same work, in one run, and whether it is right.

    tests/bench/compare.py --workspace DIR [--bin FILE] [--peers DIR] [--only TEXT] [--reps N] [--cold] [--json FILE]

DIR holds `linux` (a large tree that is a repository) and `gitsrc` (a repository with a long history); small data is made there.
What is missing is left out. Repetitions are interleaved, so that noise hits everyone alike; the ratio is of minima. Standard
library only, Linux. `docs/performance.md` has the figures and how the anchors are installed.
"""

import argparse
import json
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import tempfile
import threading
import time

import servers
import workloads
from servers import Wrong
from workloads import Tree, Work

ROOT = pathlib.Path(__file__).resolve().parents[2]


def reference(work):
    """Seconds and output of what people use."""
    commands = work.reference if isinstance(work.reference[0], list) else [work.reference]
    began = time.perf_counter()
    output = b"".join(run(command, work) for command in commands)
    return time.perf_counter() - began, output


def run(command, work):
    if not work.lines:
        return subprocess.run(command, cwd=work.folder, capture_output=True).stdout
    # Stopped as `head` would.
    process = subprocess.Popen(command, cwd=work.folder, stdout=subprocess.PIPE)
    output = b""
    while output.count(b"\n") < work.lines:
        piece = os.read(process.stdout.fileno(), 1 << 16)
        if not piece:
            break
        output += piece
    process.stdout.close()
    process.wait()
    return output


def ours(server, work):
    taken, answers = 0.0, []
    for tool, arguments in work.calls:
        seconds, answer = server.call(tool, arguments)
        taken += seconds
        answers.append(answer)
    return taken, answers


def in_turns(server, work):
    """The same for steps: the medians of a call and of what stands beside it."""
    taken, beside, answers = [], [], []
    for number, (tool, arguments) in enumerate(work.calls):
        seconds, answer = server.call(tool, arguments)
        taken.append(seconds)
        answers.append(answer)
        began = time.perf_counter()
        work.reference(number)
        beside.append(time.perf_counter() - began)
    return statistics.median(taken), statistics.median(beside), answers


def theirs(server, calls):
    taken = 0.0
    for tool, arguments in calls:
        seconds, answer = server.call(tool, arguments)
        taken += seconds
        servers.result(answer)
    return taken


def measure(work, host, started, repetitions, cold):
    """One row: minima in milliseconds, and what was wrong."""
    row = {"name": work.name, "budget": work.budget, "ours": [], "reference": [], "peers": {}, "wrong": ""}
    row["cpu"] = {"ours": [], "reference": []}
    for repetition in range(repetitions + 1):
        work.before()
        if cold:
            evict(work.folder)
        if callable(work.reference):
            output = b""
            seconds, reference_seconds, answers = in_turns(host, work)
        else:
            before = children()
            reference_seconds, output = reference(work)
            row["cpu"]["reference"].append(children() - before)
            if cold:
                evict(work.folder)
            before = host.cpu()
            seconds, answers = ours(host, work)
            row["cpu"]["ours"].append(host.cpu() - before)
        try:
            if repetition == 0:
                work.check(answers, output)
            else:
                row["ours"].append(seconds)
                row["reference"].append(reference_seconds)
        except (Wrong, KeyError, ValueError) as error:
            row["wrong"] = f"{type(error).__name__}: {error}"
            break
        for name, calls in work.peers.items():
            if name not in started or isinstance(row["peers"].get(name), str):
                continue
            work.before()
            try:
                each = len(calls) if callable(work.reference) else 1
                row["peers"].setdefault(name, []).append(theirs(started[name], calls) / each)
            except Wrong as error:
                row["peers"][name] = f"fails: {error}"[:60]
    return row


def children():
    """Seconds of processor of all children that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def evict(folder):
    """Lets the system forget the contents of all files of a tree."""
    for path, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != ".git"]
        for name in names:
            try:
                handle = os.open(os.path.join(path, name), os.O_RDONLY | os.O_NOFOLLOW)
            except OSError:
                continue
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
            os.close(handle)


def show(row, memory):
    if row["wrong"]:
        print(f"{row['name']:28} WRONG  {row['wrong']}", flush=True)
        return
    mine, reference_ms = min(row["ours"]) * 1000, min(row["reference"]) * 1000
    row["ratio"] = mine / reference_ms
    cpu = [min(row["cpu"][who], default=0) for who in ("ours", "reference")]
    # The system counts ours in steps of 10 ms.
    row["cpu_ratio"] = cpu[0] / cpu[1] if cpu[0] >= 0.05 and cpu[1] else None
    of_cpu = f" cpu {row['cpu_ratio']:4.2f}" if row["cpu_ratio"] else " " * 9
    mark = "" if row["ratio"] <= row["budget"] else "  over"
    print(
        f"{row['name']:28} {mine:9.2f} ms  ref {reference_ms:9.2f} ms  ratio {row['ratio']:5.2f} (at most {row['budget']:.2f}){of_cpu}"
        f"  resident {memory[0]:5.1f} peak {memory[1]:5.1f} MiB{mark}",
        flush=True,
    )
    for name, taken in row["peers"].items():
        words = taken if isinstance(taken, str) else f"{min(taken) * 1000:9.2f} ms  ratio {min(taken) * 1000 / reference_ms:5.2f}"
        print(f"    {name:24} {words}", flush=True)


def all_work(workspace):
    work = workloads.reads(workspace)
    if (workspace / "linux").is_dir():
        large = Tree(workspace, "linux")
        work += [
            large.glob("glob *.rs", "*.rs"),
            large.glob("glob *.c", "*.c"),
            large.glob("glob none", "zzq*.zz"),
            large.grep("grep none", "zzq_no_such_symbol"),
            large.grep("grep rare", "ktime_get_mono_fast_ns"),
            large.grep("grep regex", r"spin_lock_irqsave\(&[a-z]+->[a-z_]+lock", regex=True),
            large.grep("grep any case", "kmalloc_array_node", icase=True),
            large.grep("grep 80000 hits", "static inline", budget=0.8),
            large.grep("grep capped at 100", "static inline", budget=0.5, cap=100),
            large.grep("grep capped, rarer", "mutex_lock", budget=0.5, cap=100),
            *workloads.status_and_diff(large),
        ]
    if (workspace / "gitsrc").is_dir():
        history = Tree(workspace, "gitsrc")
        work += [history.tree("tree, 10 levels"), history.grep("grep small tree", "strbuf_addch"), *workloads.history(history)]
    return work + workloads.writes(workspace) + workloads.commands(workspace)


def cancelled(binary, workspace, scratch, repetition):
    """How long a search or a command goes on after it was cancelled, in milliseconds."""
    found = {}
    for name, tool, arguments in [
        ("search_grep", "search_grep", {"path": "linux", "pattern": r"(\w+\s*){8}zzq", "limit": 10}),
        ("exec_run", "exec_run", {"command": "sleep", "args": ["30"]}),
    ]:
        server = servers.outrigger(binary, workspace, scratch, name=f"cancel-{name}")
        try:
            # The first command asks the login shell for its path, which is measured by nobody here.
            server.call("exec_run", {"command": "echo", "args": ["warm"]})
            # A key of its own each time: the journal answers for a call that it knows.
            key = f"01ARZ3NDEKTSV4RRFFQ69G{repetition:03}" + ("V" if tool == "search_grep" else "W")
            number = server.begin("tools/call", {"name": tool, "arguments": arguments, "_meta": {"dev.outrigger/call": key}})
            threading.Event().wait(0.15)
            began = time.perf_counter()
            server.begin("outrigger/calls/cancel", {"call": key})
            while (answer := json.loads(server.answer())).get("id") != number:
                pass
            found[name] = (time.perf_counter() - began) * 1000
            if (answer["result"].get("structuredContent") or {}).get("code") != "cancelled":
                raise Wrong(f"{tool} was not cancelled")
        finally:
            server.close()
    return found


def redaction(binary, workspace, scratch):
    """How much longer a large read takes because secrets are looked for, end to end."""
    hosts = [servers.outrigger(binary, workspace, scratch, redact, f"redact-{redact}") for redact in (True, False)]
    arguments = {"path": "data/20m.txt", "line_numbers": False, "limit": 1_000_000, "max_bytes": 16 << 20}
    taken = [[], []]
    for _ in range(9):
        for host, times in zip(hosts, taken):
            times.append(host.call("fs_read", arguments)[0])
    for host in hosts:
        host.close()
    return min(taken[0]) / min(taken[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=str(ROOT / "target" / "release" / "outrigger"))
    parser.add_argument("--workspace", type=pathlib.Path, required=True)
    parser.add_argument("--peers", help="folder with `npm/`, `py/`, `cargo/`")
    parser.add_argument("--only", default="", help="workloads whose name contains this")
    parser.add_argument("--reps", type=int, default=5)
    parser.add_argument("--cold", action="store_true", help="forget the pages of the tree before each repetition")
    parser.add_argument("--json")
    options = parser.parse_args()
    workspace = options.workspace.resolve()
    workloads.prepare(workspace)
    rows, started = [], {}
    with tempfile.TemporaryDirectory() as scratch:
        chosen = [work for work in all_work(workspace) if options.only in work.name]
        wanted = {name for work in chosen for name in work.peers}
        try:
            for name, argv in servers.peers(options.peers, workspace).items():
                if name in wanted:
                    started[name] = servers.Server(name, argv)
            for work in chosen:
                # A host of its own for each: its memory is that of this work.
                host = servers.outrigger(options.bin, workspace / work.root, scratch)
                try:
                    row = measure(work, host, started, options.reps, options.cold)
                    rows.append(row)
                    show(row, host.memory())
                finally:
                    host.close()
        finally:
            for server in started.values():
                server.close()
        if "cancel".startswith(options.only) or not options.only:
            found = [cancelled(options.bin, workspace, scratch, repetition) for repetition in range(options.reps)]
            for name in found[0]:
                print(f"cancel of {name:18} {min(taken[name] for taken in found):9.2f} ms  (at most 100)")
        if "redaction".startswith(options.only) or not options.only:
            print(f"redaction of a large read    ratio {redaction(options.bin, workspace, scratch):5.2f} (at most 1.05)")
    shutil.rmtree(workspace / "data" / "hand", ignore_errors=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))
    raise SystemExit(1 if any(row["wrong"] for row in rows) else 0)


if __name__ == "__main__":
    main()
