//! Commands in the background, over the real binary: their output, their end, and that nobody else's are seen.

use std::{
    fs,
    path::Path,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// A world whose command `script` runs its argument as a shell script, and nobody is asked.
fn world() -> World {
    World::new(
        "[[command]]\nid = \"script\"\nprogram = \"sh\"\nargs = [\"-c\"]\nsummary = \"Run a script\"\ndeny_flags = []\n\
         positional = \"any\"\nmax_args = 3\ntier = \"auto\"\nidle_timeout_ms = 60000\n[exec]\ndefaults = false\n",
    )
}

fn ok(result: &Value) -> &Value {
    assert_eq!(result["structuredContent"]["ok"], true, "{result:#}");
    &result["structuredContent"]["data"]
}

fn text(result: &Value) -> &str {
    result["content"][0]["text"].as_str().unwrap()
}

/// Starts a script in the background and does not wait for it.
fn start(port: &mut Port, script: &str) -> String {
    let arguments = json!({"command": "script", "args": [script], "background": true, "wait_ms": 0});
    let started = port.call("exec_run", arguments);
    let data = ok(&started);
    assert_eq!(data["outcome"], "running", "{started:#}");
    data["job"].as_str().unwrap().to_owned()
}

fn output(port: &mut Port, arguments: Value) -> Value {
    let result = port.call("exec_output", arguments);
    ok(&result);
    result
}

fn appears(path: &Path) -> bool {
    (0..3000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        path.exists()
    })
}

/// The ids in the files `pids*` of the workspace whose processes still live.
fn alive(world: &World) -> Vec<String> {
    let ids = std::fs::read_to_string(world.workspace().join("pids")).unwrap_or_default();
    let lives = |id: &&str| {
        std::fs::read_to_string(format!("/proc/{id}/stat")).is_ok_and(|stat| !stat.contains(") Z "))
    };
    ids.lines().filter(lives).map(ToOwned::to_owned).collect()
}

fn die(world: &World) -> bool {
    (0..3000).any(|_| {
        thread::sleep(Duration::from_millis(10));
        alive(world).is_empty()
    })
}

#[test]
fn what_a_job_wrote_at_its_start_can_be_had_as_a_whole() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let script = "seq 20000; touch done; exec sleep 600";
    let arguments = json!({"command": "script", "args": [script], "background": true, "wait_ms": 3000});
    let started = port.call("exec_run", arguments);
    assert!(ok(&started)["outcome"] == "running" && text(&started).contains("bytes left out"), "{started:#}");
    let handle = started["structuredContent"]["handle"].as_str().unwrap();
    let whole =
        port.call("fs_read", json!({"path": handle, "start_line": 9999, "limit": 1, "line_numbers": false}));
    assert!(text(&whole).starts_with("9999\n"), "{whole:#}");
}

/// A secret is known by all of it: neither a position in it nor a look while it is written hands out a part.
#[test]
fn no_look_shows_a_part_of_a_secret() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let (first, second) = ("ghp_16C7e42F292c69", "12E7710c838347Ae178B4a");
    let script = format!(
        "printf 'start {first}'; touch half; until [ -e go ]; do sleep 0.02; done; printf '{second}\\nend '; touch all; exec sleep 600"
    );
    let job = start(&mut port, &script);
    assert!(appears(&world.workspace().join("half")));
    let mut shown = Vec::new();
    for since in [-1, 8, 0] {
        let part = output(&mut port, json!({"job": job, "since": since, "wait_ms": 200}));
        let next = ok(&part)["next_since"].clone();
        assert!(since == 8 && next == 8 || next == 6, "{part:#}");
        shown.push(text(&part).to_owned());
    }
    world.write("go", "");
    assert!(appears(&world.workspace().join("all")));
    for since in [-1, 16, 8, 0] {
        let part = output(&mut port, json!({"job": job, "since": since, "wait_ms": 200}));
        assert_eq!(ok(&part)["next_since"], 51, "{part:#}");
        assert!(text(&part).contains("\u{27e6}redacted:"), "{part:#}");
        assert!(
            part["structuredContent"]["warnings"].to_string().contains("1 secret was replaced"),
            "{part:#}"
        );
        shown.push(text(&part).to_owned());
    }
    let looked = port.request("outrigger/jobs/list", json!({"since": {job.as_str(): 16}}));
    shown.push(looked["result"].to_string());
    for shown in shown {
        assert!(!shown.contains("292c69") && !shown.contains("8347Ae17"), "{shown}");
    }
}

