"""Talks to MCP servers over their stdio, and knows how each of them is started and what its tools are called.

Standard library only. The clock of a call stops when its whole answer has arrived; nothing is decoded before that.
"""

import json
import os
import pathlib
import shutil
import subprocess
import time

PATIENCE = 120
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {"elicitation": {}},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Wrong(Exception):
    """An answer that is missing, an error, or not what it should be."""


class Server:
    """One server that stays alive over many calls."""

    def __init__(self, name, argv, environment=None, folder=None):
        self.name, self.number = name, 0
        self.process = subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            # The default of 8 KiB would measure this program.
            bufsize=1 << 20,
            env={**os.environ, **(environment or {})},
            cwd=folder,
        )
        self.exchange("initialize", HELLO)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, method, params):
        """Sends a request; its number."""
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def answer(self):
        """The next answer, as it came; requests of the server are answered with yes."""
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise Wrong("the server ended")
            head = line[:300]
            if b'"method":"elicitation/create"' in head or b'"method": "elicitation/create"' in head:
                content = {"action": "accept", "content": {"decision": "allow"}}
                self.send({"jsonrpc": "2.0", "id": json.loads(line)["id"], "result": content})
            elif b'"result"' in line or b'"error"' in line:
                return line

    def exchange(self, method, params):
        """Seconds, and the answer as it came."""
        began = time.perf_counter()
        self.begin(method, params)
        line = self.answer()
        return time.perf_counter() - began, line

    def call(self, tool, arguments):
        return self.exchange("tools/call", {"name": tool, "arguments": arguments})

    def memory(self):
        """What is resident and what was at most, in MiB."""
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        value = lambda name: next(int(line.split()[1]) for line in status.splitlines() if line.startswith(name)) / 1024
        return value("VmRSS:"), value("VmHWM:")

    def cpu(self):
        """Seconds of processor so far, its dead threads' and children's too."""
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def result(line):
    """Text and structured content of an answer."""
    message = json.loads(line)
    if "error" in message:
        raise Wrong(message["error"].get("message", "error"))
    content = message["result"].get("content", [])
    text = "\n".join(part.get("text", "") for part in content)
    if message["result"].get("isError"):
        raise Wrong(text[:200])
    return text, message["result"].get("structuredContent") or {}


CONFIG = """version = 1
[[workspace]]
id = "bench"
path = {workspace}
[tools]
profile = "full"
tier = {{ fs_write = "auto", fs_edit = "auto", exec_run = "auto" }}
[redact]
enabled = {redact}
[[command]]
id = "echo"
program = "echo"
positional = "any"
summary = "echo"
tier = "auto"
[[command]]
id = "sleep"
program = "sleep"
positional = "any"
summary = "sleep"
tier = "auto"
"""


def outrigger(binary, workspace, scratch, redact=True, name="outrigger"):
    """Our host over `workspace`; its configuration and state lie in `scratch`."""
    config = pathlib.Path(scratch, f"{name}.toml")
    config.write_text(CONFIG.format(workspace=json.dumps(str(workspace)), redact=str(redact).lower()))
    config.chmod(0o600)
    environment = {"OUTRIGGER_STATE_DIR": str(pathlib.Path(scratch, f"{name}-state"))}
    argv = [binary, "--config", str(config), "mcp", "--workspace", "bench"]
    return Server(name, argv, environment)


def peers(folder, workspace):
    """Those of the peers that are installed: in `folder` (`npm/`, `py/`, `cargo/`), or on the path."""

    def find(program, *places):
        for place in places:
            path = pathlib.Path(folder or "/nonexistent", place, program)
            if path.exists():
                return str(path)
        return shutil.which(program)

    found = {
        "server-filesystem": (find("mcp-server-filesystem", "npm/node_modules/.bin"), [str(workspace)]),
        "rust-mcp-filesystem": (find("rust-mcp-filesystem", "cargo/bin"), ["--allow-write", str(workspace)]),
        "mcp-server-git": (find("mcp-server-git", "py/bin"), []),
    }
    return {name: [program, *rest] for name, (program, rest) in found.items() if program}
