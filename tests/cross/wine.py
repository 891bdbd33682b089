"""Windows without Windows: the cross-compiled host under Wine, in a prefix of its own, spoken to over real pipes."""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import threading
import queue

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/attack"))

import native_port  # noqa: E402

TARGETS = pathlib.Path(os.environ.get("CARGO_TARGET_DIR") or ROOT / "target")
WINE = next((path for path in ("/usr/lib/wine/wine64", "/usr/bin/wine64") if os.path.exists(path)), "wine64")
GCC = "x86_64-w64-mingw32-gcc"


def build() -> pathlib.Path:
    """The folder with `outrigger.exe` and what stands in for the parts of Windows that Wine lacks."""
    named = os.environ.get("OUTRIGGER_WINDOWS_DIR")
    if named:
        folder = pathlib.Path(named)
    else:
        script = [str(ROOT / "tests/cross/compile.sh"), "windows"]
        folder = pathlib.Path(subprocess.run(script, check=True, stdout=subprocess.PIPE, text=True).stdout.strip().splitlines()[-1])
    here = ROOT / "tests/cross"
    compile_to(folder / "bcryptprimitives.dll", [here / "ProcessPrng.c"], ["-shared", "-ladvapi32"])
    compile_to(folder / "probe.exe", [here / "probe.c"], ["-municode"])
    return folder


def compile_to(output: pathlib.Path, sources: list, more: list):
    subprocess.run([GCC, "-O1", "-s", "-o", str(output), *map(str, sources), *more], check=True)


class Machine:
    """A Wine prefix, fresh for every run: its registry and its disk are those of a new Windows."""

    def __init__(self):
        self.prefix = TARGETS / "wine"
        shutil.rmtree(self.prefix, ignore_errors=True)
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.prefix / "home"),
            "WINEPREFIX": str(self.prefix),
            "WINEDEBUG": "-all",
            "WINEARCH": "win64",
            # Else names beyond ASCII lose a bit of each byte on their way from the disk.
            "LC_ALL": "C.UTF-8",
            # No browser engine and no .NET: nothing here needs them, and asking for them waits for a person.
            "WINEDLLOVERRIDES": "mscoree,mshtml=",
        }
        (self.prefix / "home").mkdir(parents=True)
        subprocess.run(["wineboot", "-i"], env=self.environment, check=True, capture_output=True, timeout=300)
        self.drive = self.prefix / "drive_c"
        self.home = self.drive / "users" / os.environ.get("USER", "root")
        self.program = self.drive / "Programs" / "Outrigger"
        self.program.mkdir(parents=True)
        for name in ("outrigger.exe", "bcryptprimitives.dll", "probe.exe"):
            shutil.copy2(self.built / name, self.program / name)

    built: pathlib.Path

    def path(self, path: pathlib.Path) -> str:
        """As Windows calls it."""
        return "C:\\" + str(path.relative_to(self.drive)).replace("/", "\\")

    def run(self, *args: str, program: str = "outrigger.exe", more: dict | None = None, timeout: float = 60) -> subprocess.CompletedProcess:
        binary = str(self.program / program) if program in ("outrigger.exe", "probe.exe") else program
        environment = {**self.environment, **(more or {})}
        return subprocess.run([WINE, binary, *args], env=environment, capture_output=True, timeout=timeout)

    def registry(self, key: str) -> dict[str, dict[str, str]]:
        """Every key below `key`, with its values."""
        printed = self.run("query", key, "/s", "/reg:64", program="reg").stdout.decode(errors="replace")
        found: dict[str, dict[str, str]] = {}
        current = None
        for line in printed.splitlines():
            if line.startswith("HKEY_"):
                current = found.setdefault(line.strip(), {})
            elif line.startswith("    ") and current is not None:
                parts = line.strip().split("    ")
                current[parts[0]] = parts[-1]
        return found

    def close(self):
        # Ends what still runs in this prefix, and in no other.
        subprocess.run(["wineserver", "-k"], env=self.environment, capture_output=True)
        subprocess.run(["wineserver", "-w"], env=self.environment, capture_output=True, timeout=30)


class World:
    """A workspace, a configuration and a state folder on that machine."""

    def __init__(self, machine: Machine, name: str, more: str = ""):
        self.machine = machine
        self.base = machine.drive / "worlds" / name
        self.workspace = self.base / "Work Space"
        self.workspace.mkdir(parents=True)
        (self.workspace / "greeting.txt").write_bytes(b"hello\r\nworld\r\n")
        self.config = self.base / "config.toml"
        self.config.write_text(f"version = 1\n[[workspace]]\nid = \"place\"\npath = '{machine.path(self.workspace)}'\n{more}")
        self.config.chmod(0o600)
        self.state = self.base / "state"
        self.variables = {
            "OUTRIGGER_CONFIG": machine.path(self.config),
            "OUTRIGGER_STATE_DIR": machine.path(self.state),
        }


class Port(native_port.Port):
    """One host process, started as Chrome on Windows starts it."""

    def __init__(self, world: World, *args: str):
        command = [WINE, str(world.machine.program / "outrigger.exe"), *(args or (native_port.CALLER, "--parent-window=0"))]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**world.machine.environment, **world.variables},
        )
        self._messages = queue.Queue()
        self._groups = {}
        self._aside = []
        self.largest_frame = 0
        self.words = b""
        self._next = 0
        for work in (self._read, self._drain):
            threading.Thread(target=work, daemon=True).start()

    def tool(self, name: str, **arguments):
        """Calls a tool; what it asks is allowed."""
        answer = self.ask_tool(name, arguments)
        result = answer.get("result", {})
        if result.get("resultType") == "input_required":
            allow = {"approval": {"action": "accept", "content": {"decision": "allow"}}}
            answer = self.request(
                "tools/call",
                {"name": name, "arguments": arguments, "inputResponses": allow, "requestState": result["requestState"]},
            )
        return answer

    def ask_tool(self, name: str, arguments: dict):
        return self.request("tools/call", {"name": name, "arguments": arguments})

    def value(self, name: str, **arguments) -> dict:
        """The structured result of a tool."""
        answer = self.tool(name, **arguments)
        result = answer.get("result", {})
        assert "structuredContent" in result, json.dumps(answer)[:2000]
        return result["structuredContent"]
