//! `outrigger status`: which browsers would start which binary.

use clap::Args;
use serde_json::json;

use super::{
    report::{Exit, Report, Tone},
    targets::{TargetArgs, refused},
};
use crate::install::{
    Environment, Ids,
    error::shown,
    status::{self, InstallState, TargetStatus},
};

/// Show in which browsers outrigger is installed
#[derive(Args, Clone, Debug, Default)]
pub struct StatusArgs {
    #[command(flatten)]
    targets: TargetArgs,
}

/// `outrigger status`
pub fn run(args: &StatusArgs, environment: &Environment, report: &mut Report) -> Exit {
    let found = Ids::shipped().and_then(|ids| status::status(environment, &ids, &args.targets.selection()));
    let statuses = match found {
        Ok(statuses) => statuses,
        Err(error) => return refused("the status cannot be shown", &error, report),
    };
    if report.is_json() {
        report.json(&json!({"program": environment.binary.to_string_lossy(), "targets": statuses}));
        return Exit::Done;
    }
    let heading =
        ["BROWSER", "FOUND", "STATE", "MANIFEST"].map(|title| (Tone::Faint, title.to_owned())).to_vec();
    let rows: Vec<_> = std::iter::once(heading).chain(statuses.iter().map(row)).collect();
    report.table(&rows);
    for status in &statuses {
        if let (Some(reason), true) = (&status.reason, status.state != InstallState::Missing) {
            report.line(&format!("{}: {reason}", status.name));
        }
    }
    report.line(&format!(
        "This looks at files only; `{} doctor` proves that the links work.",
        environment.command()
    ));
    Exit::Done
}

fn row(status: &TargetStatus) -> Vec<(Tone, String)> {
    let tone = match status.state {
        InstallState::Installed => Tone::Good,
        InstallState::Missing if !status.present => Tone::Faint,
        InstallState::Missing | InstallState::OtherBinary => Tone::Caution,
        InstallState::Damaged | InstallState::PointsElsewhere => Tone::Bad,
    };
    vec![
        (Tone::Strong, status.name.clone()),
        (Tone::Plain, if status.present { "yes" } else { "no" }.to_owned()),
        (tone, status.state.as_str().to_owned()),
        (Tone::Faint, shown(&status.manifest)),
    ]
}
