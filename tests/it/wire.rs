//! The wire: hello, MCP over frames, rubbish, bye, the end.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::Stdio,
    time::Duration,
};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

#[test]
fn hello_then_the_tools_are_listed() {
    let world = World::new("");
    let mut port = world.connect();
    let hello = port.hello();
    assert_eq!(hello["resultType"], "complete");
    assert_eq!(hello["pid"], port.child.id());
    assert_eq!(hello["config"]["ok"], true);
    assert_eq!(hello["caller"]["family"], "chromium");
    let list = port.request("tools/list", json!({}));
    let tools = list["result"]["tools"].as_array().unwrap();
    assert!(tools.iter().any(|tool| tool["name"] == "fs_read"));
    for tool in tools {
        assert!(tool["_meta"]["dev.outrigger/tier"].is_string(), "{tool:#}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false);
        assert_eq!(tool["outputSchema"]["required"], json!(["ok"]));
    }
    let discover = port.request("server/discover", json!({}));
    assert!(discover["result"]["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")));
}

#[test]
fn rubbish_is_answered_and_the_host_lives_on() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let deep = format!("{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"x\",\"params\":{}", "[".repeat(4000));
    for (body, id, code) in [
        (&b""[..], Value::Null, -32700),
        (b"not json", Value::Null, -32700),
        (b"{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"\\ud800\"}", json!(5), -32700),
        (deep.as_bytes(), json!(9), -32700),
        (b"[]", Value::Null, -32600),
        (b"{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"no/such\"}", json!(6), -32601),
        (b"{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"outrigger/no/such\",\"params\":{}}", json!(8), -32601),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":5}}",
            json!(7),
            -32602,
        ),
        (b"{\"chunk\":{\"id\":\"g\",\"index\":1,\"count\":2,\"data\":\"\"}}", Value::Null, -32600),
    ] {
        port.send_body(body);
        let answer = port.receive().unwrap();
        assert_eq!((&answer["id"], answer["error"]["code"].as_i64()), (&id, Some(code)), "{answer}");
        assert!(!answer["error"]["message"].as_str().unwrap().is_empty());
    }
    assert_eq!(port.call("workspace_info", json!({}))["structuredContent"]["ok"], true);
    let unknown = port.request("outrigger/no/such", json!({}));
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    for list in ["tools/list", "resources/list", "resources/templates/list"] {
        assert_eq!(port.request(list, json!({"cursor": "forged"}))["error"]["code"], -32602, "{list}");
        assert!(port.request(list, json!({"cursor": ""})).get("result").is_some(), "{list}");
    }
    let bad = port.request("outrigger/calls/get", json!({"cal": "x"}));
    assert_eq!(bad["error"]["code"], -32602, "{bad}");
    let tool = port.request("tools/call", json!({"name": "fs_raed", "arguments": {}}));
    assert_eq!(tool["error"]["message"], "there is no tool `fs_raed`; did you mean `fs_read`?");
}

#[test]
fn a_torn_frame_and_an_impossible_length_end_with_a_bye() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    port.send_raw(&u32::MAX.to_ne_bytes());
    assert_eq!(port.receive().unwrap()["params"]["reason"], "frame_too_long");
    assert_eq!(port.receive(), None);
}