/// Nor does the first word, with nothing before it that ends one.
#[test]
fn a_first_word_is_not_shown_while_it_grows() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let (first, second) = ("ghp_16C7e42F292c6912E7710c838347Ae178B4", "a");
    let script = format!(
        "printf '{first}'; touch half; until [ -e go ]; do sleep 0.02; done; printf '{second}\\n'; touch all; exec sleep 600"
    );
    let arguments = json!({"command": "script", "args": [script], "background": true, "wait_ms": 500});
    let started = port.call("exec_run", arguments);
    let job = ok(&started)["job"].as_str().unwrap().to_owned();
    assert!(appears(&world.workspace().join("half")));
    let mut shown = vec![text(&started).to_owned()];
    for since in [-1, 3, 0] {
        let part = output(&mut port, json!({"job": job, "since": since, "wait_ms": 200}));
        shown.push(text(&part).to_owned());
    }
    world.write("go", "");
    assert!(appears(&world.workspace().join("all")));
    let whole = output(&mut port, json!({"job": job, "since": 0, "wait_ms": 200}));
    assert!(text(&whole).contains("\u{27e6}redacted:"), "{whole:#}");
    for text in shown {
        assert!(!text.contains("C7e42F29"), "{text}");
    }
}

/// A job that fills the disk, or holds the journal's lock, is ended all the same.
#[test]
fn a_job_is_ended_whatever_the_journal_can_do() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let job = start(&mut port, "echo $$ >> pids; touch up; exec sleep 600");
    assert!(appears(&world.workspace().join("up")));
    let other = rusqlite::Connection::open(world.state().join("journal.sqlite")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = std::time::Instant::now();
    let ended = port.call("exec_kill", json!({"job": job, "grace_ms": 0}));
    assert_eq!(ok(&ended)["already"], false, "{ended:#}");
    assert!(began.elapsed() < Duration::from_secs(4), "it waited for the journal");
    assert!(die(&world));
    other.execute_batch("ROLLBACK").unwrap();
    let again = port.call("exec_kill", json!({"job": job}));
    assert_eq!(ok(&again)["already"], true, "{again:#}");
}

#[test]
fn the_last_lines_leave_the_others_unseen() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let job = start(&mut port, "seq 1 30; touch up; exec sleep 600");
    assert!(appears(&world.workspace().join("up")));
    let tail = output(&mut port, json!({"job": job, "tail": 2, "wait_ms": 200}));
    assert!(text(&tail).contains("29\n30"), "{tail:#}");
    let rest = output(&mut port, json!({"job": job}));
    assert!(text(&rest).contains("\n1\n2\n"), "{rest:#}");
    assert!(text(&output(&mut port, json!({"job": job}))).contains("without new output"));
}

#[test]
fn what_a_timed_out_command_wrote_can_be_had_as_a_whole() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let arguments = json!({"command": "script", "args": ["seq 20000; exec sleep 600"], "timeout_ms": 3000});
    let failed = port.call("exec_run", arguments);
    let failed = &failed["structuredContent"];
    assert_eq!(failed["code"], "timeout", "{failed:#}");
    let whole = port.call("fs_read", json!({"path": failed["handle"], "limit": 1, "line_numbers": false}));
    assert!(text(&whole).starts_with("1\n"), "{whole:#}");
}

#[test]
fn the_last_lines_can_be_asked_for_again() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let job = start(&mut port, "seq 100");
    let all = output(&mut port, json!({"job": job, "wait_ms": 30000}));
    assert!(text(&all).ends_with("\n99\n100\n"), "{all:#}");
    let last = output(&mut port, json!({"job": job, "tail": 2}));
    assert!(text(&last).ends_with(".\n\n99\n100\n"), "{last:#}");
    let refused = port.call("exec_output", json!({"job": job, "since": -2}));
    assert_eq!(refused["structuredContent"]["code"], "invalid_args", "{refused:#}");
}

