//! Live output: what the panel hears while a command runs, however much that is.

use serde_json::json;

use crate::support::native::World;

#[test]
fn a_flood_is_told_in_small_parts_and_what_is_skipped_is_counted() {
    let world = World::new(
        "[[command]]\nid = \"flood\"\nprogram = \"seq\"\nargs = [\"2000000\"]\nsummary = \"A flood\"\ntier = \"auto\"\n",
    );
    let mut port = world.connect();
    port.hello();
    let key = outrigger::ids::new_ulid();
    let meta = json!({"dev.outrigger/call": key});
    let result = port.call_with("exec_run", json!({"command": "flood"}), meta);
    let total = result["structuredContent"]["data"]["bytes_total"].as_u64().unwrap();
    assert_eq!(total, 14_888_896);
    let told: Vec<_> =
        port.others.iter().filter(|one| one["method"] == "notifications/outrigger/output").collect();
    assert!(!told.is_empty());
    let mut end = 0;
    for one in told {
        let params = &one["params"];
        let (text, offset) = (params["text"].as_str().unwrap(), params["offset"].as_u64().unwrap());
        assert_eq!(params["call"], key);
        assert!(text.len() <= 64 * 1024, "{}", text.len());
        assert_eq!(offset, end + params["skipped_bytes"].as_u64().unwrap());
        end = offset + text.len() as u64;
    }
    assert_eq!(end, total, "the last part is told, and nothing is lost uncounted");
}

#[test]
fn each_that_waits_for_a_call_hears_that_it_runs() {
    let world = World::new(
        "[[command]]\nid = \"script\"\nprogram = \"sh\"\nargs = [\"-c\", \"until [ -e go ]; do sleep 0.01; done\"]\n\
         summary = \"Wait\"\ntier = \"auto\"\n",
    );
    let mut port = world.connect();
    port.hello();
    let key = outrigger::ids::new_ulid();
    let mut begin = |token: &str| {
        let meta = json!({"dev.outrigger/call": key, "progressToken": token});
        let params = json!({"name": "exec_run", "arguments": {"command": "script"}, "_meta": meta});
        port.begin("tools/call", params)
    };
    let both = [begin("first"), begin("second")];
    let told = std::iter::from_fn(|| port.receive()).find(|message| {
        message["method"] == "notifications/progress" && message["params"]["progressToken"] == "second"
    });
    assert!(told.is_some());
    world.write("go", "");
    for id in both {
        let answer = port.answer_to(&id);
        assert_eq!(answer["result"]["structuredContent"]["ok"], true, "{answer}");
    }
}
