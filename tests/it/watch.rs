//! Resources, and who hears of changed files, and when nobody does.

use std::{collections::BTreeSet, fs, process::Command};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

/// Waits for a notification that fits; what else comes is kept.
fn heard(port: &mut Port, method: &str, fits: impl Fn(&Value) -> bool) -> Value {
    let is_it = |message: &Value| message["method"] == method && fits(&message["params"]);
    if let Some(index) = port.others.iter().position(is_it) {
        return port.others.remove(index)["params"].clone();
    }
    loop {
        let message = port.receive().expect("the host closed the port");
        if is_it(&message) {
            return message["params"].clone();
        }
        port.others.push(message);
    }
}

fn listen(port: &mut Port, uris: &[&str]) -> Value {
    let id = port.begin(
        "subscriptions/listen",
        json!({"notifications": {"resourceSubscriptions": uris, "toolsListChanged": true}}),
    );
    heard(port, "notifications/subscriptions/acknowledged", |_| true);
    if uris.iter().any(|uri| uri.starts_with("outrigger://app")) {
        heard(port, "notifications/outrigger/changed", |params| params["watching"] == true);
    }
    id
}

/// Collects named paths until all of `wanted` were told.
fn paths(port: &mut Port, wanted: &[&str]) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    while !wanted.iter().all(|path| found.contains(*path)) {
        let told = heard(port, "notifications/outrigger/changed", |params| params["workspace"] == "app");
        assert_eq!(told["missed"], false, "{told}");
        found.extend(told["paths"].as_array().unwrap().iter().map(|path| path.as_str().unwrap().to_owned()));
    }
    found
}

fn inotify_handles(host: u32) -> usize {
    fs::read_dir(format!("/proc/{host}/fd"))
        .unwrap()
        .filter(|entry| {
            let target = fs::read_link(entry.as_ref().unwrap().path());
            target.is_ok_and(|target| target.to_string_lossy().contains("inotify"))
        })
        .count()
}

#[test]
fn changes_are_told_to_who_listens_and_named_by_path() {
    let world = World::new("");
    world.write("src/a.rs", "a");
    world.write(".gitignore", "ignored/\n*.log\n");
    world.write("ignored/x", "x");
    assert!(Command::new("git").arg("init").arg("-q").arg(world.workspace()).status().unwrap().success());
    let mut port = world.connect();
    port.hello();
    let host = port.child.id();
    let before = inotify_handles(host);
    let id = listen(&mut port, &["outrigger://app/", "outrigger://app/src/a.rs", "outrigger://none/"]);
    world.write("src/a.rs", "b");
    world.write("x.log", "not told");
    world.write("ignored/y", "not told");
    world.write(".env", "SECRET=1");
    let ours = ".outrigger-01ARZ3NDEKTSV4RRFFQ69G5FAV.tmp";
    world.write(ours, "not told");
    world.write("deep/er/new.txt", "new");
    world.write("last.txt", "last");
    let found = paths(&mut port, &["src/a.rs", "deep/er/new.txt", "last.txt"]);
    for unwanted in ["x.log", ".env", "ignored/y", "ignored", ours] {
        assert!(!found.contains(unwanted), "{found:?}");
    }
    assert!(!found.iter().any(|path| path.contains(".git/")), "{found:?}");
    let mut told = BTreeSet::new();
    while told.len() < 2 {
        let params = heard(&mut port, "notifications/resources/updated", |_| true);
        told.insert(params["uri"].as_str().unwrap().to_owned());
    }
    assert!(told.contains("outrigger://app/src/a.rs") && told.contains("outrigger://app/"), "{told:?}");
    // A new folder is watched from then on; one that is gone and comes again is, too.
    world.write("deep/er/second.txt", "2");
    paths(&mut port, &["deep/er/second.txt"]);
    fs::remove_dir_all(world.workspace().join("deep")).unwrap();
    paths(&mut port, &["deep"]);
    world.write("deep/third.txt", "3");
    paths(&mut port, &["deep/third.txt"]);
    // Of `.git` only that something was staged.
    let add = Command::new("git").current_dir(world.workspace()).args(["add", "last.txt"]).status();
    assert!(add.unwrap().success());
    heard(&mut port, "notifications/outrigger/changed", |params| params["git"] == true);
    // Who no longer listens hears nothing, and nothing is watched for them.
    port.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    while inotify_handles(host) != before {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    port.others.clear();
    world.write("after.txt", "after");
    assert_eq!(port.call("fs_list", json!({}))["structuredContent"]["ok"], true);
    assert!(port.others.is_empty(), "{:?}", port.others);
}

#[test]
fn a_resource_that_is_named_twice_is_told_once() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let (twice, once) = ("outrigger://app/a.txt", "outrigger://app/b.txt");
    listen(&mut port, &[twice, once, twice]);
    world.write("a.txt", "a");
    // It comes behind what is told of the resources.
    paths(&mut port, &["a.txt"]);
    let told = |message: &&Value| message["params"]["uri"] == twice;
    assert_eq!(port.others.iter().filter(told).count(), 1, "{:?}", port.others);
}

