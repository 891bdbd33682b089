//! The configuration changes while a host runs; a workspace brings rules of its own.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::Path,
    process::Command,
};

use serde_json::{Value, json};

use crate::support::native::{Port, World};

fn code(result: &Value) -> &str {
    result["structuredContent"]["code"].as_str().unwrap_or_default()
}

/// The next notification about the configuration or the tools that fits.
fn changed(port: &mut Port, fits: impl Fn(&Value) -> bool) -> Value {
    let is_it =
        |message: &Value| message["method"] == "notifications/outrigger/changed" && fits(&message["params"]);
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

fn put(path: &Path, text: &str) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).unwrap();
}

fn with(world: &World, lines: &str) -> String {
    format!(
        "version = 1\n[[workspace]]\nid = \"app\"\npath = {:?}\n{lines}\n",
        world.workspace().to_str().unwrap()
    )
}

#[test]
fn a_good_file_is_in_force_for_the_next_call() {
    let world = World::new("");
    world.write("a.txt", "hello\n");
    let mut port = world.connect();
    port.hello();
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
    world.configure(&with(&world, "[files]\nblocked = [\"a.txt\"]"));
    let told = changed(&mut port, |params| params.get("config").is_some());
    assert_eq!(told["config"]["ok"], true);
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "blocked_path");
    // Replaced by a rename, as editors do.
    let fresh = world.folder.path().join("fresh");
    put(&fresh, &with(&world, "[tools]\nprofile = \"read\""));
    fs::rename(&fresh, world.config()).unwrap();
    changed(&mut port, |params| params["tools"] == true);
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
    let tools = port.request("tools/list", json!({}));
    let names: Vec<&str> = tools["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect();
    assert!(names.contains(&"fs_read") && !names.contains(&"fs_write"), "{names:?}");
    let refused = port.request("tools/call", json!({"name": "fs_write", "arguments": {}}));
    assert_eq!(refused["error"]["code"], -32602);
}

#[test]
fn a_broken_file_keeps_the_last_good_one_and_is_said() {
    let world = World::new("[files]\nblocked = [\"a.txt\"]");
    world.write("a.txt", "hello\n");
    let mut port = world.connect();
    port.hello();
    world.configure("version = 1\n[files]\nblokced = []\n");
    let told = changed(&mut port, |params| params["config"]["error"].is_object());
    assert_eq!(told["config"]["ok"], true);
    assert_eq!(
        (&told["config"]["error"]["line"], &told["config"]["error"]["column"]),
        (&json!(3), &json!(1))
    );
    assert_eq!(told["config"]["error"]["hint"], "did you mean `blocked`?");
    assert_eq!(port.hello()["config"], told["config"]);
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "blocked_path");
    // A file that others may write is as bad; one that is gone is no configuration either.
    world.configure(&with(&world, ""));
    changed(&mut port, |params| params["config"] == json!({"path": world.config(), "ok": true}));
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
    fs::set_permissions(world.config(), fs::Permissions::from_mode(0o666)).unwrap();
    let told = changed(&mut port, |params| params["config"]["error"].is_object());
    assert!(told["config"]["error"]["hint"].as_str().unwrap().contains("chmod go-w"), "{told}");
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
}

#[test]
fn a_host_that_began_broken_serves_once_the_file_is_mended() {
    let world = World::new("");
    world.write("a.txt", "hello\n");
    world.configure("version = 2\n");
    let mut port = world.connect();
    assert_eq!(port.hello()["config"]["ok"], false);
    assert_eq!(port.request("tools/list", json!({}))["error"]["code"], -32051);
    world.configure(&with(&world, ""));
    changed(&mut port, |params| params["config"]["ok"] == true);
    assert_eq!(port.hello()["config"]["ok"], true);
    let read = port.call("fs_read", json!({"path": "a.txt"}));
    assert!(read["content"][0]["text"].as_str().unwrap().contains("hello"), "{read}");
    let written = port.call_allowed("fs_write", json!({"path": "b.txt", "content": "b"}), json!({}));
    assert_eq!(written["structuredContent"]["ok"], true);
}