#[test]
fn a_job_is_followed_from_look_to_look() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let job = start(&mut port, "echo one; while ! [ -e go ]; do sleep 0.02; done; echo two; exit 3");
    let first = output(&mut port, json!({"job": job, "pattern": "^one$", "wait_ms": 30000}));
    assert_eq!(first["structuredContent"]["data"]["matched"], true, "{first:#}");
    assert!(
        text(&first).starts_with(&format!("{job} (`script`) has been running for "))
            && text(&first).ends_with(".\n\none\n")
    );
    assert_eq!(
        text(&output(&mut port, json!({"job": job}))).split_once(", ").unwrap().1,
        "without new output."
    );
    world.write("go", "");
    let last = output(&mut port, json!({"job": job, "wait_ms": 30000}));
    let data = &last["structuredContent"]["data"];
    assert_eq!(
        (&data["state"], &data["exit_code"], &data["next_since"]),
        (&json!("exited"), &json!(3), &json!(8))
    );
    assert!(
        text(&last).contains("exited with code 3 after ") && text(&last).ends_with("\n\ntwo\n"),
        "{last:#}"
    );
    let again = output(&mut port, json!({"job": job, "since": 0}));
    assert!(text(&again).ends_with("\n\none\ntwo\n"), "{again:#}");
    assert!(text(&output(&mut port, json!({"job": job, "since": 0, "tail": 1}))).ends_with("\n\ntwo\n"));
    assert_eq!(output(&mut port, json!({}))["structuredContent"]["data"]["jobs"][0]["state"], "exited");
}

#[test]
fn a_person_looks_at_a_job_and_takes_nothing_from_the_model() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let key = format!("AKIA{}", "QWERTYUIOPASDFGH");
    let job = start(
        &mut port,
        &format!("printf 'one\n\\033[31m{key}\\033[0m\n'; while ! [ -e go ]; do sleep 0.02; done; exit 3"),
    );
    let look = |port: &mut Port, since: u64| {
        port.request("outrigger/jobs/list", json!({"since": {job.as_str(): since, "job9": 0}}))["result"]["jobs"][0]
            .clone()
    };
    let seen = (0..3000).find_map(|_| {
        thread::sleep(Duration::from_millis(10));
        Some(look(&mut port, 0)).filter(|seen| seen["output"]["next_since"] == 25)
    });
    let seen = seen.expect("it writes");
    assert_eq!(
        (&seen["job"], &seen["command"], &seen["state"]),
        (&json!(job), &json!("script"), &json!("running"))
    );
    let shown = seen["output"]["text"].as_str().unwrap();
    assert!(shown.starts_with("one\n") && !shown.contains(&key) && !shown.contains('\u{1b}'), "{seen:#}");
    assert_eq!(seen["output"]["omitted_bytes"], 0);
    assert_eq!(look(&mut port, 25)["output"]["text"], "");

    world.write("go", "");
    let last = output(&mut port, json!({"job": job, "wait_ms": 30000}));
    assert!(text(&last).contains(".\n\none\n"), "the model was shown less: {last:#}");
    let ended = port.request("outrigger/jobs/list", json!({}));
    let ended = &ended["result"]["jobs"][0];
    assert_eq!((&ended["state"], &ended["exit_code"]), (&json!("exited"), &json!(3)));
    assert!(ended.get("output").is_none(), "{ended:#}");
    let refused = port.request("outrigger/jobs/list", json!({"since": {"job1": -1}}));
    assert_eq!(refused["error"]["code"], -32602, "{refused:#}");
}

#[test]
fn a_command_that_ends_while_it_is_waited_for_is_told_at_once() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let arguments =
        json!({"command": "script", "args": ["echo done; exit 2"], "background": true, "wait_ms": 30000});
    let result = port.call("exec_run", arguments);
    let data = ok(&result);
    assert_eq!((&data["outcome"], &data["exit_code"]), (&json!("exited"), &json!(2)));
    assert!(data["job"].as_str().unwrap().starts_with("job1-"), "{result:#}");
    assert!(text(&result).ends_with("\n\ndone\n"), "{result:#}");
}

#[test]
fn a_pattern_that_does_not_come_is_said() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let job = start(&mut port, "echo only this");
    let result = output(&mut port, json!({"job": job, "pattern": "listening", "wait_ms": 30000}));
    assert_eq!(result["structuredContent"]["data"]["matched"], false);
    assert!(text(&result).contains("; `listening` did not come.\n\nonly this\n"), "{result:#}");
    // A line that grows is seen whole.
    let job = start(&mut port, "printf 'server liste'; sleep 0.2; echo 'ning on 8080'; sleep 1000");
    let result = output(&mut port, json!({"job": job, "pattern": "listening on \\d+", "wait_ms": 30000}));
    assert_eq!(result["structuredContent"]["data"]["matched"], true, "{result:#}");
    let bad = port.call("exec_output", json!({"job": job, "pattern": "("}));
    assert_eq!(bad["structuredContent"]["code"], "invalid_args");
}

