"""The browser's side of a native port, in bytes: frames in and out, chunks joined, nothing taken for granted."""

import hashlib
import json
import os
import pathlib
import queue
import struct
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("OUTRIGGER_BIN") or str(ROOT / "target/debug/outrigger")
IDS = json.loads((ROOT / "manifests/ids.json").read_text())
CALLER = f"chrome-extension://{IDS['chromium']['extension_id']}/"

END = object()
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}


class World:
    """A workspace, a configuration and a state folder that vanish with it."""

    def __init__(self, more: str = ""):
        self._folder = tempfile.TemporaryDirectory(prefix="outrigger-attack-")
        base = pathlib.Path(self._folder.name)
        self.base = base
        self.workspace = base / "workspace"
        self.workspace.mkdir()
        (self.workspace / "greeting.txt").write_text("hello\n")
        config = base / "config.toml"
        config.write_text(f'version = 1\n[[workspace]]\nid = "place"\npath = "{self.workspace}"\n{more}')
        config.chmod(0o600)
        self.environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(base),
            "OUTRIGGER_CONFIG": str(config),
            "OUTRIGGER_STATE_DIR": str(base / "state"),
        }

    def close(self):
        self._folder.cleanup()


class Port:
    """One host process. Messages are read by a thread, so that a host which is silent fails a test instead of hanging it."""

    def __init__(self, world: World):
        self.process = subprocess.Popen(
            [BINARY, CALLER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=world.environment
        )
        self._messages: queue.Queue = queue.Queue()
        self._groups: dict[str, list[str]] = {}
        self._aside: list = []
        self.largest_frame = 0
        self._threads = [threading.Thread(target=self._read, daemon=True), threading.Thread(target=self._drain, daemon=True)]
        self.words = b""
        for thread in self._threads:
            thread.start()
        self._next = 0

    def _drain(self):
        self.words = self.process.stderr.read()

    def _read(self):
        output = self.process.stdout
        while True:
            header = output.read(4)
            if len(header) < 4:
                self._messages.put(END if header == b"" else AssertionError(f"torn header {header!r}"))
                return
            (length,) = struct.unpack("=I", header)
            self.largest_frame = max(self.largest_frame, length)
            body = output.read(length)
            if len(body) < length:
                self._messages.put(AssertionError(f"torn frame: {len(body)} of {length} bytes"))
                return
            message = json.loads(body)
            if "chunk" in message:
                message = self._join(message["chunk"])
                if message is None:
                    continue
            self._messages.put(message)

    def _join(self, chunk):
        parts = self._groups.setdefault(chunk["id"], [])
        assert chunk["index"] == len(parts), chunk["index"]
        parts.append(chunk["data"])
        if len(parts) < chunk["count"]:
            return None
        text = "".join(self._groups.pop(chunk["id"]))
        assert hashlib.sha256(text.encode()).hexdigest() == chunk["sha256"]
        return json.loads(text)

    def send_raw(self, data: bytes):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send_body(self, body: bytes):
        self.send_raw(struct.pack("=I", len(body)) + body)

    def send(self, message):
        self.send_body(json.dumps(message).encode())

    def receive(self, timeout: float = 20.0):
        """The next message, or END."""
        if self._aside:
            return self._aside.pop(0)
        return self._take(timeout)

    def _take(self, timeout: float):
        try:
            message = self._messages.get(timeout=timeout)
        except queue.Empty:
            raise AssertionError(f"the host said nothing for {timeout} s; alive: {self.process.poll() is None}") from None
        if isinstance(message, BaseException):
            raise message
        return message

    def request(self, method: str, params: dict | None = None):
        """Asks, and gives the answer; whatever else comes meanwhile is kept for `receive`."""
        self._next += 1
        request_id = f"ask-{self._next}"
        self.send({"jsonrpc": "2.0", "id": request_id, "method": method, "params": {**(params or {}), "_meta": META}})
        while True:
            message = self._take(20.0)
            if message is END:
                raise AssertionError(f"the host ended instead of answering {method}; it said: {self.words.decode(errors='replace')}")
            if message.get("id") == request_id:
                return message
            self._aside.append(message)

    def hello(self):
        self.send({
            "jsonrpc": "2.0",
            "id": "hello",
            "method": "outrigger/hello",
            "params": {"client": {"name": "attack", "version": "0.0.0"}, "protocol": {"min": 1, "max": 1}},
        })
        message = self.receive()
        assert message["id"] == "hello" and "result" in message, message
        return message["result"]

    def assert_lives(self):
        answer = self.request("tools/call", {"name": "search_glob", "arguments": {"pattern": "*.txt"}})
        assert answer.get("result", {}).get("structuredContent", {}).get("ok") is True, answer

    def end(self) -> float:
        """Closes the host's input; gives the seconds until its process was gone."""
        started = time.monotonic()
        self.process.stdin.close()
        self.process.wait(timeout=20)
        return time.monotonic() - started

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except OSError:
                pass


def chunks_of(message, group: str, size: int = 200_000) -> list[dict]:
    """The frames of one message, as `docs/protocol.md` cuts it."""
    text = json.dumps(message)
    parts = [text[at : at + size] for at in range(0, len(text), size)]
    frames = [{"chunk": {"id": group, "index": index, "count": len(parts), "data": part}} for index, part in enumerate(parts)]
    frames[-1]["chunk"]["sha256"] = hashlib.sha256(text.encode()).hexdigest()
    return frames