#[test]
fn links_on_the_way_to_the_file_are_followed() {
    let world = World::new("");
    world.write("a.txt", "hello\n");
    let at = |name: &str| world.folder.path().join(name);
    for (folder, lines) in [("one", ""), ("two", "[files]\nblocked = [\"a.txt\"]")] {
        fs::create_dir(at(folder)).unwrap();
        put(&at(folder).join("config.toml"), &with(&world, lines));
    }
    symlink("one", at("data")).unwrap();
    fs::remove_file(world.config()).unwrap();
    symlink("data/config.toml", world.config()).unwrap();
    let mut port = world.connect();
    port.hello();
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
    // The folder is turned to another, in one step.
    symlink("two", at("turn")).unwrap();
    fs::rename(at("turn"), at("data")).unwrap();
    changed(&mut port, |params| params.get("config").is_some());
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "blocked_path");
    // What it leads to now is watched, too.
    put(&at("two").join("config.toml"), &with(&world, ""));
    changed(&mut port, |params| params.get("config").is_some());
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
}

#[test]
fn a_folder_above_that_is_replaced_with_all_that_is_in_it_is_seen() {
    let world = World::new("");
    world.write("a.txt", "hello\n");
    let at = |name: &str| world.folder.path().join(name);
    for (above, lines) in [("home", ""), ("restored", "[files]\nblocked = [\"a.txt\"]")] {
        fs::create_dir_all(at(above).join("config")).unwrap();
        put(&at(above).join("config/config.toml"), &with(&world, lines));
    }
    fs::remove_file(world.config()).unwrap();
    symlink("home/config/config.toml", world.config()).unwrap();
    let mut port = world.connect();
    port.hello();
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
    fs::rename(at("home"), at("old")).unwrap();
    fs::rename(at("restored"), at("home")).unwrap();
    changed(&mut port, |params| params.get("config").is_some());
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "blocked_path");
    // What stands there now is watched, too.
    put(&at("home/config/config.toml"), &with(&world, ""));
    changed(&mut port, |params| params.get("config").is_some());
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
}

#[test]
fn a_plan_of_another_law_is_asked_again() {
    let world = World::new("");
    let mut port = world.connect();
    port.hello();
    let (arguments, meta) = (json!({"path": "a.txt", "content": "a"}), json!({}));
    let asked = port.call_with("fs_write", arguments.clone(), meta.clone());
    world.configure(&with(&world, "[tools]\ntier = { fs_write = \"individual\" }"));
    changed(&mut port, |params| params.get("config").is_some());
    let again =
        port.answer_plan("fs_write", arguments.clone(), meta.clone(), &asked, json!({"decision": "allow"}));
    let plan = &again["_meta"]["dev.outrigger/plan"];
    assert!(plan["reasons"][0].as_str().unwrap().starts_with("approval_stale"), "{again}");
    assert_eq!(plan["tier"], "individual");
    let done = port.answer_plan("fs_write", arguments, meta, &again, json!({"decision": "allow"}));
    assert_eq!(done["structuredContent"]["ok"], true);
}

#[test]
fn a_caller_that_is_no_longer_allowed_is_sent_away() {
    let world =
        World::new("[extensions]\nallow = [\"chrome-extension://abcdefghijklmnopabcdefghijklmnop/\"]");
    let mut port = Port::spawn(world.command().arg("chrome-extension://abcdefghijklmnopabcdefghijklmnop/"));
    assert_eq!(port.hello()["config"]["ok"], true);
    world.configure(&with(&world, ""));
    loop {
        let message = port.receive().expect("a bye before the end");
        if message["method"] == "notifications/outrigger/bye" {
            assert_eq!(message["params"]["code"], 5);
            break;
        }
    }
    assert!(port.receive().is_none());
}

