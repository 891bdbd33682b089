"""The stock Python MCP client, with default settings, in front of `outrigger --config F mcp --workspace ID`.

In each of its three ways to negotiate it lists and calls the tools and is asked before a write; what it answers is
what happens to the file. A client that cannot ask gets a refusal that says so.
"""

import asyncio
import os
import pathlib
import subprocess
import tempfile
import unittest

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
import mcp_types as types

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = os.environ.get("OUTRIGGER_BIN") or str(ROOT / "target/debug/outrigger")
MODES = ("auto", "legacy", "2026-07-28")


class Place:
    """A workspace with one file, a configuration for it, and an environment of its own."""

    def __init__(self, folder: str, more: str = ""):
        base = pathlib.Path(folder)
        self.workspace = base / "workspace"
        self.workspace.mkdir()
        self.file = self.workspace / "greeting.txt"
        self.file.write_text("hello\nworld\n")
        self.config = base / "config.toml"
        self.config.write_text(f'version = 1\n[[workspace]]\nid = "place"\npath = "{self.workspace}"\n{more}')
        self.config.chmod(0o600)
        self.environment = {"PATH": os.environ["PATH"], "HOME": folder, "OUTRIGGER_STATE_DIR": str(base / "state")}

    def client(self, mode: str, answer=None) -> Client:
        server = StdioServerParameters(
            command=BINARY,
            args=["--config", str(self.config), "mcp", "--workspace", "place"],
            env=self.environment,
        )
        return Client(stdio_client(server), mode=mode, elicitation_callback=answer)


class Answers:
    """Answers every question alike, and remembers what was asked."""

    def __init__(self, action: str, content: dict | None = None):
        self.action = action
        self.content = content
        self.asked: list[str] = []

    async def __call__(self, _context, params):
        self.asked.append(params.message)
        return types.ElicitResult(action=self.action, content=self.content)


EDIT = {"path": "greeting.txt", "edits": [{"old_text": "world", "new_text": "harbour"}]}


class PythonClient(unittest.TestCase):
    def test_the_binary_is_there(self):
        version = subprocess.run([BINARY, "--version"], capture_output=True, text=True, check=True)
        self.assertRegex(version.stdout, r"^outrigger \d+\.\d+\.\d+")

    def in_each_mode(self, answer_of, look, more: str = ""):
        for mode in MODES:
            with self.subTest(mode=mode), tempfile.TemporaryDirectory() as folder:
                place = Place(folder, more)
                answer = answer_of()

                async def run():
                    async with place.client(mode, answer) as client:
                        await look(place, client, answer)

                asyncio.run(asyncio.wait_for(run(), 60))

    def test_lists_and_reads(self):
        async def look(_place, client, answer):
            names = {tool.name for tool in (await client.list_tools()).tools}
            self.assertLessEqual({"workspace_info", "fs_read", "fs_list", "search_grep", "fs_edit", "git_status", "exec_run"}, names)
            read = await client.call_tool("fs_read", {"path": "greeting.txt"})
            self.assertFalse(read.is_error, read)
            self.assertIn("world", read.content[0].text)
            self.assertTrue(read.structured_content["ok"])
            self.assertEqual(answer.asked, [], "a read asks nobody")

        self.in_each_mode(lambda: Answers("accept", {"decision": "allow"}), look)

    def test_an_allowed_write_happens(self):
        async def look(place, client, answer):
            edit = await client.call_tool("fs_edit", EDIT)
            self.assertFalse(edit.is_error, edit)
            self.assertEqual(place.file.read_text(), "hello\nharbour\n")
            self.assertEqual(len(answer.asked), 1)
            self.assertIn("greeting.txt", answer.asked[0])
            self.assertIn("+harbour", answer.asked[0], "the question shows what will change")

        self.in_each_mode(lambda: Answers("accept", {"decision": "allow"}), look)

    def test_an_allowed_command_runs(self):
        async def look(_place, client, answer):
            # The client holds a result against the tool's own schema: one that does not fit is an error here.
            run = await client.call_tool("exec_run", {"command": "greet"})
            self.assertFalse(run.is_error, run)
            self.assertEqual(run.structured_content["data"]["exit_code"], 0)
            self.assertIn("ahoy", run.content[0].text)
            self.assertIn("Program: /bin/echo", answer.asked[0])

        command = '[[command]]\nid = "greet"\nprogram = "/bin/echo"\nargs = ["ahoy"]\nsummary = "Greet"\n'
        self.in_each_mode(lambda: Answers("accept", {"decision": "allow"}), look, command)

    def test_a_denied_write_does_not_happen_and_the_note_is_passed_on(self):
        async def look(place, client, answer):
            edit = await client.call_tool("fs_edit", EDIT)
            self.assertTrue(edit.is_error)
            self.assertEqual(edit.structured_content["code"], "approval_denied")
            self.assertIn("leave the greeting alone", edit.content[0].text)
            self.assertEqual(place.file.read_text(), "hello\nworld\n")
            self.assertEqual(len(answer.asked), 1)

        self.in_each_mode(lambda: Answers("accept", {"decision": "deny", "note": "leave the greeting alone"}), look)

    def test_no_valid_answer_is_a_denial(self):
        async def look(place, client, _answer):
            edit = await client.call_tool("fs_edit", EDIT)
            self.assertTrue(edit.is_error)
            self.assertEqual(edit.structured_content["code"], "approval_denied")
            self.assertEqual(place.file.read_text(), "hello\nworld\n")

        self.in_each_mode(lambda: Answers("decline"), look)
        self.in_each_mode(lambda: Answers("cancel"), look)

    def test_a_client_that_cannot_ask_is_refused(self):
        async def look(place, client, _answer):
            edit = await client.call_tool("fs_edit", EDIT)
            self.assertTrue(edit.is_error)
            self.assertEqual(edit.structured_content["code"], "approval_unavailable")
            self.assertIn("[mcp] approvals", edit.content[0].text, "the refusal names the setting")
            self.assertEqual(place.file.read_text(), "hello\nworld\n")

        self.in_each_mode(lambda: None, look)

    def test_trust_client_lets_a_batch_write_run_and_no_command(self):
        async def look(place, client, _answer):
            edit = await client.call_tool("fs_edit", EDIT)
            self.assertFalse(edit.is_error, edit)
            self.assertEqual(place.file.read_text(), "hello\nharbour\n")
            command = await client.call_tool("exec_run", {"command": "node_test"})
            self.assertTrue(command.is_error)
            self.assertEqual(command.structured_content["code"], "approval_unavailable")

        self.in_each_mode(lambda: None, look, '[mcp]\napprovals = "trust-client"\n')

    def test_a_path_outside_is_refused(self):
        async def look(_place, client, _answer):
            for path in ("../config.toml", "/etc/passwd"):
                read = await client.call_tool("fs_read", {"path": path})
                self.assertTrue(read.is_error)
                self.assertEqual(read.structured_content["code"], "outside_workspace")

        self.in_each_mode(lambda: None, look)


if __name__ == "__main__":
    unittest.main()