/// A person who sees that it does not end by itself asks again.
#[test]
fn a_shorter_grace_counts_for_what_is_ending_already() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let job = start(&mut port, "trap 'touch told' TERM; touch ready; while :; do sleep 0.05; done");
    assert!(appears(&world.workspace().join("ready")));
    let patient = json!({"job": job, "grace_ms": 10_000});
    let first = port.begin("tools/call", json!({"name": "exec_kill", "arguments": patient}));
    assert!(appears(&world.workspace().join("told")));
    let result = port.call("exec_kill", json!({"job": job, "grace_ms": 0}));
    assert_eq!(ok(&result)["signal"], "SIGKILL", "{result:#}");
    assert_eq!(ok(&port.answer_to(&first)["result"])["state"], "killed");
}

#[test]
fn killing_ends_the_whole_tree_and_is_polite_first() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let polite =
        start(&mut port, "trap 'echo cleaned up; exit 5' TERM; touch ready1; while :; do sleep 0.05; done");
    assert!(appears(&world.workspace().join("ready1")));
    let result = port.call("exec_kill", json!({"job": polite, "grace_ms": 10000}));
    assert_eq!(ok(&result)["state"], "killed", "{result:#}");
    // It ended by itself, as it was told to.
    assert_eq!(ok(&result)["signal"], Value::Null, "{result:#}");
    assert!(text(&output(&mut port, json!({"job": polite}))).contains("cleaned up"));
    let plain = start(&mut port, "touch ready0; exec sleep 1000");
    assert!(appears(&world.workspace().join("ready0")));
    let result = port.call("exec_kill", json!({"job": plain, "grace_ms": 10000}));
    let signal = |result: &Value| (ok(result)["state"].clone(), ok(result)["signal"].clone());
    assert_eq!(signal(&result), (json!("killed"), json!("SIGTERM")), "{result:#}");
    let looked = output(&mut port, json!({"job": plain}));
    assert_eq!(signal(&looked), (json!("killed"), json!("SIGTERM")), "{looked:#}");
    let deaf = start(
        &mut port,
        "trap '' TERM; (setsid sh -c 'trap \"\" TERM; echo $$ >> pids; exec sleep 1000' &); \
         echo $$ >> pids; sleep 0.2; touch ready2; sleep 1000; sleep 1000",
    );
    assert!(appears(&world.workspace().join("ready2")));
    assert_eq!(alive(&world).len(), 2);
    let result = port.call("exec_kill", json!({"job": deaf, "grace_ms": 50}));
    assert_eq!(signal(&result), (json!("killed"), json!("SIGKILL")), "{result:#}");
    assert!(alive(&world).is_empty());
    let again = port.call("exec_kill", json!({"job": deaf}));
    assert_eq!(ok(&again)["already"], true);
    let unknown = port.call("exec_kill", json!({"job": "job9"}));
    assert_eq!(unknown["structuredContent"]["code"], "not_found");
    assert!(text(&unknown).contains(&format!("known: {polite}, {plain}, {deaf}")), "{unknown:#}");
}

#[test]
fn the_ninth_job_has_to_wait() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let jobs: Vec<String> = (0..8).map(|_| start(&mut port, "sleep 1000")).collect();
    let arguments = json!({"command": "script", "args": ["sleep 1000"], "background": true, "wait_ms": 0});
    let refused = port.call("exec_run", arguments);
    assert_eq!(refused["structuredContent"]["code"], "busy", "{refused:#}");
    ok(&port.call("exec_kill", json!({"job": jobs[2]})));
    assert!(start(&mut port, "sleep 1000").starts_with("job9-"));
}

#[test]
fn another_connection_sees_none_of_it() {
    let world = world();
    let (mut one, mut two) = (world.connect(), world.connect());
    one.hello();
    two.hello();
    let job = start(&mut one, "sleep 1000");
    let seen = two.call("exec_output", json!({"job": job}));
    assert_eq!(seen["structuredContent"]["code"], "not_found", "{seen:#}");
    assert!(text(&output(&mut two, json!({}))).starts_with("There are no background jobs"));
}

