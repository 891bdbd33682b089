"""The host for Windows, under Wine: the wire, the door to files and its Windows dangers, commands and their jobs, the installer.

What Wine has no counterpart for is not claimed here: links and junctions (Wine 8 makes none), lists of rights beyond what a
Unix mode can say, and the browsers themselves.
"""

import json
import os
import struct
import subprocess
import time
import unittest

import wine
from native_port import CALLER, END, IDS, chunks_of
from wine import Machine, Port, World


def setUpModule():
    global machine
    Machine.built = wine.build()
    machine = Machine()
    unittest.addModuleCleanup(machine.close)


class OnWindows(unittest.TestCase):
    more = ""

    def setUp(self):
        self.world = World(machine, f"{type(self).__name__}-{self._testMethodName}"[:60], self.more)

    def port(self, *args: str) -> Port:
        port = Port(self.world, *args)
        self.addCleanup(port.close)
        if not args:
            port.hello()
        return port

    def assert_refused(self, answer: dict, *codes: str) -> str:
        result = answer.get("result", {}).get("structuredContent", answer)
        self.assertIs(result.get("ok"), False, answer)
        self.assertIn(result["code"], codes, result)
        return result["message"]


class Wire(OnWindows):
    def test_hello_and_the_tools(self):
        port = Port(self.world)
        self.addCleanup(port.close)
        said = port.hello()
        self.assertEqual(said["caller"]["extension"], CALLER, said)
        self.assertEqual(port.value("workspace_info")["data"]["os"], "windows")
        tools = port.request("tools/list")["result"]["tools"]
        self.assertIn("fs_read", [tool["name"] for tool in tools])
        self.assertLess(port.end(), 5)

    def test_every_byte_arrives(self):
        # Line ends, the end-of-file character of old text modes, and all that JSON escapes: nothing is translated.
        port = self.port()
        text = "".join(map(chr, range(1, 256))) + "\r\n\x1a\u2028\U0001f600" + "end"
        answer = port.tool("fs_write", path="bytes.txt", content=text)
        self.assertTrue(answer["result"]["structuredContent"]["ok"], answer)
        written = (self.world.workspace / "bytes.txt").read_bytes()
        self.assertEqual(written.decode(), text)
        read = port.request("tools/call", {"name": "fs_read", "arguments": {"path": "greeting.txt"}})
        self.assertIn("hello", json.dumps(read))

    def test_chunks_both_ways(self):
        port = self.port()
        lines = [f"{number:07} " + "ü" * 60 for number in range(40_000)]
        text = "\n".join(lines) + "\n"
        params = {"name": "fs_write", "arguments": {"path": "large.txt", "content": text}, "_meta": wine.native_port.META}
        for frame in chunks_of({"jsonrpc": "2.0", "id": "large", "method": "tools/call", "params": params}, "group"):
            port.send(frame)
        asked = port.receive(60)
        self.assertEqual(asked["id"], "large")
        params["requestState"] = asked["result"]["requestState"]
        params["inputResponses"] = {"approval": {"action": "accept", "content": {"decision": "allow"}}}
        for frame in chunks_of({"jsonrpc": "2.0", "id": "again", "method": "tools/call", "params": params}, "group2"):
            port.send(frame)
        answer = port.receive(60)
        self.assertTrue(answer["result"]["structuredContent"]["ok"], json.dumps(answer)[:500])
        self.assertEqual((self.world.workspace / "large.txt").read_bytes(), text.encode())
        found = port.request("resources/read", {"uri": "outrigger://place/large.txt"})
        self.assertEqual(found["result"]["contents"][0]["text"], text, "a large answer comes back in chunks")
        self.assertLessEqual(port.largest_frame, 1_000_000)

    def test_hostile_frames(self):
        port = self.port()
        for body in (b"", b"nonsense", b"{", b"\xff\xfe"):
            port.send_body(body)
            self.assertEqual(port.receive()["error"]["code"], -32700)
        port.assert_lives()
        port.send_raw(struct.pack("=I", 0xFFFF_FFFF))
        bye = port.receive()
        self.assertEqual(bye["params"]["reason"], "frame_too_long")
        self.assertIs(port.receive(), END)

    def test_a_plain_client_over_lines(self):
        # `outrigger mcp`: what a stock MCP client starts.
        calls = [
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "fs_read", "arguments": {"path": "greeting.txt"}}},
        ]
        process = subprocess.Popen(
            [wine.WINE, str(machine.program / "outrigger.exe"), "mcp"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env={**machine.environment, **self.world.variables},
        )
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.kill)
        for call in calls:
            process.stdin.write(json.dumps(call).encode() + b"\n")
            process.stdin.flush()
            if "id" in call:
                answer = json.loads(process.stdout.readline())
                self.assertEqual(answer["id"], call["id"])
        self.assertIn("hello", json.dumps(answer))
        process.stdin.close()
        process.wait(timeout=20)