/// Of a command's own tier, its tool's and the workspace's the strictest counts; a command without one asks as its tool does.
#[test]
fn the_strictest_tier_of_command_tool_and_workspace_counts() {
    let command = |id: &str, tier: &str| {
        format!("[[command]]\nid = \"{id}\"\nprogram = \"true\"\npositional = \"none\"\n{tier}\n")
    };
    let commands = [
        command("free", "tier = \"auto\""),
        command("strict", "tier = \"individual\""),
        command("plain", ""),
    ]
    .concat();
    let (auto, batch, individual) = ("auto", "batch", "individual");
    for (tool, local, expected) in [
        ("", "", [auto, individual, individual]),
        (auto, "", [auto, individual, auto]),
        (batch, "", [batch, individual, batch]),
        (individual, "", [individual; 3]),
        ("", batch, [batch, individual, individual]),
        (auto, batch, [batch, individual, batch]),
        (auto, individual, [individual; 3]),
        (batch, auto, [batch, individual, batch]),
    ] {
        let line = if tool.is_empty() {
            String::new()
        } else {
            format!("[tools]\ntier = {{ exec_run = \"{tool}\" }}\n")
        };
        let world = World::new(&format!("{commands}{line}"));
        if !local.is_empty() {
            world.write(".outrigger.toml", format!("[tools]\ntier = {{ exec_run = \"{local}\" }}\n"));
        }
        let mut port = world.connect();
        port.hello();
        for (id, expected) in ["free", "strict", "plain"].into_iter().zip(expected) {
            let answer = port.call("exec_run", json!({"command": id}));
            let plan = &answer["_meta"]["dev.outrigger/plan"]["tier"];
            let tier = plan.as_str().unwrap_or(auto);
            assert_eq!(tier, expected, "{id}, tool {tool:?}, workspace {local:?}: {answer}");
        }
    }
}

#[test]
fn a_workspace_may_narrow_its_own_rules() {
    let world = World::new("");
    world.write("a.txt", "hello\n");
    world.write("deploy/x.txt", "x\n");
    let mut port = world.connect();
    port.hello();
    let warnings =
        |port: &mut Port| port.call("workspace_info", json!({}))["structuredContent"]["warnings"].to_string();
    assert_eq!(warnings(&mut port), "[]");
    world.write(
        ".outrigger.toml",
        "[files]\nblocked = [\"a.txt\", \"!*.pem\"]\nprotected = [\"deploy/**\"]\n[tools.tier]\nfs_edit = \"individual\"\nfs_write = \"auto\"\n\
         [exec]\nenabled = false\nsandbox = \"off\"\n[[command]]\nid = \"evil\"\nprogram = \"sh\"\nallow_flags = [\"-c\"]\npositional = \"any\"\n[log]\nlevel = \"trace\"\n",
    );
    world.write("b.pem", "not to be read\n");
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "blocked_path");
    assert_eq!(code(&port.call("fs_read", json!({"path": "b.pem"}))), "blocked_path");
    let plan = |answer: &Value| answer["_meta"]["dev.outrigger/plan"].clone();
    let asked = port.call("fs_write", json!({"path": "deploy/y.txt", "content": "y"}));
    assert_eq!(plan(&asked)["tier"], "individual");
    // `auto` waits for trust.
    let asked = port.call("fs_write", json!({"path": "y.txt", "content": "y"}));
    assert_eq!(plan(&asked)["tier"], "batch");
    let asked =
        port.call("fs_edit", json!({"path": "deploy/x.txt", "edits": [{"old_text": "x", "new_text": "y"}]}));
    assert_eq!(plan(&asked)["tier"], "individual");
    let refused = port.call("exec_run", json!({"command": "evil", "args": ["-c", "id"]}));
    assert_eq!(code(&refused), "command_not_allowed", "{refused}");
    let told = warnings(&mut port);
    for word in ["!*.pem", "fs_write", "evil", "exec.sandbox", "`log`"] {
        assert!(told.contains(word), "{word}: {told}");
    }
    // Changing the file is itself asked one by one, and takes effect at once.
    let asked = port.call("fs_write", json!({"path": ".outrigger.toml", "content": "", "mode": "overwrite"}));
    assert_eq!(plan(&asked)["tier"], "individual");
    fs::remove_file(world.workspace().join(".outrigger.toml")).unwrap();
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
    assert_eq!(warnings(&mut port), "[]");
}