#[test]
fn a_line_too_long_is_answered_and_the_next_one_read() {
    let world = World::new("");
    let pipe = Stdio::piped;
    let mut host = world.command().arg("mcp").stdin(pipe()).stdout(pipe()).spawn().unwrap();
    let mut output = BufReader::new(host.stdout.take().unwrap()).lines();
    let mut input = host.stdin.take().unwrap();
    let path = "x".repeat(outrigger::limits::INBOUND_FRAME_BYTES + 1024 * 1024);
    let mut answer = |line: &str| -> Value {
        writeln!(input, "{line}").unwrap();
        serde_json::from_str(&output.next().unwrap().unwrap()).unwrap()
    };
    let refused = answer(&json!({"id": 1, "path": path}).to_string());
    assert_eq!(
        (&refused["id"], &refused["error"]["message"]),
        (&json!(1), &json!("the message is longer than 67108864 bytes; it is dropped"))
    );
    assert_eq!(answer(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#)["id"], 2);
    drop(input);
    assert!(host.wait().unwrap().success());
}

#[test]
fn what_comes_before_the_revision_is_known_ends_nothing() {
    let probe = json!({"_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}}});
    for first in [
        json!({"method": "ping"}),
        json!({"method": "tools/list"}),
        json!({"method": "no/such"}),
        json!({"method": "server/discover", "params": probe}),
    ] {
        let world = World::new("");
        let mut port = world.connect();
        let mut request = json!({"jsonrpc": "2.0", "id": 1});
        request.as_object_mut().unwrap().extend(first.as_object().unwrap().clone());
        port.send(&request);
        port.answer_to(&json!(1));
        // A client that gives up a probe says so, and goes on with the handshake that it knows.
        let cancelled = json!({"requestId": 1, "reason": "timeout"});
        port.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled}));
        port.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"}});
        port.send(&json!({"jsonrpc": "2.0", "id": 2, "method": "initialize", "params": hello}));
        assert_eq!(port.answer_to(&json!(2))["result"]["protocolVersion"], "2025-06-18", "{first}");
    }
}

/// A request that is refused for its id never comes to rmcp, so it is no beginning of anything, and what comes next ends nothing.
#[test]
fn a_request_that_is_refused_begins_nothing() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"}});
    let mut all = Vec::new();
    for message in [
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}}),
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}),
    ] {
        let body = message.to_string();
        all.extend_from_slice(&u32::try_from(body.len()).unwrap().to_ne_bytes());
        all.extend_from_slice(body.as_bytes());
    }
    port.send_raw(&all);
    let errors =
        [port.answer_to(&json!(1)), port.answer_to(&json!(1))].map(|answer| answer["error"]["code"].clone());
    assert!(errors.contains(&json!(-32600)), "{errors:?}");
    assert!(port.request("tools/list", json!({}))["result"].is_object());
}

#[test]
fn what_is_quick_to_answer_is_answered_though_the_input_has_ended() {
    let world = World::new("");
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let lines = [
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}),
        json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        json!({"jsonrpc": "2.0", "id": 2, "method": "tools/list"}),
    ]
    .map(|line| line.to_string())
    .join("\n");
    // A machine that is busy with something else may be later than the end can wait.
    let is_answered = (0..20).any(|attempt| {
        let pipe = Stdio::piped;
        let mut host = world.command().arg("mcp").stdin(pipe()).stdout(pipe()).spawn().unwrap();
        let end = if attempt % 2 == 0 { "" } else { "\n" };
        host.stdin.take().unwrap().write_all(format!("{lines}{end}").as_bytes()).unwrap();
        let output = host.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
        let answers = String::from_utf8(output.stdout).unwrap();
        let ids = answers.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["id"].clone());
        ids.collect::<Vec<_>>() == [json!(1), json!(2)]
    });
    assert!(is_answered);
}

#[test]
fn the_end_of_input_ends_the_host_at_once() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    port.call("workspace_info", json!({}));
    // The budget is 200 ms; the margin is for a loaded machine.
    assert!(port.close() < Duration::from_millis(1500));
}

#[test]
fn whoever_said_hello_hears_a_bye_at_the_end_of_its_input() {
    let world = World::new("");
    for says_hello in [true, false] {
        let mut port = world.connect();
        if says_hello {
            port.hello();
        }
        port.end_input();
        let said = port.receive().map(|bye| (bye["method"].clone(), bye["params"]["code"].clone()));
        let expected = (json!("notifications/outrigger/bye"), json!(1));
        assert_eq!(said, says_hello.then_some(expected));
        assert_eq!(port.receive(), None);
    }
}

#[test]
fn a_method_of_ours_says_that_its_parameters_do_not_fit() {
    let world = World::new("");
    let mut port = world.connect();
    for params in [json!([]), json!("s"), json!(1), Value::Null] {
        for method in ["outrigger/turns/list", "outrigger/calls/get", "outrigger/hello"] {
            port.send(&json!({"jsonrpc": "2.0", "id": method, "method": method, "params": params}));
            let answer = port.answer_to(&json!(method));
            assert_eq!(answer["error"]["code"], -32602, "{params}: {answer:#}");
        }
    }
}

#[test]
fn a_stranger_hears_why_it_is_not_served() {
    let world = World::new("");
    let mut port = Port::spawn(world.command().arg("chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/"));
    // Not even hello is answered: it would name the configuration.
    port.try_send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "outrigger/hello", "params": {"protocol": {"min": 1, "max": 1}}}));
    let bye = port.receive().unwrap();
    assert_eq!(
        (bye["params"]["code"].as_i64(), &bye["params"]["reason"]),
        (Some(5), &json!("caller_not_allowed"))
    );
    assert_eq!(port.receive(), None);
}