class Files(OnWindows):
    def test_read_write_edit_move_delete(self):
        port = self.port()
        here = self.world.workspace
        self.assertTrue(port.value("fs_write", path="a/b/new.txt", content="one\ntwo\n")["ok"])
        self.assertEqual((here / "a/b/new.txt").read_bytes(), b"one\ntwo\n")
        # A file with the line ends of Windows keeps them.
        self.assertTrue(port.value("fs_edit", path="greeting.txt", edits=[{"old_text": "world", "new_text": "there"}])["ok"])
        self.assertEqual((here / "greeting.txt").read_bytes(), b"hello\r\nthere\r\n")
        self.assertTrue(port.value("fs_move", **{"from": "a/b/new.txt", "to": "c/moved.txt"})["ok"])
        self.assertEqual((here / "c/moved.txt").read_bytes(), b"one\ntwo\n")
        self.assertFalse((here / "a/b/new.txt").exists())
        self.assertTrue(port.value("fs_delete", path="c/moved.txt")["ok"])
        self.assertFalse((here / "c/moved.txt").exists())
        left = [path.name for path in here.rglob("*") if path.name.startswith(".outrigger")]
        self.assertEqual(left, [], "no temporary name is left behind")

    def test_separators_and_absolute_paths(self):
        port = self.port()
        (self.world.workspace / "sub").mkdir()
        (self.world.workspace / "sub" / "in.txt").write_text("inside\n")
        whole = machine.path(self.world.workspace)
        for path in ("sub/in.txt", "sub\\in.txt", "SUB\\IN.TXT", f"{whole}\\sub\\in.txt", f"{whole.lower()}/sub/in.txt"):
            with self.subTest(path=path):
                value = port.value("fs_read", path=path)
                self.assertTrue(value["ok"], value)

    def test_no_way_out(self):
        port = self.port()
        (self.world.base / "secret.txt").write_text("secret\n")
        secret = machine.path(self.world.base / "secret.txt")
        for path in (
            "..\\secret.txt", "../secret.txt", "a\\..\\..\\secret.txt", secret, secret.lower(), "C:secret.txt", "C:", "Z:\\etc\\passwd",
            "\\secret.txt", "/etc/passwd", "\\\\server\\share\\file", "//server/share/file", "\\\\?\\" + secret, "\\\\.\\C:\\x",
            "\\??\\" + secret, "\\\\.\\pipe\\x", "\\\\localhost\\C$\\x",
        ):
            with self.subTest(path=path):
                for tool, more in (("fs_read", {}), ("fs_write", {"content": "x"}), ("fs_list", {})):
                    answer = port.ask_tool(tool, {"path": path, **more})
                    message = self.assert_refused(answer, "outside_workspace", "invalid_path", "invalid_args", "not_found")
                    self.assertNotIn("secret\n", message)
        self.assertEqual((self.world.base / "secret.txt").read_text(), "secret\n")

    def test_names_that_windows_takes_for_something_else(self):
        port = self.port()
        for path in (
            "CON", "con.txt", "nul", "sub/NUL.txt", "COM1", "com¹", "LPT9.log", "CONIN$", "aux .txt",
            "greeting.txt:stream", "greeting.txt::$DATA", "greeting.txt.", "greeting.txt ", "sub./x", "a<b", "a|b", "a?b", "a*b", 'a"b', "tab\tx",
        ):
            with self.subTest(path=path):
                for tool, more in (("fs_read", {}), ("fs_write", {"content": "x"})):
                    self.assert_refused(port.ask_tool(tool, {"path": path, **more}), "invalid_path", "invalid_args", "outside_workspace")

    def test_one_file_under_many_spellings_is_one_file_for_the_law(self):
        port = self.port()
        here = self.world.workspace
        (here / ".env").write_text("TOKEN=x\n")
        (here / "Server Certificate.pem").write_text("key\n")
        for path in (".env", ".ENV", ".Env", "SERVER CERTIFICATE.PEM", "server certificate.Pem"):
            with self.subTest(path=path):
                self.assert_refused(port.ask_tool("fs_read", {"path": path}), "blocked_path")
        # The short names that Windows makes of long ones: the law would not know them.
        (here / "a rather long name.secret-kind").write_text("x\n")
        short = machine.run("short", machine.path(here / "a rather long name.secret-kind"), program="probe.exe")
        name = short.stdout.decode(errors="replace").strip().rsplit("\\", 1)[-1]
        self.assertIn("~", name, short)
        answer = port.ask_tool("fs_read", {"path": name})
        self.assertIn("short", json.dumps(answer))
        self.assertIs(answer["result"]["structuredContent"]["ok"], False, answer)

    def test_git_is_forbidden_in_any_spelling(self):
        port = self.port()
        (self.world.workspace / ".git").mkdir()
        for path in (".git/config", ".GIT/config", ".git\\hooks\\pre-commit", "git~1/config"):
            with self.subTest(path=path):
                answer = port.tool("fs_write", path=path, content="x")
                self.assert_refused(answer, "protected_path", "invalid_path")
        self.assertEqual(list((self.world.workspace / ".git").iterdir()), [])

    def test_search_and_listing(self):
        port = self.port()
        here = self.world.workspace
        for name in ("one.txt", "two.txt", "deep/three.txt", "ünïcode/vier.txt"):
            (here / name).parent.mkdir(exist_ok=True)
            (here / name).write_text("needle in a haystack\n")
        found = port.value("search_grep", pattern="needle")
        self.assertTrue(found["ok"], found)
        text = json.dumps(found, ensure_ascii=False)
        for name in ("one.txt", "two.txt", "deep/three.txt", "ünïcode/vier.txt"):
            self.assertIn(name, text)
        globbed = json.dumps(port.value("search_glob", pattern="**/*.txt"), ensure_ascii=False)
        self.assertIn("deep/three.txt", globbed)
        listed = json.dumps(port.value("fs_list", path="."), ensure_ascii=False)
        self.assertIn("deep", listed)

    def test_a_turn_is_undone(self):
        port = self.port()
        before = (self.world.workspace / "greeting.txt").read_bytes()
        self.assertTrue(port.value("fs_edit", path="greeting.txt", edits=[{"old_text": "hello", "new_text": "bye"}])["ok"])
        port.end()
        undone = machine.run("undo", "--last", more=self.world.variables)
        self.assertEqual(undone.returncode, 0, undone)
        self.assertEqual((self.world.workspace / "greeting.txt").read_bytes(), before)