#[test]
fn a_folder_that_takes_the_place_of_another_is_watched() {
    let world = World::new("");
    world.write("build/out/a", "1");
    let mut port = world.connect();
    port.hello();
    listen(&mut port, &["outrigger://app/"]);
    let folder = |name: &str| world.workspace().join(name);
    // Faster than anybody looks.
    fs::remove_dir_all(folder("build")).unwrap();
    world.write("build/out/b", "2");
    paths(&mut port, &["build/out/b"]);
    world.write("build/out/c", "3");
    paths(&mut port, &["build/out/c"]);
    fs::rename(folder("build"), folder("old")).unwrap();
    fs::create_dir(folder("build")).unwrap();
    paths(&mut port, &["build", "old"]);
    world.write("build/d", "4");
    world.write("old/out/e", "5");
    paths(&mut port, &["build/d", "old/out/e"]);
    // The same of a repository that is begun while somebody listens.
    assert!(Command::new("git").arg("init").arg("-q").arg(world.workspace()).status().unwrap().success());
    heard(&mut port, "notifications/outrigger/changed", |params| params["git"] == true);
    port.others.clear();
    world.write("last", "6");
    paths(&mut port, &["last"]);
    let add = Command::new("git").current_dir(world.workspace()).args(["add", "last"]).status();
    assert!(add.unwrap().success());
    heard(&mut port, "notifications/outrigger/changed", |params| params["git"] == true);
}

#[test]
fn a_linked_work_tree_is_told_of_and_a_branch_that_moves_under_its_index() {
    let world = World::new("");
    let git = |folder: &str, args: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(world.workspace().join(folder)).args(["-c", "user.name=A", "-c", "user.email=a@b.c"]);
        assert!(git.args(args).status().unwrap().success(), "{args:?}");
    };
    git(".", &["init", "-q"]);
    for message in ["first", "second"] {
        git(".", &["commit", "-q", "--allow-empty", "-m", message]);
    }
    git(".", &["worktree", "add", "-q", "linked"]);
    world.write("linked/new", "1");
    let mut port = world.connect();
    port.hello();
    listen(&mut port, &["outrigger://app/"]);
    let steps: [(&str, &[&str]); 3] = [
        ("linked", &["add", "new"]),
        ("linked", &["reset", "-q", "--soft", "HEAD~1"]),
        (".", &["reset", "-q", "--soft", "HEAD~1"]),
    ];
    for (number, (folder, args)) in steps.into_iter().enumerate() {
        // All that came before is told with this or before it.
        let last = format!("last{number}");
        world.write(&last, "x");
        paths(&mut port, &[&last]);
        port.others.clear();
        git(folder, args);
        heard(&mut port, "notifications/outrigger/changed", |params| params["git"] == true);
    }
}

#[test]
fn what_is_ignored_from_now_on_is_not_told_and_the_other_way_round() {
    let world = World::new("");
    world.write("private/deep/a", "1");
    world.write("built/a", "1");
    world.write(".gitignore", "built/\n");
    assert!(Command::new("git").arg("init").arg("-q").arg(world.workspace()).status().unwrap().success());
    let mut port = world.connect();
    port.hello();
    listen(&mut port, &["outrigger://app/"]);
    world.write(".gitignore", "private/\n");
    paths(&mut port, &[".gitignore"]);
    // The rules are read before they are told, folders that they let through are watched just after that.
    let is_told = (0..1000).any(|number| {
        world.write("private/deep/b", number.to_string());
        world.write("built/b", number.to_string());
        world.write("end", number.to_string());
        let found = paths(&mut port, &["end"]);
        assert!(!found.iter().any(|path| path.starts_with("private")), "{found:?}");
        found.contains("built/b")
    });
    assert!(is_told);
}