/// A host that has not seen it in a usable state: what it blocks could be anything.
#[test]
fn a_workspace_file_that_cannot_be_used_opens_nothing() {
    let world = World::new("");
    world.write("a.txt", "hello\n");
    world.write("docs/b.txt", "hello\n");
    let mut port = world.connect();
    port.hello();
    let file = world.workspace().join(".outrigger.toml");
    let told = |port: &mut Port| {
        let info = port.call("workspace_info", json!({}));
        info["structuredContent"]["warnings"][0].as_str().unwrap_or_default().to_owned()
    };
    let closed = |port: &mut Port| {
        for (tool, arguments) in [
            ("fs_read", json!({"path": "a.txt"})),
            ("fs_list", json!({})),
            ("fs_list", json!({"path": "docs"})),
            ("search_grep", json!({"pattern": "hello"})),
            ("search_glob", json!({"pattern": "**"})),
            ("fs_write", json!({"path": "y.txt", "content": "y"})),
            ("fs_delete", json!({"path": "a.txt"})),
            ("fs_move", json!({"from": "docs", "to": "d"})),
        ] {
            let refused = port.call(tool, arguments);
            assert_eq!(code(&refused), "blocked_path", "{tool}: {refused}");
            let said = refused["structuredContent"]["message"].as_str().unwrap();
            let why = "closed, since `.outrigger.toml` of the workspace `app` cannot be used (";
            assert!(said.contains(why), "{tool}: {said}");
            assert!(
                refused["structuredContent"]["hint"].as_str().unwrap().contains("mend `.outrigger.toml`")
            );
        }
        assert_eq!(code(&port.call("exec_run", json!({"command": "go_test"}))), "command_not_allowed");
    };
    assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
    for broken in [
        "[files]\nblocked = [\n",
        "[files]\nbloked = [\"a.txt\"]\n",
        "[files]\nblocked = [\"a.txt\", 5]\n",
        "[file]\nblocked = [\"a.txt\"]\n",
        "[files]\nblocked = [\"a[\"]\n",
        "[tools.tier]\nfs_wriet = \"individual\"\n",
    ] {
        fs::write(&file, broken).unwrap();
        closed(&mut port);
        let said = told(&mut port);
        assert!(
            said.contains("line ") && said.contains("nothing but the file itself is open"),
            "{broken}: {said}"
        );
        // No resource of it either, and no change of a name is worth a look.
        let read = port.request("resources/read", json!({"uri": "outrigger://app/a.txt"}));
        assert_eq!(read["error"]["data"]["code"], "blocked_path", "{read}");
        // It can be mended.
        let read = port.call("fs_read", json!({"path": ".outrigger.toml"}));
        assert_eq!(code(&read), "", "{read}");
        let mended = json!({"path": ".outrigger.toml", "content": "[files]\nblocked = [\"a.txt\"]\n", "mode": "overwrite"});
        let asked = port.call("fs_write", mended.clone());
        assert_eq!(asked["_meta"]["dev.outrigger/plan"]["tier"], "individual", "{asked}");
        let done = port.call_allowed("fs_write", mended, json!({}));
        assert_eq!(code(&done), "", "{done}");
        assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "blocked_path");
        assert_eq!(code(&port.call("fs_read", json!({"path": "docs/b.txt"}))), "");
        assert_eq!(told(&mut port), "");
        fs::remove_file(&file).unwrap();
        assert_eq!(code(&port.call("fs_read", json!({"path": "a.txt"}))), "");
    }
    world.write("other.toml", "[files]\n");
    symlink("other.toml", &file).unwrap();
    closed(&mut port);
    assert!(told(&mut port).contains("symbolic link, "));
    let done = port.call_allowed("fs_delete", json!({"path": ".outrigger.toml"}), json!({}));
    assert_eq!(code(&done), "", "{done}");
    assert!(Command::new("mkfifo").arg(&file).status().unwrap().success());
    closed(&mut port);
    fs::remove_file(&file).unwrap();
    fs::write(&file, "x".repeat(300 * 1024)).unwrap();
    closed(&mut port);
    fs::remove_file(&file).unwrap();
    fs::write(&file, b"[files]\nblocked = [\"\xff\"]\n").unwrap();
    closed(&mut port);
    fs::remove_file(&file).unwrap();
    fs::write(&file, "[tools]\nprofile = \"read\"\n").unwrap();
    assert_eq!(code(&port.call("fs_write", json!({"path": "y.txt", "content": "y"}))), "permission_denied");
    assert_eq!(code(&port.call("fs_list", json!({}))), "");
}

