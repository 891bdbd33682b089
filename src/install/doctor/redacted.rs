//! The findings as text that can be shown to strangers: no names and folders of the user, no words of workspaces.

use std::fmt::Write as _;

use super::Diagnosis;
use crate::{
    install::{
        check::{Check, Verdict},
        environment::Environment,
    },
    text,
};

/// The report.
pub fn text(environment: &Environment, diagnosis: &Diagnosis) -> String {
    let mut report = format!(
        "outrigger doctor {} on {} ({})\nverdict: {}\n",
        diagnosis.version,
        environment.os.as_str(),
        std::env::consts::ARCH,
        if diagnosis.ok { "ok" } else { "not ok" },
    );
    for browser in &diagnosis.browsers {
        let word = if browser.ok { "ok" } else { "not ok" };
        let _ = write!(
            report,
            "\n{} ({}): {word}\n  manifest: {}\n",
            browser.name,
            browser.browser,
            browser.manifest.display()
        );
        browser.checks.iter().for_each(|check| add(&mut report, check));
    }
    report.push_str("\nthis machine\n");
    diagnosis.general.iter().for_each(|check| add(&mut report, check));
    without_names(environment, &report)
}

fn add(report: &mut String, check: &Check) {
    let word = match check.verdict {
        Verdict::Ok => "ok",
        Verdict::Warning => "warning",
        Verdict::Problem => "problem",
        Verdict::NotChecked => "not checked",
    };
    // What a workspace is called and where it lies concerns nobody.
    if check.id == "workspace.available" {
        let _ = writeln!(report, "  {word:<11} {}", check.id);
        return;
    }
    let _ = writeln!(report, "  {word:<11} {}: {}", check.id, text::visible(&check.message));
    for (what, words) in [("seen", &check.evidence), ("fix", &check.fix), ("advice", &check.advice)] {
        if let Some(words) = words {
            let _ = writeln!(report, "              {what}: {}", text::visible(words));
        }
    }
}

/// The home folder becomes `~`; the user's name, where it stands as a part of a path, `<user>`.
fn without_names(environment: &Environment, report: &str) -> String {
    let home = environment.home.to_string_lossy();
    let mut clean = report.replace(&*home, "~");
    let names = [
        environment.home.file_name().map(|name| name.to_string_lossy().into_owned()),
        std::env::var("USER").ok(),
    ];
    for name in names.into_iter().flatten().filter(|name| name.len() > 1 && name != "root") {
        for end in ['/', '`', ' ', '\n', '"', '\'', '\\'] {
            for begin in ['/', '\\'] {
                clean = clean.replace(&format!("{begin}{name}{end}"), &format!("{begin}<user>{end}"));
            }
        }
    }
    clean
}