#[test]
fn many_changes_are_counted_and_not_all_named() {
    let world = World::new("");
    world.write("many/first", "");
    let mut port = world.connect();
    port.hello();
    listen(&mut port, &["outrigger://app/many"]);
    for number in 0..400 {
        world.write(&format!("many/{number}"), "");
    }
    let (mut named, mut more) = (0, 0);
    while named + more < 400 {
        let told = heard(&mut port, "notifications/outrigger/changed", |params| params["workspace"] == "app");
        let count = told["paths"].as_array().unwrap().len() as u64;
        assert!(count <= 200);
        named += count;
        more += told["more"].as_u64().unwrap();
    }
    heard(&mut port, "notifications/resources/updated", |params| params["uri"] == "outrigger://app/many");
}

#[test]
fn a_folder_that_is_a_link_is_not_watched() {
    let world = World::new("");
    let outside = world.folder.path().join("outside");
    fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, world.workspace().join("link")).unwrap();
    let mut port = world.connect();
    port.hello();
    listen(&mut port, &["outrigger://app/"]);
    fs::write(outside.join("secret.txt"), "x").unwrap();
    std::os::unix::fs::symlink(&outside, world.workspace().join("later")).unwrap();
    paths(&mut port, &["later"]);
    fs::write(outside.join("more.txt"), "x").unwrap();
    world.write("end.txt", "end");
    let found = paths(&mut port, &["end.txt"]);
    assert!(!found.iter().any(|path| path.contains("secret") || path.contains("more")), "{found:?}");
}

#[test]
fn a_listener_hears_of_other_tools() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    listen(&mut port, &[]);
    let config = fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{config}\n[tools]\nprofile = \"read\"\n"));
    heard(&mut port, "notifications/tools/list_changed", |_| true);
}

#[test]
fn files_are_resources_under_the_same_law() {
    let world = World::new("");
    world.write("a b.txt", "one\ntwo\n");
    world.write(".env", "SECRET=1");
    world.write("secrets.yml", "user: bob\n");
    let mut port = world.connect();
    port.hello();
    let listed = port.request("resources/list", json!({}));
    assert_eq!(listed["result"]["resources"][0]["uri"], "outrigger://app/", "{listed}");
    let templates = port.request("resources/templates/list", json!({}));
    assert_eq!(templates["result"]["resourceTemplates"][0]["uriTemplate"], "outrigger://{workspace}/{+path}");
    let mut read = |uri: &str| port.request("resources/read", json!({"uri": uri}));
    let whole = read("outrigger://app/a%20b.txt");
    assert_eq!(whole["result"]["contents"][0]["text"], "one\ntwo\n", "{whole}");
    assert!(read("outrigger://app/")["result"]["contents"][0]["text"].as_str().unwrap().contains("a b.txt"));
    for (uri, code) in [
        ("outrigger://app/.env", "blocked_path"),
        ("outrigger://app/none.txt", "not_found"),
        ("outrigger://app/../x", "outside_workspace"),
        ("outrigger://other/x", "not_found"),
        ("outrigger://out/01ARZ3NDEKTSV4RRFFQ69G5FAV", "not_found"),
    ] {
        let refused = read(uri);
        assert_eq!(
            (&refused["error"]["code"], &refused["error"]["data"]["code"]),
            (&json!(-32602), &json!(code)),
            "{uri}"
        );
    }
    for (uri, code, hint) in [
        ("file:///etc/passwd", "invalid_args", "resources/list"),
        ("outrigger://app/secrets.yml", "approval_unavailable", "call `fs_read`"),
    ] {
        let refused = read(uri);
        let data = &refused["error"]["data"];
        assert_eq!((&refused["error"]["code"], &data["code"]), (&json!(-32602), &json!(code)), "{refused}");
        assert!(data["hint"].as_str().unwrap().contains(hint), "{refused}");
    }
}

#[test]
fn resources_are_what_the_file_holds() {
    const PICTURE: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01";
    let world = World::new("");
    world.write("a.png", PICTURE);
    world.write("a.bin", b"\x7fELF\0\x01\x02\xff");
    world.write("a.pdf", b"%PDF-1.7\n\0\xff\xfe");
    world.write("empty.txt", "");
    world.write("long.txt", "x".repeat(5000) + "\nend");
    world.write("key.txt", "token = ghp_0123456789abcdefghijABCDEFGHIJ012345\n");
    let mut port = world.connect();
    port.hello();
    let mut read = |name: &str| {
        let answer = port.request("resources/read", json!({"uri": format!("outrigger://app/{name}")}));
        answer["result"]["contents"][0].clone()
    };
    for (name, mime, base64) in [
        ("a.png", "image/png", "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"),
        ("a.bin", "application/x-elf", "f0VMRgABAv8="),
        ("a.pdf", "application/pdf", "JVBERi0xLjcKAP/+"),
    ] {
        let content = read(name);
        assert_eq!((&content["mimeType"], &content["blob"]), (&json!(mime), &json!(base64)), "{content}");
        assert!(content.get("text").is_none(), "{content}");
    }
    assert_eq!(read("empty.txt")["text"], "");
    assert_eq!(read("long.txt")["text"], "x".repeat(5000) + "\nend");
    assert_eq!(read("long.txt")["mimeType"], "text/plain");
    // A secret stays one.
    assert!(!read("key.txt").to_string().contains("ghp_0123"));
}