#[test]
fn what_a_workspace_file_last_said_stays_in_force() {
    let world = World::new("");
    world.write("a.txt", "hello\n");
    world.write("b.txt", "hello\n");
    world.write("c.pem", "hello\n");
    let usable = "[files]\nblocked = [\"a.txt\", \"!*.pem\"]\n[exec]\nenabled = false\n";
    world.write(".outrigger.toml", usable);
    let trusted = world.command().args(["trust", "--yes"]).arg(world.workspace()).output().unwrap();
    assert!(trusted.status.success(), "{trusted:?}");
    let mut port = world.connect();
    port.hello();
    let codes = |port: &mut Port| {
        ["a.txt", "b.txt", "c.pem"].map(|path| code(&port.call("fs_read", json!({"path": path}))).to_owned())
    };
    let tier = |port: &mut Port| {
        let asked = port.call("fs_write", json!({"path": "y.txt", "content": "y"}));
        asked["_meta"]["dev.outrigger/plan"]["tier"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(codes(&mut port), ["blocked_path", "", ""]);
    assert_eq!(tier(&mut port), "batch");
    world.write(".outrigger.toml", format!("{usable}[files]\n"));
    // What trust had opened was the affair of those bytes.
    assert_eq!(codes(&mut port), ["blocked_path", "", "blocked_path"]);
    assert_eq!(tier(&mut port), "individual");
    assert_eq!(code(&port.call("exec_run", json!({"command": "go_test"}))), "command_not_allowed");
    let info = port.call("workspace_info", json!({}));
    let said = info["structuredContent"]["warnings"][0].as_str().unwrap();
    assert!(said.contains("line 5") && said.contains("what it said before stays in force"), "{said}");
    // Nor does another configuration make it forgotten.
    let config = fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{config}\n[files]\nblocked = [\"b.txt\"]\n"));
    while codes(&mut port)[1].is_empty() {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert_eq!(codes(&mut port), ["blocked_path", "blocked_path", "blocked_path"]);
    // Once it is gone, nothing of it is left.
    fs::remove_file(world.workspace().join(".outrigger.toml")).unwrap();
    assert_eq!(codes(&mut port)[0], "");
    world.write(".outrigger.toml", "[files");
    assert_eq!(codes(&mut port), ["blocked_path", "blocked_path", "blocked_path"]);
}

/// What nobody knows of a workspace's files is closed under whatever name they have.
#[test]
fn a_broken_file_of_an_inner_workspace_closes_its_files_around_it_too() {
    let world = nested();
    world.write("own/.outrigger.toml", "[files]\nblocked = [\n");
    world.write("own/t.txt", "plain\n");
    let mut port = world.connect();
    port.hello();
    let refused = port.call("fs_read", json!({"path": "own/t.txt"}));
    assert_eq!(code(&refused), "blocked_path", "{refused}");
    let said = refused["structuredContent"]["message"].as_str().unwrap();
    assert!(
        said.contains(
            "`own/t.txt` is closed, since `.outrigger.toml` of the workspace `own` cannot be used (line "
        ),
        "{said}"
    );
    let found = port.call("search_grep", json!({"pattern": "plain|hidden"}));
    assert_eq!(found["structuredContent"]["data"]["matches"], json!([]), "{found}");
    assert_eq!(code(&port.call("fs_read", json!({"path": "kept/a.txt"}))), "");
    assert_eq!(code(&port.call("fs_read", json!({"path": "own/.outrigger.toml"}))), "");
    world.write("own/.outrigger.toml", "[files]\nblocked = [\"s.txt\"]\n");
    assert_eq!(code(&port.call("fs_read", json!({"path": "own/t.txt"}))), "");
    assert_eq!(code(&port.call("fs_read", json!({"path": "own/s.txt"}))), "blocked_path");
}

#[test]
fn a_workspace_whose_folder_is_gone_is_told_as_such() {
    let world = World::new("");
    let other = world.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let config = fs::read_to_string(world.config()).unwrap();
    world
        .configure(&format!("{config}[[workspace]]\nid = \"other\"\npath = {:?}\n", other.to_str().unwrap()));
    let mut port = world.connect();
    port.hello();
    let list = |port: &mut Port| {
        let list = port.request("outrigger/workspaces/list", json!({}));
        list["result"]["workspaces"].as_array().unwrap().clone()
    };
    assert!(list(&mut port).iter().all(|workspace| workspace["available"] == true));
    fs::rename(world.workspace(), world.folder.path().join("moved")).unwrap();
    let link_to_another = || symlink(&other, world.workspace()).unwrap();
    for put_there in [&|| {}, &link_to_another] as [&dyn Fn(); 2] {
        put_there();
        let listed = list(&mut port);
        assert_eq!(
            (&listed[0]["available"], &listed[1]["available"]),
            (&json!(false), &json!(true)),
            "{listed:#?}"
        );
        let reason = listed[0]["reason"].as_str().unwrap();
        assert!(reason.contains("`app`") && reason.contains("is gone"), "{reason}");
        assert_eq!(code(&port.call("fs_list", json!({}))), "not_found");
        let info = port.call("workspace_info", json!({}));
        let roots = &info["structuredContent"]["data"]["roots"];
        let told =
            |index: usize| (&roots[index]["name"], &roots[index]["default"], &roots[index]["unavailable"]);
        assert_eq!(told(0), (&json!("app"), &json!(true), &json!(reason)), "{info:#}");
        assert_eq!(told(1), (&json!("other"), &json!(false), &Value::Null), "{info:#}");
        assert!(
            info["content"][0]["text"].as_str().unwrap().contains(" (default, cannot be used: the folder "),
            "{info:#}"
        );
        // The same from the workspace that is there.
        let info = port.call_with("workspace_info", json!({}), json!({"dev.outrigger/workspace": "other"}));
        let roots = &info["structuredContent"]["data"]["roots"];
        assert_eq!(
            (&roots[0]["name"], &roots[0]["unavailable"]),
            (&json!("other"), &Value::Null),
            "{info:#}"
        );
        assert_eq!(
            (&roots[1]["name"], &roots[1]["unavailable"]),
            (&json!("app"), &json!(reason)),
            "{info:#}"
        );
    }
}

/// Who writes in our own folders decides what is trusted and what can be undone: no workspace is one of them, or lies in one.
#[test]
fn no_workspace_is_a_folder_of_our_own() {
    let world = World::new("");
    let state = world.state();
    std::fs::create_dir_all(state.join("log/deep")).unwrap();
    std::os::unix::fs::symlink(&state, world.workspace().join("link")).unwrap();
    let link = world.workspace().join("link");
    for folder in [&state, &state.join("log/deep"), &link] {
        let before = std::fs::read_to_string(world.config()).unwrap();
        let output = world.command().args(["workspace", "add", "--id", "own"]).arg(folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains("a folder of outrigger itself"),
            "{folder:?}: {said}"
        );
        assert_eq!(std::fs::read_to_string(world.config()).unwrap(), before);
        world.configure(&format!("{before}\n[[workspace]]\nid = \"own\"\npath = {folder:?}\n"));
        let output = world.command().args(["config", "check"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && said.contains("a folder of outrigger itself"),
            "{folder:?}: {said}"
        );
        world.configure(&before);
    }
    // The folder around it may be one: what is ours in it stays closed.
    let around = state.parent().unwrap();
    let before = std::fs::read_to_string(world.config()).unwrap();
    world.configure(&format!("{before}\n[[workspace]]\nid = \"around\"\npath = {around:?}\n"));
    assert!(world.command().args(["config", "check"]).status().unwrap().success());
    let mut port = world.connect();
    port.hello();
    let name = state.file_name().unwrap().to_str().unwrap();
    for path in [format!("around:{name}/trust.json"), format!("around:{name}/log/new.txt")] {
        let answer = port.call("fs_write", json!({"path": path, "content": "x"}));
        assert_eq!(answer["structuredContent"]["code"], "protected_path", "{answer:#}");
    }
}

/// A workspace, a read-only one in it, and one with rules of its own: all of it holds whoever serves which of them.
fn nested() -> World {
    let world = World::new("");
    let root = world.workspace();
    world.write("kept/a.txt", "one\n");
    world.write("own/s.txt", "hidden\n");
    world.write("own/.outrigger.toml", "[files]\nblocked = [\"s.txt\"]\n");
    let workspace =
        |id: &str, path: &Path| format!("[[workspace]]\nid = \"{id}\"\npath = \"{}\"\n", path.display());
    let all = [
        workspace("app", &root),
        workspace("kept", &root.join("kept")),
        "read_only = true\n".to_owned(),
        workspace("own", &root.join("own")),
    ];
    let settings = "version = 1\n[tools]\nprofile = \"full\"\n[mcp]\napprovals = \"trust-client\"\n";
    world.configure(&(settings.to_owned() + &all.concat()));
    world
}

/// What the MCP server of one workspace alone answers to these calls.
fn served_alone(world: &World, workspace: &str, calls: &[(&str, Value)]) -> Vec<Value> {
    use std::io::{BufRead as _, Write as _};
    let pipe = std::process::Stdio::piped;
    let mut command = world.command();
    let mut host =
        command.args(["mcp", "--workspace", workspace]).stdin(pipe()).stdout(pipe()).spawn().unwrap();
    let mut output = std::io::BufReader::new(host.stdout.take().unwrap()).lines();
    let mut input = host.stdin.take().unwrap();
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let mut ask = |id: usize, method: &str, params: Value| -> Value {
        writeln!(input, "{}", json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))
            .unwrap();
        loop {
            let message: Value = serde_json::from_str(&output.next().unwrap().unwrap()).unwrap();
            if message["id"] == id {
                return message["result"].clone();
            }
        }
    };
    ask(0, "initialize", hello);
    let answers = calls.iter().enumerate().map(|(number, (name, arguments))| {
        ask(number + 1, "tools/call", json!({"name": name, "arguments": arguments}))
    });
    let answers = answers.collect();
    drop(input);
    assert!(host.wait().unwrap().success());
    answers
}

#[test]
fn a_workspace_that_is_served_alone_keeps_the_rules_of_those_in_it() {
    let world = nested();
    let answers = served_alone(
        &world,
        "app",
        &[
            ("fs_write", json!({"path": "kept/new.txt", "content": "x"})),
            ("fs_edit", json!({"path": "kept/a.txt", "edits": [{"old_text": "one", "new_text": "two"}]})),
            ("fs_read", json!({"path": "own/s.txt"})),
            ("fs_read", json!({"path": "kept:a.txt"})),
            ("workspace_info", json!({"detail": true})),
            ("fs_write", json!({"path": "new.txt", "content": "x"})),
        ],
    );
    let codes: Vec<&str> = answers
        .iter()
        .map(|answer| answer["structuredContent"]["code"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(
        codes,
        ["protected_path", "protected_path", "blocked_path", "not_found", "", ""],
        "{answers:#?}"
    );
    // What is not served is not named either.
    assert!(!answers[4].to_string().contains("\"kept\""), "{:#}", answers[4]);
    assert_eq!(world.read("kept/a.txt"), "one\n");
    assert_eq!(world.read("new.txt"), "x");
}

#[test]
fn an_undo_writes_into_no_workspace_that_is_read_only_by_now() {
    let world = nested();
    let config = std::fs::read_to_string(world.config()).unwrap();
    world.configure(&config.replace("read_only = true\n", ""));
    let mut port = world.connect();
    port.hello();
    let turn = |turn: &str| {
        json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
            "dev.outrigger/session": "s1", "dev.outrigger/turn": turn})
    };
    let edit = json!({"path": "kept/a.txt", "edits": [{"old_text": "one", "new_text": "two"}]});
    let edited = port.call_allowed("fs_edit", edit, turn("t1"));
    assert_eq!(edited["structuredContent"]["ok"], true, "{edited:#}");
    world.configure(&config);
    // The host learns of it in a moment.
    while port.call("fs_write", json!({"path": "kept/b.txt", "content": "x"}))["structuredContent"]["code"]
        != "protected_path"
    {
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let looked =
        port.request("outrigger/turns/undo", json!({"turn": "t1", "dry_run": true}))["result"].clone();
    assert!(looked["files"][0]["conflict"].as_str().unwrap().contains("read-only"), "{looked:#}");
    let undone = port.request("outrigger/turns/undo", json!({"turn": "t1"}))["result"].clone();
    assert_eq!(undone["state"], "conflict", "{undone:#}");
    assert_eq!(world.read("kept/a.txt"), "two\n");
    let output = world.command().args(["undo", "t1", "--overwrite"]).output().unwrap();
    assert!(!output.status.success(), "{output:?}");
    assert_eq!(world.read("kept/a.txt"), "two\n");
}

#[test]
fn a_read_only_workspace_whose_folder_was_replaced_stays_closed() {
    let world = nested();
    let mut port = world.connect();
    port.hello();
    let root = world.workspace();
    std::fs::rename(root.join("kept"), root.join("old")).unwrap();
    world.write("kept/a.txt", "another\n");
    for path in ["kept/a.txt", "kept/new.txt"] {
        let answer = port.call("fs_write", json!({"path": path, "content": "x"}));
        assert_eq!(answer["structuredContent"]["code"], "protected_path", "{answer:#}");
    }
    // So do its own rules, as they were seen last.
    std::fs::rename(root.join("own"), root.join("old-own")).unwrap();
    world.write("own/s.txt", "another\n");
    let answer = port.call("fs_read", json!({"path": "own/s.txt"}));
    assert_eq!(answer["structuredContent"]["code"], "blocked_path", "{answer:#}");
    // What a user denies there is denied still.
    let denied = json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
        "dev.outrigger/denied": [{"path": "a.*", "workspace": "kept"}]});
    let answer = port.call_with("fs_read", json!({"path": "kept/a.txt"}), denied);
    assert_eq!(answer["structuredContent"]["code"], "blocked_path", "{answer:#}");
}

/// A link on the way to a workspace, moved, would lead its name elsewhere, and its rules with it.
#[test]
fn what_leads_to_a_workspace_stays_where_it_is() {
    let world = World::new("");
    let root = world.workspace();
    world.write("real/deep/a.txt", "one\n");
    world.write("libs/inner/b.txt", "one\n");
    std::os::unix::fs::symlink("real", root.join("link")).unwrap();
    let config = std::fs::read_to_string(world.config()).unwrap();
    let workspace = |id: &str, path: &str| {
        format!("[[workspace]]\nid = \"{id}\"\npath = \"{}\"\n", root.join(path).display())
    };
    let others =
        [workspace("linked", "link/deep"), "read_only = true\n".to_owned(), workspace("inner", "libs/inner")];
    world.configure(&format!("{config}\n{}", others.concat()));
    let mut port = world.connect();
    port.hello();
    for path in ["link", "libs", "libs/inner", "real", "real/deep"] {
        for (tool, arguments) in [
            ("fs_move", json!({"from": path, "to": "elsewhere"})),
            ("fs_delete", json!({"path": path, "recursive": true})),
        ] {
            let answer = port.call(tool, arguments);
            assert_eq!(answer["structuredContent"]["code"], "protected_path", "{path}: {answer:#}");
        }
    }
    let patch = "*** Begin Patch\n*** Delete File: link\n*** End Patch\n";
    let answer = port.call("fs_apply_patch", json!({"patch": patch}));
    assert_eq!(answer["structuredContent"]["code"], "protected_path", "{answer:#}");
    // What is in it is open as before.
    let meta = json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app"});
    let moved = json!({"from": "libs/inner/b.txt", "to": "libs/c.txt"});
    let moved = port.call_allowed("fs_move", moved, meta);
    assert_eq!(moved["structuredContent"]["ok"], true, "{moved:#}");
}

#[test]
fn an_undo_follows_no_folder_that_was_moved_away() {
    let world = World::new("");
    world.write("a.txt", "one\n");
    let mut port = world.connect();
    port.hello();
    let meta = json!({"dev.outrigger/call": outrigger::ids::new_ulid(), "dev.outrigger/workspace": "app",
        "dev.outrigger/session": "s1", "dev.outrigger/turn": "t1"});
    let edit = json!({"path": "a.txt", "edits": [{"old_text": "one", "new_text": "two"}]});
    assert_eq!(port.call_allowed("fs_edit", edit, meta)["structuredContent"]["ok"], true);
    let away = world.workspace().with_file_name("away");
    std::fs::rename(world.workspace(), &away).unwrap();
    for replaced in [false, true] {
        if replaced {
            world.write("a.txt", "two\n");
        }
        let undone = port.request("outrigger/turns/undo", json!({"turn": "t1"}));
        assert!(undone["error"]["message"].as_str().unwrap().contains("not there now"), "{undone:#}");
        assert_eq!(std::fs::read_to_string(away.join("a.txt")).unwrap(), "two\n");
    }
    std::fs::remove_dir_all(world.workspace()).unwrap();
    std::fs::rename(&away, world.workspace()).unwrap();
    let undone = port.request("outrigger/turns/undo", json!({"turn": "t1"}));
    assert_eq!(undone["result"]["state"], "done", "{undone:#}");
    assert_eq!(world.read("a.txt"), "one\n");
}