/// A name that a model remembers leads to no other job than the one it was told of.
#[test]
fn a_start_that_is_asked_again_elsewhere_does_not_say_that_the_job_runs() {
    let world = world();
    let key = outrigger::ids::new_ulid();
    let arguments = json!({"command": "script", "args": ["echo begun; touch ready; exec sleep 1000"], "background": true, "wait_ms": 0});
    let ask =
        |port: &mut Port| port.call_with("exec_run", arguments.clone(), json!({"dev.outrigger/call": key}));
    let mut port = world.connect();
    port.hello();
    let first = ask(&mut port);
    let job = ok(&first)["job"].as_str().unwrap().to_owned();
    // Here it does.
    let again = ask(&mut port);
    assert_eq!((ok(&again), &again["_meta"]["dev.outrigger/replayed"]), (ok(&first), &json!(true)));
    port.close();

    let mut port = world.connect();
    port.hello();
    let other = start(&mut port, "exec sleep 1000");
    assert!(other.starts_with("job1-") && other != job, "{other} {job}");
    let again = ask(&mut port);
    assert_eq!(again["_meta"]["dev.outrigger/replayed"], true, "{again:#}");
    let known = port.request("outrigger/calls/get", json!({"call": key}))["result"]["result"].clone();
    for told in [&again, &known] {
        let data = ok(told);
        assert_eq!((&data["outcome"], &data["job"]), (&json!("lost"), &Value::Null), "{told:#}");
        assert!(text(told).starts_with(&format!("{job} is no job of this connection, ")), "{told:#}");
        assert!(text(told).contains(&format!("`script` runs as {job} (")), "{told:#}");
    }
    let killed = port.call("exec_kill", json!({"job": job}));
    assert_eq!(killed["structuredContent"]["code"], "not_found", "{killed:#}");
}

#[test]
fn a_long_part_is_cut_and_kept() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let job = start(&mut port, "seq 20000");
    let result = output(&mut port, json!({"job": job, "wait_ms": 30000}));
    assert!(text(&result).len() < 34 * 1024 && text(&result).contains("bytes left out …]"));
    let handle = result["structuredContent"]["handle"].as_str().unwrap();
    let read =
        port.call("fs_read", json!({"path": handle, "start_line": 12345, "limit": 1, "line_numbers": false}));
    assert!(text(&read).starts_with("12345\n"), "{read:#}");
    let link = &result["content"][1];
    assert_eq!((&link["type"], &link["name"]), (&json!("resource_link"), &json!(handle)), "{link:#}");
    let resource = port.request("resources/read", json!({"uri": link["uri"]}));
    let whole = resource["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(whole.starts_with("1\n2\n") && whole.ends_with("19999\n20000\n"));
    for uri in ["outrigger://out/01ARZ3NDEKTSV4RRFFQ69G5FAV", "outrigger://out/../x", "file:///etc/passwd"] {
        let missing = port.request("resources/read", json!({"uri": uri}));
        assert!(missing["error"]["message"].is_string(), "{missing:#}");
    }
}

#[test]
fn jobs_end_with_the_connection_however_it_ends() {
    let script = "trap '' TERM HUP; (env -i setsid sh -c 'trap \"\" TERM HUP; echo $$ >> pids; exec sleep 1000' &); \
        echo $$ >> pids; sleep 0.2; touch ready; sleep 1000; sleep 1000";
    for how in ["end of input", "kill -9"] {
        let world = world();
        let mut port = world.connect();
        port.hello();
        start(&mut port, script);
        assert!(appears(&world.workspace().join("ready")));
        assert_eq!(alive(&world).len(), 2);
        if how == "kill -9" {
            port.child.kill().unwrap();
            port.child.wait().unwrap();
        } else {
            port.close();
        }
        assert!(die(&world), "{how}: {:?} live on", alive(&world));
        let temp = world.state().join("tmp");
        let is_empty = || std::fs::read_dir(&temp).map_or(true, |mut entries| entries.next().is_none());
        assert!(
            (0..3000).any(|_| {
                thread::sleep(Duration::from_millis(10));
                is_empty()
            }),
            "{how}"
        );
    }
}

