//! A peer that asks for much and reads little: the host makes no more than it takes, and a cancel passes whatever is under way.

use std::{
    fs,
    io::{Read, Write as _},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::native::World;

/// What may wait for a peer that does not read, and what is being made meanwhile: far below what is asked for here.
const BOUND_KIB: u64 = 250 * 1024;

fn frame(message: &Value) -> Vec<u8> {
    let body = message.to_string();
    [&u32::try_from(body.len()).unwrap().to_ne_bytes()[..], body.as_bytes()].concat()
}

fn hello() -> Value {
    json!({"jsonrpc": "2.0", "id": "hello", "method": "outrigger/hello", "params": {"protocol": {"min": 1, "max": 1}}})
}

/// A request as a current client sends it.
fn request(id: &str, method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2026-07-28");
    params["_meta"]["io.modelcontextprotocol/clientInfo"] = json!({"name": "test", "version": "0"});
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {}});
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A host whose output nobody reads until a test does.
fn unread(world: &World) -> Child {
    let mut command = world.command();
    command.arg(&outrigger::native::caller::own_extensions()[0]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::inherit()).spawn().unwrap()
}

/// The most memory that the host ever held, once it asks for no more.
fn settled_peak(child: &Child) -> u64 {
    let peak = || {
        let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap()
    };
    let (mut last, mut since) = (peak(), Instant::now());
    while since.elapsed() < Duration::from_secs(3) && last < 4 * BOUND_KIB {
        thread::sleep(Duration::from_millis(50));
        let now = peak();
        if now != last {
            (last, since) = (now, Instant::now());
        }
    }
    last
}

/// The next frame.
fn next(output: &mut impl Read) -> Value {
    serde_json::from_slice(&next_body(output)).unwrap()
}

fn next_body(output: &mut impl Read) -> Vec<u8> {
    let mut header = [0; 4];
    output.read_exact(&mut header).unwrap();
    let mut body = vec![0; u32::from_ne_bytes(header) as usize];
    output.read_exact(&mut body).unwrap();
    body
}