#[test]
fn an_extension_whose_list_cannot_be_read_hears_that() {
    let origin = "chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/";
    let world = World::new(&format!("[extensions]\nallow = [\"{origin}\"]\nbroken"));
    let bye = Port::spawn(world.command().arg(origin)).receive().unwrap();
    assert_eq!(bye["params"]["reason"], "caller_not_allowed");
    let message = bye["params"]["message"].as_str().unwrap();
    assert!(message.contains("the configuration") && message.contains("cannot be used"), "{message}");
    assert!(message.contains("`outrigger config check`"), "{message}");
    // Who is not served does not hear where it stands.
    assert!(!message.contains("config.toml"), "{message}");
}

#[test]
fn a_broken_configuration_serves_nothing_but_its_error() {
    let world = World::new("blokced = 1");
    let mut port = world.connect();
    let hello = port.hello();
    assert_eq!(hello["config"]["ok"], false);
    assert_eq!(hello["config"]["error"]["line"], 5, "{hello:#}");
    let list = port.request("tools/list", json!({}));
    assert_eq!(list["error"]["code"], -32051, "{list}");
}

#[test]
fn a_large_message_goes_both_ways_and_small_ones_pass_it() {
    let world = World::new("");
    let text = "0123456789abcdef \"quoted\" \\ 漢字\n".repeat(40_000);
    world.write("large.txt", &text);
    let mut port = world.connect();
    port.hello();
    let id = port.begin(
        "tools/call",
        json!({"name": "fs_read", "arguments": {"path": "large.txt", "limit": 1_000_000, "max_bytes": 16_000_000, "line_numbers": false}}),
    );
    let answer = port.answer_to(&id);
    let read = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(read.len() >= text.len(), "{} of {} bytes", read.len(), text.len());

    // The other way: a call whose arguments are larger than a frame should be, in chunks.
    let arguments = json!({"path": "copy.txt", "content": text});
    let call = json!({"jsonrpc": "2.0", "id": "big", "method": "tools/call", "params": {"name": "fs_write", "arguments": arguments,
        "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}}});
    for frame in outrigger::native::chunk::Splitter::new("g1".into(), call.to_string()) {
        port.send(&serde_json::to_value(frame).unwrap());
    }
    let answer = port.answer_to(&json!("big"));
    assert_eq!(answer["result"]["resultType"], "input_required");
    let plan = &answer["result"]["_meta"]["dev.outrigger/plan"];
    assert_eq!(plan["preview"]["files"][0]["after_bytes"], text.len());
}

/// Both answers to a call, without what differs from call to call: the short way's, and the long way's. A parameter that MCP does
/// not know makes a call take the long way.
fn both_ways(port: &mut Port, params: &Value) -> (Value, Value) {
    let mut ask = |params: Value| {
        port.next_id += 1;
        let id = json!(port.next_id);
        port.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        let mut answer = port.answer_to(&id);
        answer["id"] = json!(0);
        if let Some(taken) = answer.pointer_mut("/result/structuredContent/duration_ms") {
            *taken = json!(0);
        }
        // The same call fails twice as often here as it does in life.
        if answer.to_string().contains("this exact call has failed") {
            answer["result"]["content"] = json!("again");
            answer["result"]["structuredContent"]["hint"] = json!("again");
        }
        answer
    };
    let mut long = params.clone();
    long["dev.outrigger.test/long"] = json!(1);
    (ask(params.clone()), ask(long))
}

#[test]
fn short_reads_answer_in_the_words_of_the_long_way() {
    let world = World::new("");
    world.write("a.txt", "one\n\"two\"\u{1f980}\u{7f}\u{1}\n");
    world.write("large.txt", "line\n".repeat(100_000));
    world.write("medium.txt", "a \"quoted\" line\u{1f980}\n".repeat(1900));
    world.write("leaky.txt", format!("ghp_{}\n{}", "a1B2".repeat(9), "line\n".repeat(9000)));
    world.write("bin", b"\x00\x01\x02");
    world.write("dot.png", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR");
    world.write(".env", "SECRET=1");
    world.write("my_secret_token.txt", "x");
    let meta = |more: Value| {
        let mut meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}});
        meta.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        meta
    };
    let calls = [
        json!({"path": "a.txt"}),
        json!({"path": "a.txt", "start_line": 2, "limit": 1, "line_numbers": false}),
        json!({"path": "a.txt", "start_line": 0}),
        json!({"path": "a.txt", "start_line": 99}),
        json!({"path": "a.txt", "colour": "red"}),
        json!({"path": 7}),
        json!({}),
        json!(null),
        json!({"path": "large.txt"}),
        json!({"path": "medium.txt", "line_numbers": false}),
        json!({"path": "leaky.txt"}),
        json!({"path": "bin"}),
        json!({"path": "dot.png"}),
        json!({"path": "no.txt"}),
        json!({"path": ".env"}),
        json!({"path": "../x"}),
        json!({"path": "."}),
    ];
    let key = || outrigger::ids::new_ulid();
    let metas = [
        json!({}),
        json!({"dev.outrigger/workspace": "app", "dev.outrigger/call": key(), "dev.outrigger/mode": "plan", "progressToken": 5}),
        json!({"dev.outrigger/workspace": "nowhere"}),
        json!({"dev.outrigger/workspace": 5}),
        json!({"dev.outrigger/call": "no ulid"}),
        json!({"dev.outrigger/mode": "yolo"}),
    ];
    let mut port = world.connect();
    port.hello();
    for more in &metas {
        for arguments in &calls {
            let params = json!({"name": "fs_read", "arguments": arguments, "_meta": meta(more.clone())});
            let (short, long) = both_ways(&mut port, &params);
            assert_eq!(short, long, "{params:#}");
        }
    }
    // What has to be asked is asked, and only ids, seals and times differ.
    let asked =
        json!({"name": "fs_read", "arguments": {"path": "my_secret_token.txt"}, "_meta": meta(json!({}))});
    let (short, long) = both_ways(&mut port, &asked);
    assert_eq!(short["result"]["resultType"], "input_required", "{short:#}");
    assert_eq!(short["result"]["inputRequests"], long["result"]["inputRequests"]);
    // A client of an older revision says once what it is.
    let mut port = world.connect();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "0"}});
    port.send(&json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}));
    port.answer_to(&json!(0));
    port.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    for arguments in &calls {
        let params = json!({"name": "fs_read", "arguments": arguments});
        let (short, long) = both_ways(&mut port, &params);
        assert_eq!(short, long, "{params:#}");
    }
}

