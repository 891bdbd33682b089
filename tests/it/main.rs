//! The integration tests, in one binary. Table of contents:
//!
//! - `support`: the real binary over real frames, and worlds to run it in
//! - `wire`: hello, MCP over frames, rubbish, bye, the end
//! - `pressure`: a peer that asks for much and reads little; a cancel that passes a file under way
//! - `config`: TOML and YAML, one model; every mistake in the same words; where files are found and who may write them
//! - `docs`: the generated pages say what the program says
//! - `calls`: plans and answers, exactly once by key, cancel, another life
//! - `audit`: what the rows say of commands, branches and commits, and of what did not happen
//! - `denied`: what a user's rules keep from a call, through every tool
//! - `world`: a workspace with files, and calls on it without a server, for the modules below
//! - `naive`: where a path leads, told by a resolver without any cleverness
//! - `door`: where paths lead and where not, special files, odd names, blocked names through every tool
//! - `door_race`: folders and files swapped for links while the door works
//! - `tool_race`: the same under every tool, and what is blocked
//! - `fs_tools`: what `fs_*` and `workspace_info` answer and change
//! - `words`: what an answer says where a caller could draw the wrong conclusion
//! - `large_files`: files that are too large to be held, read and searched to their end
//! - `fs_names`: names that go, come and get another place, over the real binary; undo of it
//! - `install`: manifests: what is written, restored, left alone, and said about it
//! - `launcher`: updates under open sessions, manifests that are mended
//! - `doctor`: hosts that each do one thing wrong, and the real one
//! - `doctor_trust`: what the doctor starts, and what it does not: of another user, of an agent, of a program that only runs
//! - `errands`: what the panel asks for a person: the doctor, folders by a dialog of the desktop
//! - `faults`: what goes wrong on real machines, seeded one by one: named, explained, mended
//! - `policies`: what administrators forbid browsers, and what of it cannot be read
//! - `fresh_home`: a home folder of an ordinary user, the real binary in it, and mounts of its own, for the six below
//! - `judge`: installed, broken, looked at, mended, taken out again: the folders, the program, the configuration
//! - `judge_disks`: disks that are full, read-only or start nothing, and files that nobody may change
//! - `judge_elsewhere`: homes that move, browsers and terminals that disagree about where things are, answers that do not arrive
//! - `judge_installs`: installations beside others, beside what strangers have, on a full disk
//! - `judge_manifests`: manifests in every shape that a file can have
//! - `judge_places`: homes, variables, masks, times, other builds and other hosts in the way
//! - `judge_rights`: who else could decide what the browser starts; what is open or closed in the state folder
//! - `judge_running`: what runs beside a good link, and what commands need; that looking leaves nothing
//! - `untouched`: what is not ours stays or comes back, and runs that are cut off leave nothing
//! - `machine`: a home folder, a binary and a terminal of its own, for the two above
//! - `reload`: the configuration changes while a host runs; a workspace brings rules of its own
//! - `scenarios`: `tests/scenarios/`: what each tool is given and answers, as data
//! - `redaction`: secrets in results: replaced, counted, never written back
//! - `shell`: the command line: tools from a shell, trust, completions and pages, exit codes
//! - `watch`: resources, and who hears of changed files, and when nobody does
//! - `search`: what `search_grep` and `search_glob` find, against ripgrep and fd
//! - `search_differential`: the same line by line and on any text: context, counts, encodings, globs, rules
//! - `git`: what the git tools see and write, against the git program
//! - `git_headings`: the line behind `@@` for each language that git knows, against the git program
//! - `git_blame`: `git_blame` against the git program, where files are renamed, merged and cut in two
//! - `git_history`: `git_log`, `git_show`, `git_blame` against the git program, over random histories
//! - `git_status`: `git_status` and `git_diff` against the git program, over random work trees
//! - `git_race`: repositories swapped for links to others while the git tools work
//! - `git_rules`: rule files that are executable or gone from the work tree, against the git program
//! - `git_work_tree`: `git_restore` and `git_switch`, over random work trees
//! - `git_written`: references, logs and index after our writes, against the git program
//! - `git_hooks`: hooks around a commit: named, asked for, run as git runs them
//! - `git_places`: repositories in folders, submodules, linked worktrees
//! - `git_protected`: what git runs or obeys later, whichever tool brings it
//! - `git_sync`: fetch, pull and push, and that nothing a repository configures takes part
//! - `ancestor`: the 34 defects of the program before this one, each with the test that keeps it away
//! - `git_bombs`: small repositories that stand for more than fits into any machine
//! - `git_packs`: packs that claim to be enormous, or are told as endless differences
//! - `hostile_git`: repositories that try to run something or to reach outside
//! - `patches`: `fs_apply_patch`, against `git apply`, and all or nothing
//! - `patch_places`: where lines go of which a patch tells little: names, numbers, empty lines; and how long it takes
//! - `patch_prose`: what stands around the parts of a patch, and patches that are damaged
//! - `commit_killed`: the host killed around a commit: made once, or told apart from what a person did
//! - `git_killed`: the host killed at each system call of a git write: no lock stays, and nobody else's goes
//! - `sync_killed`: the host killed while it exchanges commits with a remote
//! - `kill_drill`: the host killed at each system call that changes something
//! - `process`: the door to programs: what a command gets, and that nothing of it stays
//! - `odd_tree`: workspaces with everything that a folder can hold, made from a seed
//! - `sequences`: sequences of calls from a seed, with strangers and kills in between, against a naive model
//! - `undo`: a turn taken back and made again; the audit
//! - `rights`: whose a file is and who may do what with it, through writes, deletes and undo
//! - `undo_raced`: what others save while an undo, a patch or a delete is at it, and what a kill leaves of an undo
//! - `undo_rights`: what belongs to a file beside its bytes, in folders that hand on rights too, through changes and undo
//! - `journal_faults`: a journal that is damaged, gone, full; a full workspace; few descriptors
//! - `hosts_together`: several hosts on one journal: once, undone from anywhere, one chain
//! - `sandbox`: what a command that is held cannot do, and that ordinary programs work
//! - `life`: whatever ends a host, it goes, and nothing that it started stays
//! - `live`: what is told while a command runs
//! - `login_shell`: the search path, asked of shells that each do something else
//! - `jobs`: commands in the background, over the real binary
//! - `exec_run`: the tool: arguments, paths, the plan, words for every end
#![expect(clippy::disallowed_methods, reason = "tests make their own folders and start the real binary")]
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "what tests share may fail a test as a test itself may"
)]

