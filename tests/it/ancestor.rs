//! The 34 defects that were seen in the code of this program's ancestor: what each was, and the tests that keep it away from here.
//!
//! A defect without a test, or with one that is not there any more, fails.

use std::{fs, path::Path};

/// The number, what went wrong, and who watches it: `file::test` below `tests/it`, or a path from the root and a test in it.
const DEFECTS: &[(u8, &str, &[&str])] = &[
    (
        1,
        "a path was checked, then another was opened",
        &["door_race::a_file_swapped_for_a_link_is_neither_read_nor_written_through", "tool_race"],
    ),
    (
        2,
        "a write followed a dangling link outside",
        &["door::links_lead_on_only_inside", "fs_tools::links_and_hard_links"],
    ),
    (3, "a search followed links outside", &["search::links_and_fifos_are_never_followed_or_opened"]),
    (4, "a search showed blocked files", &["door::a_blocked_name_is_blocked_through_every_tool"]),
    (
        5,
        "blocked globs had no `**`, no folders and one case",
        &[
            "src/policy/path_rules/tests.rs::secrets_are_blocked_at_any_depth_and_in_any_spelling",
            "src/policy/path_rules/tests.rs::agrees_with_a_naive_matcher",
        ],
    ),
    (6, "a file named `..foo` was refused", &["ancestor::names_that_only_look_like_parents_are_names"]),
    (
        7,
        "a new file in two new folders was refused",
        &["fs_tools::a_new_file_gets_its_folders", "fs_names::folders_are_made_and_go_again"],
    ),
    (
        8,
        "there was a current folder, and absolute paths did not work",
        &["ancestor::an_absolute_path_inside_is_the_same_file_and_there_is_no_current_folder"],
    ),
    (
        9,
        "nothing chose the workspace",
        &[
            "calls::a_path_can_name_another_workspace",
            "errands::a_folder_that_a_person_picks_is_a_workspace_at_once",
        ],
    ),
    (
        10,
        "each call had a new host, which knew nothing",
        &[
            "hosts_together::hosts_that_write_at_the_same_time_keep_one_chain",
            "jobs::a_job_is_followed_from_look_to_look",
        ],
    ),
    (11, "the workspace itself could be deleted", &["fs_names::what_may_not_be_deleted_stays"]),
    (
        12,
        "long lines, line ends and the last one were lost in a read",
        &[
            "fs_tools::budgets_hold_for_any_file",
            "fs_tools::encodings_are_named_and_binary_is_previewed",
            "ancestor::a_line_of_a_megabyte_does_not_end_a_read_or_a_search",
        ],
    ),
    (
        13,
        "a long line hid all matches of a file",
        &["search_differential::a_line_of_megabytes_is_searched_and_shown_by_its_window"],
    ),
    (
        14,
        "globs matched names only, ignore files counted for nothing",
        &["search::glob_finds_what_fd_finds", "search::grep_and_glob_agree_with_ripgrep_and_fd_on_any_tree"],
    ),
    (
        15,
        "exactly as many as asked counted as cut, and totals were wrong",
        &[
            "search::a_capped_search_is_exact_shallow_first_and_pages_without_gaps",
            "src/tools/search/hits.rs::a_short_line_is_whole_and_a_long_one_is_centred",
        ],
    ),
    (
        16,
        "writes were not atomic and forgot the mode",
        &[
            "kill_drill::a_write_is_whole_or_not_there",
            "fs_tools::encoding_line_ends_and_mode_stay",
            "fs_tools::an_existing_file_is_not_overwritten_by_accident",
        ],
    ),
    (17, "arguments went through a shell", &["process::arguments_arrive_byte_by_byte"]),
    (
        18,
        "allowed programs ran anything by a flag",
        &[
            "src/policy/examples.rs::no_shipped_command_takes_a_hostile_argument",
            "ancestor::an_argument_file_is_a_path_like_any_other",
        ],
    ),
    (19, "the environment was all or nothing", &["process::the_environment_is_built_and_not_inherited"]),
    (
        20,
        "grandchildren held the answer for ever",
        &["process::nothing_stays_after_a_normal_exit", "process::time_and_silence_have_limits"],
    ),
    (21, "a timeout was told as an exit", &["exec_run::ends_that_are_ours_are_errors_with_the_output"]),
    (
        22,
        "output was held without bound and lost its end",
        &[
            "process::a_hundred_megabytes_need_no_memory",
            "exec_run::long_output_keeps_both_ends_and_all_of_it_under_a_handle",
        ],
    ),
    (23, "an answer above 1 MiB was never given", &["ancestor::an_answer_of_megabytes_arrives"]),
    (
        24,
        "an over-long frame put the stream out of step",
        &["src/native/frame.rs::a_length_above_the_limit_is_refused_before_anything_is_allocated", "wire"],
    ),
    (
        25,
        "one call held up all others, and nothing could be cancelled",
        &[
            "ancestor::a_ping_passes_a_running_command",
            "calls::a_command_is_cancelled_by_its_key_and_the_call_itself_says_so",
        ],
    ),
    (
        26,
        "paths could be flags, and the repository above was used",
        &[
            "git::revisions_are_never_flags_or_folders",
            "git::status_is_what_git_says",
            "git::staging_refuses_what_is_not_its_business",
        ],
    ),
    (
        27,
        "reading ran what a repository configures",
        &[
            "hostile_git::configured_programs_never_run",
            "hostile_git::hooks_never_run",
            "git_hooks::the_plan_names_each_hook_with_its_hash",
        ],
    ),
    (
        28,
        "a broken configuration became the defaults",
        &[
            "reload::a_broken_file_keeps_the_last_good_one_and_is_said",
            "src/server/hello.rs::a_broken_configuration_answers_everything_with_its_error",
        ],
    ),
    (
        29,
        "settings that promised safety were read by nobody",
        &[
            "redaction::no_tool_shows_a_secret",
            "sandbox::there_is_no_network_and_no_other_way_to_it",
            "calls::a_write_asks_and_what_was_approved_is_what_runs",
        ],
    ),
    (
        30,
        "numbers were taken for missing",
        &[
            "calls::arguments_that_nearly_fit_are_put_right_and_told",
            "ancestor::numbers_of_every_kind_are_numbers",
        ],
    ),
    (
        31,
        "a question to the person held up its own answer",
        &["ancestor::a_question_does_not_hold_up_other_calls"],
    ),
    (
        32,
        "terminals outlived their session",
        &["jobs::jobs_end_with_the_connection_however_it_ends", "life::nothing_stays_whatever_ends_the_host"],
    ),
    (
        33,
        "git's own files could be written",
        &[
            "door::git_data_is_read_but_never_written",
            "src/policy/path_rules/tests.rs::git_is_forbidden_at_any_depth_and_in_any_spelling",
        ],
    ),
    (34, "tool results stood before the message that asked for them", &["extension/src/agent"]),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The text in which a test must stand, and its name; a file or folder alone must be there.
fn place(watch: &str) -> (std::path::PathBuf, Option<&str>) {
    let (file, name) = watch.split_once("::").map_or((watch, None), |(file, name)| (file, Some(name)));
    if file.contains('/') {
        return (root().join(file), name);
    }
    (root().join("tests/it").join(file).with_extension("rs"), name)
}

#[test]
fn each_of_the_34_has_a_test_that_is_there() {
    let numbers: Vec<u8> = DEFECTS.iter().map(|(number, ..)| *number).collect();
    assert_eq!(numbers, (1..=34).collect::<Vec<u8>>());
    for (number, what, watches) in DEFECTS {
        assert!(!watches.is_empty(), "D{number}: {what}");
        for watch in *watches {
            let (file, name) = place(watch);
            assert!(file.exists(), "D{number}: {what}: `{watch}` is not there");
            let Some(name) = name else { continue };
            let text = fs::read_to_string(&file).unwrap();
            assert!(text.contains(&format!("fn {name}(")), "D{number}: {what}: `{watch}` is not there");
        }
    }
}

mod behaviour {
    use serde_json::{Value, json};

    use crate::support::native::{Port, World};

    const COMMANDS: &str = "[[command]]\nid = \"wait\"\nprogram = \"sleep\"\nsummary = \"Wait\"\npositional = \"any\"\n\
        tier = \"auto\"\n[[command]]\nid = \"show\"\nprogram = \"cat\"\nsummary = \"Show\"\npositional = \"any\"\ntier = \"auto\"\n\
        allow_flags = [\"--file\", \"-f\"]\n";

    fn ready(world: &World) -> Port {
        let mut port = world.connect();
        port.hello();
        port
    }

    fn text(answer: &Value) -> String {
        answer["content"][0]["text"].as_str().unwrap_or_default().to_owned()
    }

    #[test]
    fn names_that_only_look_like_parents_are_names() {
        let world = World::new("");
        for name in ["..foo", "...", "..a/..b", "a..", "d/..x"] {
            world.write(name, "needle\n");
            let mut port = ready(&world);
            assert!(text(&port.call("fs_read", json!({"path": name}))).contains("needle"), "{name}");
            let edits = json!([{"old_text": "needle", "new_text": "thread"}]);
            port.call_allowed("fs_edit", json!({"path": name, "edits": edits}), json!({}));
            assert_eq!(world.read(name), "thread\n", "{name}");
        }
    }

    #[test]
    fn an_absolute_path_inside_is_the_same_file_and_there_is_no_current_folder() {
        let world = World::new("");
        world.write("sub/a.txt", "here\n");
        let mut port = ready(&world);
        let absolute = world.workspace().canonicalize().unwrap().join("sub/a.txt");
        let absolute = absolute.to_str().unwrap();
        for path in [absolute, "sub/a.txt", "./sub/a.txt", "sub/../sub/a.txt"] {
            let answer = port.call("fs_read", json!({"path": path}));
            assert_eq!(answer["structuredContent"]["data"]["path"], "sub/a.txt", "{path}: {answer:#}");
        }
        // Whatever was listed or read before, a path means the same.
        port.call("fs_list", json!({"path": "sub"}));
        assert_eq!(port.call("fs_read", json!({"path": "a.txt"}))["structuredContent"]["code"], "not_found");
    }

    #[test]
    fn a_line_of_a_megabyte_does_not_end_a_read_or_a_search() {
        let world = World::new("");
        world.write("long.txt", format!("first needle\n{}\nlast needle", "x".repeat(1_000_000)));
        let mut port = ready(&world);
        let answer = port.call("fs_read", json!({"path": "long.txt"}));
        let data = &answer["structuredContent"]["data"];
        assert_eq!((&data["lines_total"], &data["final_newline"]), (&json!(3), &json!(false)), "{data}");
        assert!(text(&answer).contains("last needle"));
        let found = port.call("search_grep", json!({"pattern": "needle"}));
        assert_eq!(found["structuredContent"]["data"]["matches_seen"], 2, "{found:#}");
    }

    #[test]
    fn an_argument_file_is_a_path_like_any_other() {
        let world = World::new(COMMANDS);
        world.write("list.txt", "one\n");
        world.write(".env", "SECRET=1\n");
        std::os::unix::fs::symlink("/etc", world.workspace().join("out")).unwrap();
        let mut port = ready(&world);
        for argument in [
            "@/etc/passwd",
            "@../x",
            "@out/passwd",
            "@.env",
            "@./.env",
            "--file=@/etc/passwd",
            "--file=/etc/passwd",
            "-f@../x",
        ] {
            let said =
                port.call("exec_run", json!({"command": "show", "args": [argument]}))["structuredContent"]
                    .clone();
            let code = said["code"].as_str().unwrap_or_default();
            assert!(
                ["argument_not_allowed", "blocked_path", "outside_workspace"].contains(&code),
                "{argument}: {said:#}"
            );
        }
        // One inside is only a name that `cat` does not find.
        let said = port.call("exec_run", json!({"command": "show", "args": ["@list.txt"]}));
        assert_eq!(said["structuredContent"]["data"]["exit_code"], 1, "{said:#}");
    }

    #[test]
    fn an_answer_of_megabytes_arrives() {
        let world = World::new("");
        world.write("big.txt", "a line of text with \"quotes\" and \\ and \u{1}\n".repeat(120_000));
        let mut port = ready(&world);
        let arguments = json!({"path": "big.txt", "limit": 1_000_000, "max_bytes": 16_777_216});
        let answer = port.call("fs_read", arguments);
        assert!(text(&answer).len() > 5_000_000, "{}", text(&answer).len());
    }

    #[test]
    fn a_ping_passes_a_running_command() {
        let world = World::new(COMMANDS);
        let mut port = ready(&world);
        let meta = json!({"dev.outrigger/call": "01ARZ3NDEKTSV4RRFFQ69G5FB1"});
        let arguments = json!({"command": "wait", "args": ["30"]});
        let waiting =
            port.begin("tools/call", json!({"name": "exec_run", "arguments": arguments, "_meta": meta}));
        assert_eq!(port.call("fs_list", json!({}))["structuredContent"]["ok"], true);
        assert!(port.request("tools/list", json!({})).get("result").is_some());
        port.request("outrigger/calls/cancel", json!({"call": "01ARZ3NDEKTSV4RRFFQ69G5FB1"}));
        let answer = port.answer_to(&waiting);
        assert_eq!(answer["result"]["structuredContent"]["code"], "cancelled", "{answer:#}");
    }

    #[test]
    fn a_question_does_not_hold_up_other_calls() {
        let world = World::new("");
        world.write("a.txt", "one\n");
        let mut port = ready(&world);
        let arguments = json!({"path": "new.txt", "content": "x\n"});
        let asked = port.call("fs_write", arguments.clone());
        assert_eq!(asked["resultType"], "input_required", "{asked:#}");
        assert!(text(&port.call("fs_read", json!({"path": "a.txt"}))).contains("one"));
        let edits = json!([{"old_text": "one", "new_text": "two"}]);
        port.call_allowed("fs_edit", json!({"path": "a.txt", "edits": edits}), json!({}));
        assert_eq!(world.read("a.txt"), "two\n");
        port.answer_plan("fs_write", arguments, json!({}), &asked, json!({"decision": "allow"}));
    }

    #[test]
    fn numbers_of_every_kind_are_numbers() {
        let world = World::new("");
        world.write("a.txt", "1\n2\n3\n4\n5\n");
        let mut port = ready(&world);
        for (start, limit) in [(json!(2), json!(2)), (json!(2.0), json!(2.0)), (json!("2"), json!("2"))] {
            let answer = port.call("fs_read", json!({"path": "a.txt", "start_line": start, "limit": limit}));
            let data = &answer["structuredContent"]["data"];
            assert_eq!(
                (&data["start_line"], &data["end_line"]),
                (&json!(2), &json!(3)),
                "{start}: {answer:#}"
            );
        }
    }
}