/// Calls that are sent at once and wait for the same answer of a person make each other's plans old.
#[test]
fn a_plan_that_never_holds_says_what_would_work() {
    let world = World::new("");
    world.write("a.txt", "0");
    let mut port = world.connect();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "0"}});
    port.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}));
    port.answer_to(&json!("hello"));
    port.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let arguments = json!({"path": "a.txt", "content": "x", "mode": "append"});
    let params = json!({"name": "fs_write", "arguments": arguments});
    port.send(&json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params}));
    for round in 1..=3 {
        let asked = std::iter::from_fn(|| port.receive())
            .find(|message| message["method"] == "elicitation/create")
            .unwrap();
        world.write("a.txt", round.to_string());
        let yes = json!({"action": "accept", "content": {"decision": "allow"}});
        port.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": yes}));
    }
    let refused = port.answer_to(&json!("call"));
    let told = &refused["result"]["structuredContent"];
    assert_eq!(told["code"], "approval_stale", "{refused:#}");
    assert!(told["message"].as_str().unwrap().contains("something else changed the same files"), "{told:#}");
    assert!(told["hint"].as_str().unwrap().contains("one after the other"), "{told:#}");
    assert_eq!(world.read("a.txt"), "3");
}

/// A client that says it cannot ask has denied nothing.
#[test]
fn a_question_that_is_answered_with_an_error_was_not_asked() {
    let world = World::new("");
    let mut port = world.connect();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "0"}});
    port.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}));
    port.answer_to(&json!("hello"));
    port.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let params = json!({"name": "fs_write", "arguments": {"path": "new", "content": "x"}});
    port.send(&json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params}));
    let asked = std::iter::from_fn(|| port.receive())
        .find(|message| message["method"] == "elicitation/create")
        .unwrap();
    let error = json!({"code": -32601, "message": "no elicitation here"});
    port.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": error}));
    let told = port.answer_to(&json!("call"))["result"]["structuredContent"].clone();
    assert_eq!(told["code"], "approval_unavailable", "{told}");
    assert!(told["message"].as_str().unwrap().contains("no elicitation here"), "{told}");
    assert!(!world.workspace().join("new").exists());
}