mod ancestor;
mod audit;
mod calls;
mod catalog;
mod commit_killed;
mod config;
mod denied;
mod disk_errors;
mod docs;
mod doctor;
mod doctor_trust;
mod door;
mod door_race;
mod errands;
mod exec_run;
mod faults;
mod fresh_home;
mod fs_names;
mod fs_tools;
mod git;
mod git_blame;
mod git_bombs;
mod git_headings;
mod git_history;
mod git_hooks;
mod git_killed;
mod git_packs;
mod git_places;
mod git_protected;
mod git_race;
mod git_rules;
mod git_status;
mod git_sync;
mod git_user;
mod git_work_tree;
mod git_written;
mod hostile_git;
mod hosts_together;
mod install;
mod jobs;
mod journal_faults;
mod judge;
mod judge_disks;
mod judge_elsewhere;
mod judge_installs;
mod judge_manifests;
mod judge_places;
mod judge_rights;
mod judge_running;
mod kill_drill;
mod large_files;
mod launcher;
mod life;
mod live;
mod login_shell;
mod machine;
mod naive;
mod odd_tree;
mod patch_places;
mod patch_prose;
mod patches;
mod policies;
mod pressure;
mod process;
mod redaction;
mod reload;
mod rights;
mod sandbox;
mod scenarios;
mod search;
mod search_differential;
mod sequences;
mod shell;
mod support;
mod sync_killed;
mod tool_race;
mod undo;
mod undo_kept;
mod undo_places;
mod undo_raced;
mod undo_rights;
mod untouched;
mod watch;
mod wire;
mod words;
mod world;