class Git(OnWindows):
    def test_status_diff_add_commit(self):
        here = self.world.workspace
        run = lambda *args: subprocess.run(["git", "-C", str(here), *args], check=True, capture_output=True)  # noqa: E731
        run("init", "-q", "-b", "main")
        run("config", "user.name", "A")
        run("config", "user.email", "a@example.org")
        run("add", "-A")
        run("commit", "-q", "-m", "first")
        (here / "greeting.txt").write_bytes(b"hello\r\nthere\r\n")
        (here / "new.txt").write_text("new\n")
        port = self.port()
        status = port.value("git_status")
        self.assertTrue(status["ok"], status)
        self.assertIn("greeting.txt", json.dumps(status))
        self.assertIn("+there", json.dumps(port.tool("git_diff")))
        added = port.value("git_add", paths=["greeting.txt", "new.txt"])
        self.assertTrue(added["ok"], added)
        done = port.value("git_commit", message="second")
        self.assertTrue(done["ok"], done)
        log = subprocess.run(["git", "-C", str(here), "log", "--format=%s"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(log.split(), ["second", "first"])


class Commands(OnWindows):
    more = r"""
[exec]
defaults = false
[[command]]
id = "probe"
program = 'C:\Programs\Outrigger\probe.exe'
summary = "The tests' own program"
positional = "any"
timeout_ms = 60000
[[command]]
id = "script"
program = 'C:\Programs\Outrigger\say.cmd'
summary = "A script of the system's shell"
positional = "any"
"""

    def ran(self, port: Port, command: str, *args: str, **more) -> tuple[dict, str]:
        answer = port.tool("exec_run", command=command, args=list(args), **more)["result"]
        value = answer["structuredContent"]
        return value.get("data", value), answer["content"][0]["text"].replace("\r", "")

    def test_what_a_command_gets(self):
        port = self.port()
        words = ["plain", "with space", 'a"quote', "back\\slash", "trailing\\", "%PATH%", "&calc", "^caret", "!x!"]
        data, text = self.ran(port, "probe", "echo", *words)
        self.assertEqual(data["exit_code"], 7, data)
        for word in words:
            self.assertIn(f"arg {word}\n", text)
        self.assertIn("folder " + machine.path(self.world.workspace), text)
        self.assertIn("temp " + machine.path(self.world.state), text)

    def test_a_timeout_ends_the_whole_tree(self):
        port = self.port()
        marker = self.world.workspace / "leaf-was-here"
        data, text = self.ran(port, "probe", "tree", marker.name, "4", timeout_ms=1500)
        self.assertIn("started", text)
        self.assertEqual(data["code"], "timeout", data)
        time.sleep(5)
        self.assertFalse(marker.exists(), "a grandchild has outlived its command")

    def test_what_a_command_leaves_behind_ends_with_it(self):
        port = self.port()
        marker = self.world.workspace / "leaf-was-here"
        data, text = self.ran(port, "probe", "leave", marker.name, "4")
        self.assertIn("started", text)
        self.assertEqual(data["exit_code"], 0, data)
        time.sleep(5)
        self.assertFalse(marker.exists(), "a grandchild has outlived its command")

    def test_the_leaf_does_write_when_nobody_ends_it(self):
        # Else the three tests around this one would prove nothing.
        marker = self.world.workspace / "leaf-was-here"
        machine.run("leaf", machine.path(marker), "1", program="probe.exe")
        self.assertTrue(marker.exists())

    def test_nothing_lives_on_after_the_host(self):
        for way in ("closed", "killed"):
            with self.subTest(way=way):
                port = self.port()
                marker = self.world.workspace / f"leaf-{way}"
                _, text = self.ran(port, "probe", "tree", marker.name, "6", background=True, wait_ms=1500)
                self.assertIn("started", text)
                if way == "closed":
                    self.assertLess(port.end(), 5)
                else:
                    port.process.kill()
                    port.process.wait()
                time.sleep(7)
                self.assertFalse(marker.exists(), "a grandchild has outlived the host")

    def test_a_script_gets_words_and_no_commands(self):
        (machine.program / "say.cmd").write_bytes(b"@echo off\r\necho said %1\r\n")
        port = self.port()
        _, text = self.ran(port, "script", "fine")
        self.assertIn("said", text)
        for word in ("x&echo>injected", '"&echo>injected&"', "x|echo>injected", "%COMSPEC%", "x\necho>injected"):
            answer = port.tool("exec_run", command="script", args=[word])["result"]["structuredContent"]
            self.assertNotIn("cmd.exe", json.dumps(answer))
        self.assertFalse((self.world.workspace / "injected").exists(), "an argument was run as a command")

    def test_the_plan_says_that_nothing_holds_a_command(self):
        port = self.port()
        asked = port.ask_tool("exec_run", {"command": "probe", "args": ["echo"]})["result"]
        self.assertEqual(asked["resultType"], "input_required")
        self.assertIn("none: the command runs with all rights of your account", json.dumps(asked))


class Installer(OnWindows):
    HOSTS = [
        r"HKEY_CURRENT_USER\Software\Google\Chrome\NativeMessagingHosts",
        r"HKEY_CURRENT_USER\Software\Chromium\NativeMessagingHosts",
        r"HKEY_CURRENT_USER\Software\Microsoft\Edge\NativeMessagingHosts",
        r"HKEY_CURRENT_USER\Software\Mozilla\NativeMessagingHosts",
    ]

    def outrigger(self, *args: str, code: int | None = 0):
        done = machine.run(*args, more=self.world.variables)
        if code is not None:
            self.assertEqual(done.returncode, code, done)
        return done.stdout.decode(errors="replace")

    def keys(self) -> dict:
        found = {}
        for root in (r"HKCU\Software\Google", r"HKCU\Software\Chromium", r"HKCU\Software\Microsoft\Edge", r"HKCU\Software\Mozilla",
                     r"HKCU\Software\BraveSoftware", r"HKCU\Software\Vivaldi"):
            found.update(machine.registry(root))
        return found

    def disk(self) -> dict:
        return {
            str(path.relative_to(machine.drive)): path.read_bytes() if path.is_file() else None
            for root in (machine.drive / "users", self.world.state)
            for path in sorted(root.rglob("*"))
            if path.is_file()
        }

    def test_install_doctor_uninstall_leaves_nothing(self):
        foreign = machine.path(self.world.base / "foreign.json")
        name = IDS["host_name"]
        # Somebody else's registration under our name: it comes back.
        before_key = rf"HKCU\Software\Google\Chrome\NativeMessagingHosts\{name}"
        machine.run("add", before_key, "/ve", "/t", "REG_SZ", "/d", foreign, "/f", "/reg:64", program="reg")
        before = (self.keys(), self.disk())
        said = json.loads(self.outrigger("install", "--all", "--json"))
        self.assertTrue(said, said)
        during = self.keys()
        for key in self.HOSTS:
            with self.subTest(key=key):
                values = during[rf"{key}\{name}"]
                path = next(iter(values.values()))
                manifest = machine.drive / path.removeprefix("C:\\").replace("\\", "/")
                content = json.loads(manifest.read_text())
                self.assertEqual(content["path"].lower(), machine.path(machine.program / "outrigger.exe").lower())
                self.assertEqual(len(content), 5)
        # Twice is once.
        self.outrigger("install", "--all", "--json")
        self.assertEqual(self.keys(), during)
        status = self.outrigger("status", "--json", code=None)
        self.assertIn("outrigger.exe", status)
        doctor = json.loads(self.outrigger("doctor", "--json", "--browser", "chrome", code=None))
        text = json.dumps(doctor)
        self.assertIn("host.hello", text)
        self.outrigger("uninstall", "--json")
        after = (self.keys(), self.disk())
        self.maxDiff = None
        self.assertEqual(after[0], before[0])
        gone = {path: content for path, content in after[1].items() if "worlds" not in path}
        self.assertEqual(gone, {path: content for path, content in before[1].items() if "worlds" not in path})
        machine.run("delete", before_key, "/f", "/reg:64", program="reg")


if __name__ == "__main__":
    unittest.main()