/// Eight groups may be open; one of which something unusable came is not.
#[test]
fn an_unusable_chunk_ends_its_group() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    for number in 0..8 {
        let id = format!("g{number}");
        port.send(&json!({"chunk": {"id": id, "index": 0, "count": 2, "data": "x"}}));
        port.send(&json!({"chunk": {"id": id, "index": 1, "count": 2, "data": "y", "sha256": 5}}));
        let told = port.receive().unwrap();
        assert!(told["error"]["message"].as_str().unwrap().contains("its group is dropped"), "{told}");
    }
    port.send(&json!({"chunk": {"id": "new", "index": 0, "count": 2, "data": "x"}}));
    port.send(&json!({"chunk": {"id": "new", "index": 1, "count": 2, "data": "y", "sha256": "00"}}));
    let told = port.receive().unwrap();
    assert!(told["error"]["message"].as_str().unwrap().contains("SHA-256"), "{told}");
}

#[test]
fn an_answer_that_cannot_be_read_is_a_no() {
    let world = World::new("");
    let mut port = world.connect();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "0"}});
    port.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}));
    port.answer_to(&json!("hello"));
    port.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let yes = json!({"action": "accept", "content": {"decision": "allow"}});
    let error = json!({"code": -1, "message": "no"});
    for answer in [
        json!({"result": yes, "error": error}),
        json!({"result": "yes"}),
        json!({"error": "no"}),
        json!({"result": yes, "error": null}),
    ] {
        let params = json!({"name": "fs_write", "arguments": {"path": "new", "content": "x"}});
        port.send(&json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params}));
        let asked = std::iter::from_fn(|| port.receive())
            .find(|message| message["method"] == "elicitation/create")
            .unwrap();
        let mut answer = answer;
        answer["jsonrpc"] = json!("2.0");
        answer["id"] = asked["id"].clone();
        port.send(&answer);
        let refused = port.answer_to(&json!("call"));
        assert_eq!(refused["result"]["structuredContent"]["code"], "approval_denied", "{answer}: {refused}");
    }
    assert!(!world.workspace().join("new").exists());
}

/// The id of an answer is that of the question, as it was written: a yes to something else is none.
#[test]
fn an_answer_to_something_else_is_no_yes() {
    let world = World::new("");
    let mut port = world.connect();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "0"}});
    port.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}));
    port.answer_to(&json!("hello"));
    port.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let answer = |decision: &str| json!({"action": "accept", "content": {"decision": decision}});
    for spell in [|id: i64| json!(id.to_string()), |id| json!(format!("0{id}")), |id| json!(id as f64)] {
        let params = json!({"name": "fs_write", "arguments": {"path": "new", "content": "x"}});
        port.send(&json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params}));
        let asked = std::iter::from_fn(|| port.receive())
            .find(|message| message["method"] == "elicitation/create")
            .unwrap();
        let other = spell(asked["id"].as_i64().unwrap());
        port.send(&json!({"jsonrpc": "2.0", "id": other, "result": answer("allow")}));
        port.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": answer("deny")}));
        let refused = port.answer_to(&json!("call"));
        assert_eq!(refused["result"]["structuredContent"]["code"], "approval_denied", "{other}: {refused}");
    }
    assert!(!world.workspace().join("new").exists());
}

/// A client gives up on what it hears nothing of, and starts its clock anew at each progress; that has to grow.
#[test]
fn a_call_that_waits_for_its_person_says_so() {
    let world = World::new("");
    let mut port = world.connect();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "0"}});
    port.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}));
    port.answer_to(&json!("hello"));
    port.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    let params = json!({"name": "fs_write", "arguments": {"path": "new", "content": "x"}, "_meta": {"progressToken": "t"}});
    port.send(&json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": params}));
    let (mut asked, mut told) = (None, None);
    while asked.is_none() || told.is_none() {
        let message = port.receive().unwrap();
        match message["method"].as_str() {
            Some("elicitation/create") => asked = Some(message["id"].clone()),
            Some("notifications/progress") => told = Some(message["params"].clone()),
            _ => panic!("{message}"),
        }
    }
    assert_eq!(told.unwrap()["message"], "waits for an answer to its question");
    let yes = json!({"action": "accept", "content": {"decision": "allow"}});
    port.send(&json!({"jsonrpc": "2.0", "id": asked, "result": yes}));
    assert_eq!(port.answer_to(&json!("call"))["result"]["structuredContent"]["ok"], true);
}
