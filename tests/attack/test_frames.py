"""Hostile bytes on a native port, against the real binary.

Whatever can be read is answered with a clear error and the host lives on; what cannot be read any further ends with the
bye that `docs/protocol.md` names. A clean end of input ends the process.
"""

import json
import random
import struct
import unittest

from native_port import END, META, Port, World, chunks_of

PARSE_ERROR, INVALID_REQUEST, UNKNOWN_METHOD, BAD_PARAMS = -32700, -32600, -32601, -32602


class Frames(unittest.TestCase):
    def setUp(self):
        self.world = World()
        self.addCleanup(self.world.close)

    def port(self, hello: bool = True) -> Port:
        port = Port(self.world)
        self.addCleanup(port.close)
        if hello:
            port.hello()
        return port

    def assert_refused(self, port: Port, request_id, code: int):
        answer = port.receive()
        self.assertIsNot(answer, END, "the host ended")
        self.assertEqual((answer.get("id"), answer.get("error", {}).get("code")), (request_id, code), answer)
        self.assertTrue(answer["error"]["message"])
        return answer["error"]["message"]

    def assert_bye(self, port: Port, code: int, reason: str):
        bye = port.receive()
        self.assertIsNot(bye, END, "the host ended without a bye")
        self.assertEqual(bye.get("method"), "notifications/outrigger/bye", bye)
        self.assertEqual((bye["params"]["code"], bye["params"]["reason"]), (code, reason))
        self.assertTrue(bye["params"]["message"])
        self.assertIs(port.receive(), END)
        port.process.wait(timeout=10)

    def test_what_is_no_json_is_answered_and_the_host_lives_on(self):
        port = self.port()
        for body in (b"", b"\0", b"nonsense", b"{", b'{"jsonrpc":', b'"open', b"\xff\xfe\xfd", b"{}{}", b"\xef\xbb\xbf{}", b"NaN", b"[1,"):
            with self.subTest(body=body):
                port.send_body(body)
                self.assert_refused(port, None, PARSE_ERROR)
        port.assert_lives()

    def test_the_id_is_found_where_there_is_one(self):
        port = self.port()
        for body, request_id in (
            (b'{"jsonrpc":"2.0","id":41,"method":"tools/list","params":{', 41),
            (b'{"jsonrpc":"2.0","id":"forty-two","method":nonsense}', "forty-two"),
            (b'{"params":{"id":1},"id":43,"method":}', 43),
        ):
            with self.subTest(body=body):
                port.send_body(body)
                self.assert_refused(port, request_id, PARSE_ERROR)
        port.assert_lives()

    def test_lone_surrogates_and_broken_utf8_are_refused_and_no_file_is_made(self):
        port = self.port()
        for name in (b"\\ud800", b"\\udfff\\ud800", b"a\\ud83dz", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf5\x80\x80\x80"):
            with self.subTest(name=name):
                port.send_body(
                    b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"fs_write","arguments":{"path":"'
                    + name
                    + b'","content":"x"},"_meta":'
                    + json.dumps(META).encode()
                    + b"}}"
                )
                self.assert_refused(port, 7, PARSE_ERROR)
        port.assert_lives()
        self.assertEqual(sorted(entry.name for entry in self.world.workspace.iterdir()), ["greeting.txt"])

    def test_deep_nesting_is_refused_without_a_crash(self):
        port = self.port()
        for opening, closing in ((b"[", b"]"), (b'{"a":', b"}")):
            for depth in (200, 10_000, 1_000_000):
                for complete in (True, False):
                    with self.subTest(opening=opening, depth=depth, complete=complete):
                        tail = b"0" + closing * depth + b"}" if complete else b""
                        port.send_body(b'{"jsonrpc":"2.0","id":8,"method":"tools/list","params":' + opening * depth + tail)
                        self.assert_refused(port, 8, PARSE_ERROR)
        port.assert_lives()

    def test_what_is_no_request_is_refused(self):
        port = self.port()
        for message, request_id in (
            ([], None),
            ([{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}], None),
            (5, None),
            (None, None),
            ("text", None),
            ({}, None),
            ({"id": 1, "method": "tools/list"}, 1),
            ({"jsonrpc": "1.0", "id": 2, "method": "tools/list"}, 2),
            ({"jsonrpc": "2.0", "id": 3}, 3),
            ({"jsonrpc": "2.0", "id": 4, "method": 9}, 4),
            ({"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": [1]}, 5),
            ({"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": "x"}, 5),
            ({"jsonrpc": "2.0", "id": None, "method": "tools/list"}, None),
            ({"jsonrpc": "2.0", "id": 1.5, "method": "tools/list"}, None),
            ({"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}, None),
        ):
            with self.subTest(message=message):
                port.send(message)
                self.assert_refused(port, request_id, INVALID_REQUEST)
        port.assert_lives()

    def test_unknown_methods_and_wrong_parameters_are_told_apart(self):
        port = self.port()
        self.assertEqual(port.request("no/such/method")["error"]["code"], UNKNOWN_METHOD)
        self.assertEqual(port.request("outrigger/no/such")["error"]["code"], UNKNOWN_METHOD)
        self.assertEqual(port.request("outrigger/calls/get", {"cal": "x"})["error"]["code"], BAD_PARAMS)
        self.assertEqual(port.request("tools/call", {"name": 5})["error"]["code"], BAD_PARAMS)
        self.assertIn("error", port.request("tools/call", {"name": "fs_raed", "arguments": {}}))
        port.assert_lives()

    def test_a_duplicate_id_in_flight_is_refused_and_the_first_is_answered(self):
        port = self.port()
        (self.world.workspace / "many").mkdir()
        for index in range(400):
            (self.world.workspace / "many" / f"{index}.txt").write_text("needle\n" * 50)
        call = {
            "jsonrpc": "2.0",
            "id": "twice",
            "method": "tools/call",
            "params": {"name": "search_grep", "arguments": {"pattern": "needle", "limit": 20_000}, "_meta": META},
        }
        body = json.dumps(call).encode()
        frame = struct.pack("=I", len(body)) + body
        port.send_raw(frame * 2)
        answers = [port.receive(), port.receive()]
        self.assertEqual([answer["id"] for answer in answers], ["twice", "twice"])
        refused = [answer for answer in answers if "error" in answer]
        self.assertEqual([answer["error"]["code"] for answer in refused], [INVALID_REQUEST], [str(answer)[:200] for answer in answers])
        port.send_raw(frame)
        self.assertIn("result", port.receive(), "once answered, the id is free again")
        port.assert_lives()

    def test_answers_and_notifications_nobody_asked_for_change_nothing(self):
        port = self.port()
        for message in (
            {"jsonrpc": "2.0", "id": 77, "result": {}},
            {"jsonrpc": "2.0", "id": "x", "error": {"code": 1, "message": "no"}},
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "nothing"}},
            {"jsonrpc": "2.0", "method": "notifications/no/such"},
            {"jsonrpc": "2.0", "method": "notifications/outrigger/bye", "params": {"code": 1}},
        ):
            port.send(message)
        port.assert_lives()

    def test_a_second_hello_and_a_call_before_hello_do_no_harm(self):
        port = self.port(hello=False)
        port.assert_lives()
        first = port.hello()
        self.assertEqual(port.hello()["instance_id"], first["instance_id"])
        port.assert_lives()

    def test_a_version_without_overlap_is_said(self):
        port = self.port(hello=False)
        port.send({
            "jsonrpc": "2.0",
            "id": "hello",
            "method": "outrigger/hello",
            "params": {"client": {"name": "old", "version": "9"}, "protocol": {"min": 900, "max": 901}},
        })
        self.assert_refused(port, "hello", -32050)

    def test_torn_frames_end_with_a_bye(self):
        for data in (b"\1", b"\1\0\0", struct.pack("=I", 100) + b"{", struct.pack("=I", 60_000_000) + b"x" * 1000):
            with self.subTest(data=data[:8]):
                port = self.port()
                port.send_raw(data)
                port.process.stdin.close()
                self.assert_bye(port, 2, "torn_frame")

    def test_a_length_above_the_limit_ends_with_a_bye_and_no_memory_is_taken_for_it(self):
        for length in (64 * 1024 * 1024 + 1, 2**31, 2**32 - 1):
            with self.subTest(length=length):
                port = self.port()
                port.send_raw(struct.pack("=I", length))
                self.assert_bye(port, 3, "frame_too_long")

    def test_an_announced_length_takes_no_memory_before_its_bytes_come(self):
        port = self.port()
        before = resident_kib(port)
        port.send_raw(struct.pack("=I", 60_000_000) + b" " * 100_000)
        # Nothing is answered yet: the second look is taken when the host has surely read what is there.
        port.process.stdin.flush()
        with self.assertRaises(AssertionError):
            port.receive(timeout=0.5)
        self.assertLess(resident_kib(port) - before, 20_000)

    def test_frames_may_come_byte_by_byte_or_many_at_once(self):
        port = self.port()
        body = json.dumps({"jsonrpc": "2.0", "id": "slow", "method": "outrigger/workspaces/list", "params": {"_meta": META}}).encode()
        for byte in struct.pack("=I", len(body)) + body:
            port.send_raw(bytes([byte]))
        self.assertIn("result", port.receive())
        bodies = [json.dumps({"jsonrpc": "2.0", "id": index, "method": "outrigger/workspaces/list", "params": {"_meta": META}}).encode() for index in range(200)]
        port.send_raw(b"".join(struct.pack("=I", len(one)) + one for one in bodies))
        self.assertEqual(sorted(port.receive()["id"] for _ in bodies), list(range(200)))

    def test_a_large_valid_message_in_one_frame_is_taken(self):
        port = self.port()
        answer = port.request("tools/call", {"name": "fs_read", "arguments": {"path": "x" * 5_000_000}})
        self.assertIn("jsonrpc", answer)
        self.assertFalse(answer.get("result", {}).get("structuredContent", {}).get("ok", False))
        port.assert_lives()
        self.assertLessEqual(port.largest_frame, 1_000_000)

    def test_random_bytes_in_frames_never_end_the_host(self):
        port = self.port()
        dice = random.Random(20261120)
        for _ in range(300):
            port.send_body(dice.randbytes(dice.randrange(0, 300)))
            answer = port.receive()
            self.assertIn("error", answer)
        port.assert_lives()

    def test_mutated_requests_never_end_the_host(self):
        port = self.port()
        dice = random.Random(7)
        good = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "fs_read", "arguments": {"path": "greeting.txt"}, "_meta": META}}).encode()
        for _ in range(400):
            body = bytearray(good)
            for _ in range(dice.randrange(1, 6)):
                at = dice.randrange(len(body))
                match dice.randrange(3):
                    case 0:
                        body[at] = dice.randrange(256)
                    case 1:
                        del body[at]
                    case 2:
                        body.insert(at, dice.randrange(256))
            port.send_body(bytes(body))
        port.assert_lives()

    def test_a_clean_end_of_input_ends_the_process_at_once(self):
        port = self.port()
        port.assert_lives()
        # The budget is 200 ms; the margin is for a loaded machine.
        self.assertLess(port.end(), 1.0)
        self.assertEqual(port.process.returncode, 0)

    def test_an_end_of_input_before_anything_was_said_ends_the_process(self):
        self.assertLess(self.port(hello=False).end(), 1.0)

    def test_an_output_that_nobody_reads_does_not_keep_the_process(self):
        """A browser that stops reading and closes: the writer is stuck, the reader must still see the end."""
        (self.world.workspace / "large.txt").write_text("0123456789\n" * 400_000)
        import subprocess

        from native_port import BINARY, CALLER

        process = subprocess.Popen([BINARY, CALLER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=self.world.environment)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        self.addCleanup(process.stdout.close)
        arguments = {"path": "large.txt", "limit": 1_000_000, "max_bytes": 16_000_000}
        for index in range(4):
            body = json.dumps({"jsonrpc": "2.0", "id": index, "method": "tools/call", "params": {"name": "fs_read", "arguments": arguments, "_meta": META}}).encode()
            process.stdin.write(struct.pack("=I", len(body)) + body)
        process.stdin.flush()
        process.stdin.close()
        process.wait(timeout=5)


class Chunks(unittest.TestCase):
    def setUp(self):
        self.world = World()
        self.addCleanup(self.world.close)
        self.port = Port(self.world)
        self.addCleanup(self.port.close)
        self.port.hello()

    def call(self, request_id, content: str):
        return {
            "jsonrpc": "2.0",
            "id": request_id,
            "method": "tools/call",
            "params": {"name": "fs_write", "arguments": {"path": "new.txt", "content": content}, "_meta": META},
        }

    def refused(self):
        answer = self.port.receive()
        self.assertIsNot(answer, END)
        self.assertEqual((answer.get("id"), answer.get("error", {}).get("code")), (None, INVALID_REQUEST), str(answer)[:300])
        return answer["error"]["message"]

    def test_two_messages_may_come_interleaved_with_a_small_one_between(self):
        left, right = chunks_of(self.call("left", "a" * 900_000), "l"), chunks_of(self.call("right", "b" * 900_000), "r")
        for one, other in zip(left, right, strict=True):
            self.port.send(one)
            self.port.assert_lives()
            self.port.send(other)
        answers = {answer["id"]: answer for answer in (self.port.receive(), self.port.receive())}
        self.assertEqual(set(answers), {"left", "right"})
        for answer in answers.values():
            self.assertEqual(answer["result"]["resultType"], "input_required", str(answer)[:300])

    def test_abuse_of_chunks_is_refused_and_the_group_forgotten(self):
        good = chunks_of(self.call("x", "c" * 500_000), "g")
        self.assertGreater(len(good), 2)

        def changed(which: int, **fields):
            return {"chunk": {**good[which]["chunk"], **fields}}

        for name, frames in {
            "begins in the middle": [good[1]],
            "skips one": [good[0], good[2]],
            "repeats one": [good[0], good[1], good[1]],
            "changes its count": [good[0], changed(1, count=99)],
            "has no pieces": [changed(0, count=0)],
            "negative index": [changed(0, index=-1)],
            "index is text": [changed(0, index="0")],
            "no data": [{"chunk": {"id": "g", "index": 0, "count": 2}}],
            "unknown field": [changed(0, extra=1)],
            "is no object": [{"chunk": 5}],
            "huge count": [changed(0, count=2**40)],
        }.items():
            with self.subTest(name):
                for frame in frames:
                    self.port.send(frame)
                self.assertTrue(self.refused())
        self.port.assert_lives()
        # The name of a dropped group is free again, and a whole message under it is taken.
        for frame in good:
            self.port.send(frame)
        self.assertEqual(self.port.receive()["result"]["resultType"], "input_required")

    def test_a_wrong_or_missing_checksum_drops_the_message(self):
        for checksum in ("0" * 64, "", None):
            with self.subTest(checksum=checksum):
                frames = chunks_of(self.call("x", "d" * 300_000), "sum")
                if checksum is None:
                    del frames[-1]["chunk"]["sha256"]
                else:
                    frames[-1]["chunk"]["sha256"] = checksum
                for frame in frames:
                    self.port.send(frame)
                self.assertIn("sum", self.refused())
        self.port.assert_lives()

    def test_at_most_eight_groups_are_open(self):
        for index in range(8):
            self.port.send({"chunk": {"id": f"open-{index}", "index": 0, "count": 2, "data": "x"}})
        self.port.send({"chunk": {"id": "one-more", "index": 0, "count": 2, "data": "x"}})
        self.assertIn("one-more", self.refused())
        self.port.assert_lives()

    def test_a_joined_message_above_the_limit_is_dropped(self):
        data = "e" * 8_000_000
        for index in range(9):
            self.port.send({"chunk": {"id": "big", "index": index, "count": 20, "data": data}})
        self.assertIn("big", self.refused())
        self.port.assert_lives()

    def test_rubbish_in_chunks_is_answered_like_rubbish_in_a_frame(self):
        import hashlib

        for text, code in (("not json", PARSE_ERROR), ("[]", INVALID_REQUEST), ('{"chunk":{"id":"in","index":0,"count":1,"data":""}}', INVALID_REQUEST)):
            with self.subTest(text=text):
                self.port.send({"chunk": {"id": "r", "index": 0, "count": 1, "data": text, "sha256": hashlib.sha256(text.encode()).hexdigest()}})
                self.assertEqual(self.port.receive()["error"]["code"], code)
        self.port.assert_lives()


def resident_kib(port: Port) -> int:
    with open(f"/proc/{port.process.pid}/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS:"))


if __name__ == "__main__":
    unittest.main()