/// Reads until so many large messages have come whole.
fn read_groups(child: &mut Child, count: usize) {
    let output = child.stdout.as_mut().unwrap();
    let mut whole = 0;
    while whole < count {
        // The last chunk of a group ends with its sum.
        let body = next_body(output);
        let end = &body[body.len().saturating_sub(100)..];
        whole += usize::from(end.windows(10).any(|window| window == br#""sha256":""#));
    }
}

#[test]
fn calls_whose_results_nobody_reads_wait_with_their_start() {
    let world = World::new("");
    world.write(
        "large.txt",
        "0123456789abcdef 0123456789abcdef 0123456789abcdef 0123456789ab\n".repeat(15 << 14),
    );
    let mut child = unread(&world);
    let mut input = child.stdin.take().unwrap();
    input.write_all(&frame(&hello())).unwrap();
    let arguments =
        json!({"path": "large.txt", "limit": 1_000_000, "max_bytes": 16 << 20, "line_numbers": false});
    // 360 MiB of results.
    for number in 0..24 {
        let call = json!({"name": "fs_read", "arguments": arguments});
        input.write_all(&frame(&request(&format!("read-{number}"), "tools/call", call))).unwrap();
    }
    let peak = settled_peak(&child);
    assert!(peak < BOUND_KIB, "{peak} KiB for a peer that does not read");
    // Whoever reads gets on: more than what had been made arrives.
    read_groups(&mut child, 8);
    drop(input);
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

/// Files that are asked for as resources are no way around it.
#[test]
fn resources_that_nobody_reads_wait_with_their_start() {
    let world = World::new("");
    world.write("large.bin", vec![0; 8 << 20]);
    let mut child = unread(&world);
    let mut input = child.stdin.take().unwrap();
    input.write_all(&frame(&hello())).unwrap();
    // 850 MiB of answers.
    for number in 0..80 {
        let read = json!({"uri": "outrigger://app/large.bin"});
        input.write_all(&frame(&request(&format!("read-{number}"), "resources/read", read))).unwrap();
    }
    let peak = settled_peak(&child);
    assert!(peak < BOUND_KIB, "{peak} KiB for a peer that does not read");
    read_groups(&mut child, 20);
    drop(input);
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

/// Two bytes of a message can become hundreds.
#[test]
fn a_message_of_very_many_values_is_refused_before_they_take_memory() {
    let world = World::new("");
    let mut child = unread(&world);
    let mut input = child.stdin.take().unwrap();
    let values = vec!["0"; 4 << 20].join(",");
    let call = r#""method":"tools/call","params":{"name":"fs_read","arguments":{"path":"a","x":["#;
    let body = format!(r#"{{"jsonrpc":"2.0","id":"many",{call}{values}]}}}}}}"#);
    input.write_all(&u32::try_from(body.len()).unwrap().to_ne_bytes()).unwrap();
    input.write_all(body.as_bytes()).unwrap();
    let refused = next(child.stdout.as_mut().unwrap());
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!("many"), &json!(-32600)), "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("more than 100000 values"), "{refused}");
    let peak = settled_peak(&child);
    assert!(peak < BOUND_KIB, "{peak} KiB for {} bytes", body.len());
    drop(input);
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_flood_that_nobody_reads_waits_in_the_pipe() {
    let world = World::new("");
    let mut child = unread(&world);
    let mut input = child.stdin.take().unwrap();
    // 320 MiB of answers that are made at once.
    let flood = thread::spawn(move || {
        let text = "0123456789abcdef".repeat(8 << 16);
        for number in 0..40 {
            let echo =
                json!({"jsonrpc": "2.0", "id": number, "method": "outrigger/echo", "params": {"text": text}});
            if input.write_all(&frame(&echo)).is_err() {
                return None;
            }
        }
        Some(input)
    });
    let peak = settled_peak(&child);
    assert!(peak < BOUND_KIB, "{peak} KiB for a peer that does not read");
    assert!(!flood.is_finished(), "the rest of the flood waits");
    // Nothing of it is lost.
    read_groups(&mut child, 40);
    drop(flood.join().unwrap());
    assert!(child.wait().unwrap().success());
}

/// A peer that no longer reads and is gone: the host that waits for it notices.
#[test]
fn a_host_that_waits_for_its_reader_notices_its_end() {
    let world = World::new("");
    let mut child = unread(&world);
    let mut input = child.stdin.take().unwrap();
    let flood = thread::spawn(move || {
        let text = "0123456789abcdef".repeat(8 << 16);
        let echo = json!({"jsonrpc": "2.0", "id": 1, "method": "outrigger/echo", "params": {"text": text}});
        for _ in 0..40 {
            if input.write_all(&frame(&echo)).is_err() {
                return;
            }
        }
    });
    settled_peak(&child);
    drop(child.stdout.take());
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_secs(30) {
            child.kill().unwrap();
            panic!("it waits for a reader that is gone");
        }
        thread::sleep(Duration::from_millis(10));
    }
    flood.join().unwrap();
}

/// The end of the input lies behind what the host does not read while nobody reads it: it is seen all the same, and the pipe that
/// the peer still holds open keeps nobody.
#[test]
fn a_host_that_waits_sees_the_end_of_its_input() {
    let world = World::new("");
    let flood = world.workspace().join("flood");
    let text = "0123456789abcdef".repeat(8 << 16);
    let echo =
        frame(&json!({"jsonrpc": "2.0", "id": 1, "method": "outrigger/echo", "params": {"text": text}}));
    let mut file = fs::File::create(&flood).unwrap();
    for _ in 0..40 {
        file.write_all(&echo).unwrap();
    }
    // Another process writes, so that its end closes the pipe though it is full.
    let mut writer = Command::new("cat").arg(&flood).stdout(Stdio::piped()).spawn().unwrap();
    let mut command = world.command();
    command.arg(&outrigger::native::caller::own_extensions()[0]);
    command.stdin(writer.stdout.take().unwrap()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut child = command.spawn().unwrap();
    drop(command);
    settled_peak(&child);
    assert!(writer.try_wait().unwrap().is_none(), "the rest of the flood waits");
    writer.kill().unwrap();
    writer.wait().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > Duration::from_mins(1) {
            child.kill().unwrap();
            panic!("it waits for a reader, and nobody asks any more");
        }
        thread::sleep(Duration::from_millis(10));
    }
    assert!(child.wait().unwrap().success());
    drop(child.stdout.take());
}

/// A 63 MiB message is under way, chunk by chunk; what is asked meanwhile is answered between the chunks: here the cancel of a call.
#[test]
fn a_cancel_passes_a_file_under_way_in_either_direction() {
    let world = World::new("");
    world.configure(&format!(
        "version = 1\n[[workspace]]\nid = \"app\"\npath = {:?}\n[[command]]\nid = \"wait\"\nprogram = \"/bin/sleep\"\nargs = [\"600\"]\nsummary = \"Wait\"\ntier = \"auto\"\n",
        world.workspace().to_str().unwrap()
    ));
    for towards_browser in [true, false] {
        let mut child = unread(&world);
        let mut input = child.stdin.take().unwrap();
        let mut output = child.stdout.take().unwrap();
        // A call that came before is not run again.
        let key = if towards_browser { "01K0000000000000000000000A" } else { "01K0000000000000000000000B" };
        input.write_all(&frame(&hello())).unwrap();
        assert!(next(&mut output)["result"].is_object());
        let meta = json!({"dev.outrigger/call": key, "progressToken": 1});
        let call = json!({"name": "exec_run", "arguments": {"command": "wait"}, "_meta": meta});
        input.write_all(&frame(&request("wait", "tools/call", call))).unwrap();
        let text = "x".repeat(63 << 20);
        let echo =
            json!({"jsonrpc": "2.0", "id": "echo", "method": "outrigger/echo", "params": {"text": text}})
                .to_string();
        let chunks = outrigger::native::chunk::Splitter::new("there".into(), echo);
        let cancel = frame(&request("cancel", "outrigger/calls/cancel", json!({"call": key})));
        let mut cancelled = Vec::new();
        for (index, chunk) in chunks.enumerate() {
            input.write_all(&frame(&serde_json::to_value(chunk).unwrap())).unwrap();
            if !towards_browser && index == 100 {
                input.write_all(&cancel).unwrap();
                // Both answers are there before the other half of the message is sent.
                while cancelled.len() < 2 {
                    cancelled.push(next(&mut output)["id"].clone());
                    cancelled.retain(Value::is_string);
                }
            }
        }
        let mut before = 0;
        loop {
            let message = next(&mut output);
            if message["chunk"].is_object() {
                before += 1;
                if towards_browser && before == 20 {
                    input.write_all(&cancel).unwrap();
                }
                if message["chunk"]["sha256"].is_string() {
                    break;
                }
            } else if message["id"].is_string() {
                cancelled.push(message["id"].clone());
            }
        }
        assert!(before > 200);
        cancelled.sort_by_key(Value::to_string);
        assert_eq!(cancelled, [json!("cancel"), json!("wait")], "towards the browser: {towards_browser}");
        drop(input);
        drop(output);
        child.wait().unwrap();
    }
}

/// Each open question of an older client keeps its request under way: they never fill what the host reads at a time, for their answers
/// come the same way.
#[test]
fn questions_never_keep_their_answers_from_being_read() {
    let world = World::new("");
    let mut port = world.connect();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {"elicitation": {}}, "clientInfo": {"name": "t", "version": "0"}});
    port.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": hello}));
    port.answer_to(&json!("hello"));
    port.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    // Each counts for 12 MB: together for more than may be under way.
    let values = vec![0; 95_000];
    let mut open = Vec::new();
    let mut refused = 0;
    for number in 0..16 {
        let arguments = json!({"path": format!("new-{number}"), "content": "x"});
        let params = json!({"name": "fs_write", "arguments": arguments, "_meta": {"values": values}});
        port.send(&json!({"jsonrpc": "2.0", "id": format!("call-{number}"), "method": "tools/call", "params": params}));
        let told = port.receive().unwrap();
        if told["method"] == "elicitation/create" {
            open.push(told["id"].clone());
        } else {
            let told = &told["result"]["structuredContent"];
            assert_eq!(told["code"], "approval_unavailable", "{told}");
            assert!(told["message"].as_str().unwrap().contains("too many questions"), "{told}");
            assert!(told["hint"].as_str().unwrap().contains("ask again"), "{told}");
            refused += 1;
        }
    }
    assert!(open.len() > 1 && refused > 0, "{} asked, {refused} refused", open.len());
    // A call that is cancelled takes its question back.
    port.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "call-0"}}),
    );
    let told = port.receive().unwrap();
    assert_eq!(
        (&told["method"], &told["params"]["requestId"]),
        (&json!("notifications/cancelled"), &open[0])
    );
    let yes = json!({"action": "accept", "content": {"decision": "allow"}});
    for id in &open[1..] {
        port.send(&json!({"jsonrpc": "2.0", "id": id, "result": yes}));
        let done = port.receive().unwrap();
        assert_eq!(done["result"]["isError"], json!(false), "{done}");
    }
    let params = json!({"name": "fs_write", "arguments": {"path": "later", "content": "x"}});
    port.send(&json!({"jsonrpc": "2.0", "id": "later", "method": "tools/call", "params": params}));
    let asked = port.receive().unwrap();
    port.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "result": yes}));
    assert_eq!(port.answer_to(&json!("later"))["result"]["isError"], json!(false));
    assert!(!world.workspace().join("new-0").exists() && world.workspace().join("new-1").exists());
}