#[test]
fn a_killed_helper_takes_everything_with_it() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let job = start(
        &mut port,
        "(env -i setsid sh -c 'echo $$ >> pids; sh -c \"trap : TERM; sleep 1000; sleep 1000\" & sleep 1000' &); \
         echo $$ >> pids; sleep 0.2; echo $PPID > helper; touch ready; sleep 1000; sleep 1000",
    );
    let other = start(&mut port, "sleep 1000");
    assert!(appears(&world.workspace().join("ready")));
    let helper = world.read("helper");
    assert!(std::process::Command::new("kill").args(["-9", helper.trim()]).status().unwrap().success());
    let result = output(&mut port, json!({"job": job, "wait_ms": 30000}));
    assert_eq!(result["structuredContent"]["data"]["state"], "lost", "{result:#}");
    assert!(alive(&world).is_empty(), "{:?} live on", alive(&world));
    let result = output(&mut port, json!({"job": other}));
    assert_eq!(result["structuredContent"]["data"]["state"], "running", "{result:#}");
    let threads = std::fs::read_dir(format!("/proc/{}/task", port.child.id())).unwrap();
    let children = threads.map(|thread| {
        let list = std::fs::read_to_string(thread.unwrap().path().join("children")).unwrap_or_default();
        list.split_whitespace().count()
    });
    assert_eq!(children.sum::<usize>(), 1, "the helper of the other job, and no zombie");
}

#[test]
fn a_cancelled_start_leaves_no_job() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let key = outrigger::ids::new_ulid();
    let arguments = json!({"command": "script", "args": ["echo $$ >> pids; touch ready; sleep 1000"], "background": true, "wait_ms": 30000});
    let id = port.begin(
        "tools/call",
        json!({"name": "exec_run", "arguments": arguments, "_meta": {"dev.outrigger/call": key}}),
    );
    assert!(appears(&world.workspace().join("ready")));
    port.request("outrigger/calls/cancel", json!({"call": key}));
    let result = port.answer_to(&id)["result"].clone();
    assert_eq!(result["structuredContent"]["code"], "cancelled", "{result:#}");
    assert!(alive(&world).is_empty());
}

#[test]
fn a_limit_on_silence_that_the_entry_chose_holds_in_the_background_too() {
    let world = World::new(
        "[[command]]\nid = \"script\"\nprogram = \"sh\"\nargs = [\"-c\"]\nsummary = \"Run a script\"\ndeny_flags = []\n\
         positional = \"any\"\nmax_args = 3\ntier = \"auto\"\nidle_timeout_ms = 700\n[exec]\ndefaults = false\n",
    );
    let mut port = world.connect();
    port.hello();
    let job = start(&mut port, "echo begun; exec sleep 1000");
    for _ in 0..20 {
        let seen = output(&mut port, json!({"job": job, "wait_ms": 2000}));
        let state = seen["structuredContent"]["data"]["state"].clone();
        if state != "running" {
            assert_eq!(state, "idle_timeout", "{seen:#}");
            return;
        }
    }
    panic!("it may be silent for ever");
}

/// However many commands run, what is short goes on beside them, and what ends one gets through. One that waits until it may run
/// hears its cancel.
#[test]
fn commands_that_run_keep_nothing_else_waiting() {
    let world = world();
    world.write("large.txt", "0123456789abcde\n".repeat(20_000));
    let mut port = world.connect();
    port.hello();
    let job = start(&mut port, "sleep 600");
    let run = |port: &mut Port, key: &str| {
        let arguments = json!({"command": "script", "args": ["echo begun >> begun; sleep 600"]});
        let meta = json!({"dev.outrigger/call": key});
        port.begin("tools/call", json!({"name": "exec_run", "arguments": arguments, "_meta": meta}))
    };
    let begun = || fs::read_to_string(world.workspace().join("begun")).unwrap_or_default().lines().count();
    for _ in 0..32 {
        run(&mut port, &outrigger::ids::new_ulid());
    }
    let began = Instant::now();
    while begun() < 32 {
        assert!(began.elapsed() < Duration::from_mins(1), "{} have begun", begun());
        thread::sleep(Duration::from_millis(20));
    }
    let key = outrigger::ids::new_ulid();
    let one_more = run(&mut port, &key);
    for (name, arguments) in [
        ("fs_read", json!({"path": "large.txt"})),
        ("search_grep", json!({"pattern": "abcde"})),
        ("exec_output", json!({"job": job})),
        ("exec_kill", json!({"job": job, "grace_ms": 0})),
    ] {
        ok(&port.call(name, arguments));
    }
    let asked = port.call("fs_write", json!({"path": "new", "content": "x"}));
    assert_eq!(asked["resultType"], "input_required", "{asked}");
    let listed = port.request("outrigger/jobs/list", json!({}));
    assert_eq!(listed["result"]["jobs"][0]["state"], "killed", "{listed}");
    assert!(port.early_answer(&one_more).is_none(), "as many run as may");
    let cancelled = port.request("outrigger/calls/cancel", json!({"call": key}));
    assert_eq!(cancelled["result"]["cancelled"], true, "{cancelled}");
    let ended = port.answer_to(&one_more);
    assert_eq!(ended["result"]["structuredContent"]["code"], "cancelled", "{ended}");
    assert_eq!(begun(), 32);
}