/// Who listens waits for nothing, so nothing waits for them: requests are read however many listen, up to a limit that says what it is.
#[test]
fn listeners_do_not_keep_others_from_being_heard() {
    const LISTENERS: usize = outrigger::limits::LISTENERS;
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let listen = |port: &mut Port, uris: &[&str]| {
        port.begin("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": uris}}))
    };
    let acknowledged = |port: &mut Port| {
        heard(port, "notifications/subscriptions/acknowledged", |_| true);
    };
    let mut ids: Vec<Value> = (0..LISTENERS).map(|_| listen(&mut port, &["outrigger://app/a.txt"])).collect();
    (0..LISTENERS).for_each(|_| acknowledged(&mut port));
    for _ in 0..2000 {
        let one_more = listen(&mut port, &[]);
        let refused = port.answer_to(&one_more);
        assert_eq!(refused["error"]["code"], -32052, "{refused}");
        assert_eq!(refused["error"]["data"]["reason"], "too_many_listeners", "{refused}");
        assert!(
            refused["error"]["message"].as_str().unwrap().starts_with("64 `subscriptions/listen`"),
            "{refused}"
        );
        assert!(
            refused["error"]["data"]["hint"].as_str().unwrap().contains("notifications/cancelled"),
            "{refused}"
        );
    }
    // One that is cancelled makes room for one, however often.
    for _ in 0..1500 {
        let gone = ids.remove(0);
        port.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": gone}}),
        );
        // The cancel is heard before whatever is answered after it.
        port.request("ping", json!({}));
        ids.push(listen(&mut port, &[]));
        acknowledged(&mut port);
    }
    assert_eq!(port.call("workspace_info", json!({}))["structuredContent"]["ok"], true);
    // What they name is bounded as well.
    port.send(
        &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": ids[0]}}),
    );
    port.request("ping", json!({}));
    let long = format!("outrigger://app/{}", "x".repeat(outrigger::limits::LISTENER_BYTES));
    let large = listen(&mut port, &[&long]);
    let refused = port.answer_to(&large);
    assert_eq!(refused["error"]["data"]["reason"], "too_many_listeners", "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("1048576 bytes"), "{refused}");
}

/// A request that is cancelled is never answered: it counts no more.
#[test]
fn cancelled_requests_do_not_keep_others_from_being_heard() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    for _ in 0..outrigger::limits::REQUESTS + 100 {
        let id = port.begin("tools/call", json!({"name": "search_grep", "arguments": {"pattern": "x"}}));
        port.send(
            &json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}),
        );
    }
    assert_eq!(port.call("workspace_info", json!({}))["structuredContent"]["ok"], true);
}

