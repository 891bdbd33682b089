//! `outrigger update-launcher`: from now on browsers start this version. Sessions that are open go on with theirs.

use clap::Args;
use serde_json::json;

use super::{
    report::{Exit, Report},
    targets::{ScopeArg, refused},
};
use crate::install::{
    Environment, InstallError, Scope,
    error::shown,
    installer,
    launcher::{self, Turned},
    ownership::Record,
    repair::{self, Which},
};

/// Let browsers start this version from now on
#[derive(Args, Clone, Debug, Default)]
pub struct UpdateLauncherArgs {
    /// For whom outrigger was installed
    #[arg(long, value_enum, default_value_t)]
    scope: ScopeArg,
}

/// Does it.
pub fn run(args: &UpdateLauncherArgs, environment: &Environment, report: &mut Report) -> Exit {
    match update(args.scope.into(), environment, report) {
        Ok(exit) => exit,
        Err(error) => refused("the launcher was not updated", &error, report),
    }
}

/// Makes what is installed start this version.
pub(super) fn update(
    scope: Scope,
    environment: &Environment,
    report: &mut Report,
) -> Result<Exit, InstallError> {
    let turned = installer::turn_again(environment, scope)?;
    let program = match &turned {
        Some(_) => launcher::path(environment),
        None => launcher::placement(environment, scope, true).program().to_path_buf(),
    };
    // Read only now: somebody may have uninstalled while the launcher was waited for.
    let record = Record::read(environment, scope)?;
    let repaired = repair::repair(environment, scope, &program, Which::All)?;
    let failed = repaired.iter().filter(|repaired| repaired.result.is_err()).count();
    if report.is_json() {
        let manifests: Vec<_> = repaired
            .iter()
            .map(|repaired| {
                let error = repaired.result.as_ref().err().map(ToString::to_string);
                json!({"browser": repaired.name, "manifest": repaired.manifest.to_string_lossy(), "error": error})
            })
            .collect();
        let changed = matches!(turned, Some(Turned::New | Turned::Updated));
        report.json(&json!({"program": program.to_string_lossy(), "version": env!("CARGO_PKG_VERSION"), "changed": changed, "manifests": manifests}));
    } else {
        let place = shown(&program);
        report.line(&match turned {
            Some(Turned::Unchanged) => format!("Browsers start this version already: {place}"),
            Some(Turned::New | Turned::Updated) => {
                format!("Browsers start version {} from now on: {place}", env!("CARGO_PKG_VERSION"))
            }
            None if record.manifests.is_empty() => {
                "outrigger is in no browser: there is nothing to update.".to_owned()
            }
            None => format!("Browsers start the program itself, {place}; there is no launcher."),
        });
        for repaired in &repaired {
            match &repaired.result {
                Ok(()) => report.line(&format!("{}: the manifest names it now", repaired.name)),
                Err(error) => report.error(
                    &format!("{}: not updated", repaired.name),
                    &error.to_string(),
                    &error.help(),
                ),
            }
        }
    }
    Ok(if failed == 0 { Exit::Done } else { Exit::Problems })
}