/// Clients of revisions without links in results refuse the whole result over one.
#[test]
fn an_older_client_gets_no_link_that_it_cannot_read() {
    let world = world();
    for (revision, reads_links) in
        [("2024-11-05", false), ("2025-03-26", false), ("2025-06-18", true), ("2025-11-25", true)]
    {
        let mut port = world.connect();
        let client = json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "t", "version": "0"}});
        port.send(&json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": client}));
        assert_eq!(port.answer_to(&json!("hello"))["result"]["protocolVersion"], revision);
        port.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        let arguments = json!({"command": "script", "args": ["seq 20000"]});
        let call = json!({"name": "exec_run", "arguments": arguments});
        port.send(&json!({"jsonrpc": "2.0", "id": "call", "method": "tools/call", "params": call}));
        let result = port.answer_to(&json!("call"))["result"].clone();
        let handle = result["structuredContent"]["handle"].as_str().unwrap();
        assert!(text(&result).contains(handle), "the text names it: {result:#}");
        let kinds: Vec<&Value> =
            result["content"].as_array().unwrap().iter().map(|part| &part["type"]).collect();
        let expected = if reads_links { &["text", "resource_link"][..] } else { &["text"] };
        assert_eq!(kinds, expected, "{revision}");
    }
}

/// What a caller said otherwise is told in each answer: one that waits for what a word would have done does not find out by itself.
#[test]
fn what_was_put_right_is_told_however_the_call_ends() {
    let world = world();
    let mut port = world.connect();
    port.hello();
    let mut told = |tool: &str, arguments: Value, code: &str, words: &[&str]| {
        let result = port.call(tool, arguments.clone());
        assert_eq!(result["structuredContent"]["code"], code, "{arguments}: {result:#}");
        for words in words {
            assert!(text(&result).contains(words), "{words}: {}", text(&result));
        }
    };
    let cut = json!({"cmd": "script", "args": ["sleep 60"], "timeout_ms": 100, "foo": 1});
    told("exec_run", cut, "timeout", &["`cmd` was taken for `command`", "no parameter `foo`"]);
    let seconds = json!({"command": "script", "args": ["true"], "timeout": 30, "bar": 1});
    told("exec_run", seconds, "invalid_args", &["`timeout_ms`, in milliseconds", "no parameter `bar`"]);
    let other = json!({"command": "script", "args": ["true"], "env": {"A": "b"}});
    told("exec_run", other, "invalid_args", &["unknown field `env`", "where it is configured"]);
    let refused = json!({"cmd": "script", "args": ["a", "b", "c", "d"]});
    told("exec_run", refused, "argument_not_allowed", &["`cmd` was taken for", "`script` takes at most 3"]);
    told("exec_kill", json!({"shell_id": "job9"}), "not_found", &["`shell_id` was taken for `job`"]);
    let arguments = json!({"command": "script", "args": ["echo here; sleep 60"], "run_in_background": true, "wait_ms": 0});
    let started = port.call("exec_run", arguments);
    assert_eq!(ok(&started)["outcome"], "running", "{started:#}");
    let job = ok(&started)["job"].clone();
    let seen = output(&mut port, json!({"bash_id": job, "pattern": "here", "timeout": 30_000}));
    assert!(text(&seen).contains("here"), "{seen:#}");
    assert_eq!(ok(&port.call("exec_kill", json!({"task_id": job})))["job"], job);
}
