//! What a shell and `man` want to know of the command line, made of the command line itself.

use std::path::PathBuf;

use clap::{Args, Command};
use clap_complete::Shell;
use clap_mangen::Man;
use serde_json::json;

use super::{
    report::{Exit, Report},
    targets::lossy,
};

/// Print completions for a shell
#[derive(Debug, Args)]
pub struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

/// Print the manual page, or write those of all commands into a folder
#[derive(Debug, Args)]
pub struct ManArgs {
    /// Write a page for each command into this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Does it.
pub fn completions(args: &CompletionsArgs, mut command: Command, report: &mut Report) -> Exit {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "outrigger", &mut text);
    say("completions", &text, report);
    Exit::Done
}

fn say(what: &str, text: &[u8], report: &mut Report) {
    let text = String::from_utf8_lossy(text);
    if report.is_json() {
        report.json(&json!({what: text}));
    } else {
        report.line(&text);
    }
}

/// Does it.
pub fn man(args: &ManArgs, mut command: Command, report: &mut Report) -> Exit {
    let result = if let Some(folder) = &args.out {
        command.build();
        clap_mangen::generate_to(command, folder).map(|()| {
            if report.is_json() {
                report.json(&json!({"folder": lossy(folder)}));
            }
        })
    } else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page).map(|()| say("page", &page, report))
    };
    match result {
        Ok(()) => Exit::Done,
        Err(error) => {
            report.error("the pages cannot be written", &error.to_string(), "name a folder that exists");
            Exit::Problems
        }
    }
}
