#!/usr/bin/env python3
"""What the host costs by itself: start, memory, one small read over the pipe.

    cargo build --release && tests/bench/host.py [--bin target/release/outrigger] [--json FILE]

Standard library only, Linux. Every figure stands beside a reference measured in the same run, so that a slow machine is seen as
such: `cat` echoing frames of the same size for a round trip, `/bin/true` for a start.
"""

import argparse
import json
import os
import pathlib
import statistics
import struct
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
IDS = json.loads((ROOT / "manifests" / "ids.json").read_text())
ORIGIN = f"chrome-extension://{IDS['chromium']['extension_id']}/"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}
# Start, the quiet moment and the read are the contract's; what is resident while there is work has no row there.
BUDGETS = {
    "start_ms": 5.0,
    "resident_mib": 12.0,
    "resident_after_3000_reads_mib": 12.0,
    "peak_mib": 12.0,
    "resident_when_quiet_mib": 8.0,
    "fs_read_us": 40.0,
}


class Port:
    """Frames over the pipes of a process."""

    def __init__(self, argv, environment=None):
        self.process = subprocess.Popen(
            argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0, env=environment
        )
        self.number = 0

    def exchange(self, body):
        self.process.stdin.write(struct.pack("=I", len(body)) + body)
        return self.frame()

    def frame(self):
        (length,) = struct.unpack("=I", self.exactly(4))
        return self.exactly(length)

    def exactly(self, count):
        parts = []
        while count:
            part = self.process.stdout.read(count)
            if not part:
                raise SystemExit("the host closed the pipe")
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def hello(self):
        message = {"jsonrpc": "2.0", "id": "hello", "method": "outrigger/hello", "params": {"protocol": {"min": 1, "max": 1}}}
        return json.loads(self.exchange(json.dumps(message).encode()))

    def request(self, method, params):
        self.number += 1
        message = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": {**params, "_meta": META}}
        return json.loads(self.exchange(json.dumps(message).encode()))

    def close(self):
        self.process.stdin.close()
        self.process.wait(10)


def resident_mib(pid, name="VmRSS:"):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) / 1024
    return float("nan")


def timed(action, count):
    taken = []
    for _ in range(count):
        began = time.perf_counter_ns()
        action()
        taken.append((time.perf_counter_ns() - began) / 1000)
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default=str(ROOT / "target" / "release" / "outrigger"))
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        workspace = pathlib.Path(folder, "app")
        workspace.mkdir()
        line = "0123456789012345678901234567890123456789012345678901234567890123\n"
        (workspace / "small.txt").write_text((line * 64)[:4096])
        config = pathlib.Path(folder, "config.toml")
        config.write_text(f'version = 1\n[[workspace]]\nid = "app"\npath = "{workspace}"\n')
        config.chmod(0o600)
        environment = {**os.environ, "OUTRIGGER_CONFIG": str(config), "OUTRIGGER_STATE_DIR": folder + "/state"}

        starts, trues = [], []
        for _ in range(40):
            began = time.perf_counter_ns()
            port = Port([options.bin, ORIGIN], environment)
            port.hello()
            starts.append((time.perf_counter_ns() - began) / 1e6)
            port.close()
            began = time.perf_counter_ns()
            subprocess.run(["/bin/true"], check=True)
            trues.append((time.perf_counter_ns() - began) / 1e6)

        port = Port([options.bin, ORIGIN], environment)
        port.hello()
        port.request("tools/list", {})
        read = {"name": "fs_read", "arguments": {"path": "small.txt"}}
        answer = port.request("tools/call", read)
        assert answer["result"]["structuredContent"]["ok"], answer
        idle = resident_mib(port.process.pid)
        # The frame is made once: what is timed is the pipe and the host, not this program's JSON.
        frame = json.dumps({"jsonrpc": "2.0", "id": 0, "method": "tools/call", "params": {**read, "_meta": META}}).encode()
        timed(lambda: port.exchange(frame), 300)
        reads = timed(lambda: port.exchange(frame), 3000)
        after, peak = resident_mib(port.process.pid), resident_mib(port.process.pid, "VmHWM:")
        time.sleep(2.5)
        quiet = resident_mib(port.process.pid)
        body = json.dumps(answer).encode()
        port.close()
        echo = Port(["/bin/cat"])
        echoes = timed(lambda: echo.exchange(body), 3000)
        echo.close()

    rows = {
        "start_ms": statistics.median(starts),
        "start_true_ms": statistics.median(trues),
        "resident_mib": idle,
        "resident_after_3000_reads_mib": after,
        "peak_mib": peak,
        "resident_when_quiet_mib": quiet,
        "fs_read_us": statistics.median(reads),
        "fs_read_p99_us": sorted(reads)[int(len(reads) * 0.99)],
        "echo_by_cat_us": statistics.median(echoes),
    }
    rows["start_ratio"] = rows["start_ms"] / rows["start_true_ms"]
    rows["fs_read_ratio"] = rows["fs_read_us"] / rows["echo_by_cat_us"]
    for name, value in rows.items():
        over = ", over" if value > BUDGETS.get(name, value) else ""
        budget = f"   (at most {BUDGETS[name]:g}{over})" if name in BUDGETS else ""
        print(f"{name:32} {value:10.2f}{budget}")
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