#[test]
fn older_clients_subscribe_in_their_way() {
    let world = World::new("");
    world.write("a.txt", "a");
    let mut port = world.connect();
    let host = port.child.id();
    let mut send = |method: &str, id: Option<i64>, params: Value| {
        let mut message = json!({"jsonrpc": "2.0", "method": method, "params": params});
        if let Some(id) = id {
            message["id"] = json!(id);
        }
        port.send(&message);
        id.map(|id| port.answer_to(&json!(id))).unwrap_or_default()
    };
    let client = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "old", "version": "0"}});
    let begun = send("initialize", Some(1), client);
    assert_eq!(begun["result"]["capabilities"]["resources"]["subscribe"], true, "{begun}");
    send("notifications/initialized", None, json!({}));
    let refused = send("resources/subscribe", Some(2), json!({"uri": "outrigger://none/a"}));
    assert_eq!(refused["error"]["code"], -32602);
    for (id, params) in (100..).zip([
        json!({"uri": 5}),
        json!({}),
        json!({"uri": "outrigger://app/../../etc"}),
        json!({"uri": "outrigger://app/a%00b"}),
    ]) {
        let refused = send("resources/subscribe", Some(id), params.clone());
        assert_eq!(refused["error"]["code"], -32602, "{params}: {refused}");
    }
    let refused = send("resources/unsubscribe", Some(200), json!({"uri": 5}));
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let refused = send("prompts/get", Some(201), json!({"name": "x"}));
    assert_eq!(refused["error"]["message"], "there is no method `prompts/get`", "{refused}");
    let granted = send("resources/subscribe", Some(3), json!({"uri": "outrigger://app/a.txt"}));
    assert!(granted["result"].is_object(), "{granted}");
    // The system gives a user few watches: however many they are, the workspace takes one.
    let watches = inotify_handles(host);
    for (number, id) in (1..outrigger::limits::LISTENERS).zip(1001..) {
        let granted =
            send("resources/subscribe", Some(id), json!({"uri": format!("outrigger://app/{number}")}));
        assert!(granted["result"].is_object(), "{granted}");
    }
    assert_eq!(inotify_handles(host), watches);
    let refused = send("resources/subscribe", Some(300), json!({"uri": "outrigger://app/more"}));
    assert_eq!(refused["error"]["data"]["reason"], "too_many_listeners", "{refused}");
    assert!(refused["error"]["message"].as_str().unwrap().contains("64 resources"), "{refused}");
    let again = send("resources/subscribe", Some(301), json!({"uri": "outrigger://app/a.txt"}));
    assert!(again["result"].is_object(), "{again}");
    send("resources/unsubscribe", Some(302), json!({"uri": "outrigger://app/1"}));
    let granted = send("resources/subscribe", Some(303), json!({"uri": "outrigger://app/more"}));
    assert!(granted["result"].is_object(), "{granted}");
    // The answer waits for the watch: the very first write after it is told.
    world.write("a.txt", "b");
    heard(&mut port, "notifications/resources/updated", |params| params["uri"] == "outrigger://app/a.txt");
    let config = fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{config}\n[tools]\nprofile = \"read\"\n"));
    heard(&mut port, "notifications/tools/list_changed", |_| true);
}

/// What a workspace's own file closes is closed at once, also to who listens already.
#[test]
fn what_the_workspace_itself_closes_is_not_told_from_then_on() {
    let world = World::new("");
    world.write("secret/a", "1");
    // Whether the file is shown does not matter.
    world.write(".gitignore", ".outrigger.toml\n");
    let mut port = world.connect();
    port.hello();
    listen(&mut port, &["outrigger://app/"]);
    let begins = |port: &mut Port| {
        heard(port, "notifications/outrigger/changed", |params| params["watching"] == true);
        heard(port, "notifications/resources/updated", |params| params["uri"] == "outrigger://app/");
    };
    world.write(".outrigger.toml", "[files]\nblocked = [\"secret/**\"]\n");
    begins(&mut port);
    world.write("secret/codename", "1");
    world.write("shown", "1");
    let found = paths(&mut port, &["shown"]);
    assert!(!found.iter().any(|path| path.starts_with("secret/")), "{found:?}");
    fs::remove_file(world.workspace().join(".outrigger.toml")).unwrap();
    begins(&mut port);
    world.write("secret/again", "1");
    paths(&mut port, &["secret/again"]);
}

/// A saved configuration under which nothing else is closed changes nothing for who listens; another law begins a watch of its own,
/// and who heard nothing meanwhile is told to look.
#[test]
fn another_configuration_makes_nobody_deaf() {
    let world = World::new("");
    world.write("a", "1");
    let mut port = world.connect();
    port.hello();
    listen(&mut port, &["outrigger://app/", "outrigger://app/a"]);
    let config = fs::read_to_string(world.config()).unwrap();
    let news = |port: &mut Port| {
        heard(port, "notifications/outrigger/changed", |params| params["config"].is_object());
    };
    world.configure(&format!("{config}\n# the same\n"));
    news(&mut port);
    world.write("b", "1");
    paths(&mut port, &["b"]);
    world.configure("broken");
    news(&mut port);
    world.write("c", "1");
    paths(&mut port, &["c"]);
    let begun = |message: &Value| message["params"]["watching"] == true;
    assert!(!port.others.iter().any(begun), "nothing began anew: {:?}", port.others);
    port.others.clear();
    world.configure(&format!("{config}\n[files]\nblocked = [\"secret/**\"]\n"));
    heard(&mut port, "notifications/outrigger/changed", |params| params["watching"] == true);
    for uri in ["outrigger://app/", "outrigger://app/a"] {
        heard(&mut port, "notifications/resources/updated", |params| params["uri"] == uri);
    }
    world.write("secret/a", "1");
    world.write("d", "1");
    let found = paths(&mut port, &["d"]);
    assert!(!found.iter().any(|path| path.starts_with("secret/")), "{found:?}");
}
