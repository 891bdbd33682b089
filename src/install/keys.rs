//! Windows: which manifests the registry names, in the order in which browsers ask, and what is wrong about that.

use std::path::PathBuf;

use super::{
    check::{Check, Mend},
    environment::Environment,
    error::shown,
    registry::{self, Entry, View},
};

/// The manifests that the registry names for a key of ours, `HKCU\…` or `HKLM\…`.
pub fn places(environment: &Environment, key: &str, reinstall: &str) -> (Vec<Check>, Vec<PathBuf>) {
    const ID: &str = "registry.value";
    let below = key.split_once('\\').map_or(key, |(_, below)| below);
    let (of_user, of_machine) = (format!("HKCU\\{below}"), format!("HKLM\\{below}"));
    let ways = [(&of_user, View::Bits64), (&of_machine, View::Bits32), (&of_machine, View::Bits64)];
    let mut named = Vec::new();
    for (key, view) in ways {
        match registry::read(environment, key, view) {
            Ok(Entry::Value(value)) => named.push((key.as_str(), view, PathBuf::from(value))),
            Ok(Entry::Absent | Entry::Empty) => {}
            Err(error) => {
                let check = Check::problem(ID, "the registry cannot be read").seen(error.to_string());
                return (vec![check.advice(error.help())], Vec::new());
            }
        }
    }
    let problem = |id, message: &str| Check::problem(id, message).fix(reinstall).mended_by(Mend::Reinstall);
    let mut checks = Vec::new();
    let Some((taken, view, manifest)) = named.first() else {
        let check =
            problem(ID, "no registry key names a manifest of outrigger, so the browser cannot start it");
        return (vec![check.seen(format!("missing: {key}"))], Vec::new());
    };
    checks.push(if manifest.is_file() {
        Check::ok(ID, format!("`{taken}` names a manifest that is there"))
    } else {
        problem(ID, "the registry names a manifest that is not there")
            .seen(format!("{taken}: {}", shown(manifest)))
    });
    let of_64 = named.iter().find(|(key, view, _)| *key == of_machine && *view == View::Bits64);
    if let (View::Bits32, Some((_, _, hidden))) = (view, of_64)
        && hidden != manifest
    {
        let message =
            "the registry's 32-bit half hides the entry of the 64-bit half, because browsers ask it first";
        let fix = format!("reg delete \"{taken}\" /f /reg:32");
        checks.push(
            Check::problem("registry.shadowed", message)
                .seen(format!("{} hides {}", shown(manifest), shown(hidden)))
                .fix(fix),
        );
    }
    (checks, named.into_iter().map(|(_, _, manifest)| manifest).collect())
}
