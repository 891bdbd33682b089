//! Windows: which manifests the registry names, in the order in which browsers ask, and what is wrong about that.

use std::path::PathBuf;

use super::{
    browsers::Scope,
    check::{Check, Mend},
    environment::Environment,
    error::shown,
    registry::{self, Entry, View},
};

/// The manifests that the registry names for a browser. `keys` stand below `HKCU` and `HKLM`, the browser's own first: Edge also
/// takes what was written for Chromium or Chrome.
pub fn places(
    environment: &Environment,
    keys: &[String],
    scope: Scope,
    reinstall: &str,
) -> (Vec<Check>, Vec<PathBuf>) {
    const ID: &str = "registry.value";
    let mut named = Vec::new();
    for (hive, view) in [("HKCU", View::Bits64), ("HKLM", View::Bits32), ("HKLM", View::Bits64)] {
        for key in keys {
            let key = format!("{hive}\\{key}");
            match registry::read(environment, &key, view) {
                Ok(Entry::Value(value)) => named.push((key, view, PathBuf::from(value))),
                Ok(Entry::Absent | Entry::Empty) => {}
                Err(error) => {
                    let check = Check::problem(ID, "the registry cannot be read").seen(error.to_string());
                    return (vec![check.advice(error.help())], Vec::new());
                }
            }
        }
    }
    let own = keys.first().map(String::as_str).unwrap_or_default();
    let problem = |id, message: &str| Check::problem(id, message).fix(reinstall).mended_by(Mend::Reinstall);
    let mut checks = Vec::new();
    let Some((taken, view, manifest)) = named.first() else {
        let check =
            problem(ID, "no registry key names a manifest of outrigger, so the browser cannot start it");
        return (
            vec![
                check.seen(format!(
                    "missing: {}\\{own}",
                    if scope == Scope::System { "HKLM" } else { "HKCU" }
                )),
            ],
            Vec::new(),
        );
    };
    checks.push(if manifest.is_file() && !taken.ends_with(own) {
        let message = "the browser has no key of its own for outrigger and takes that of another one";
        let check = Check::warning(ID, message).seen(format!("{taken}: {}", shown(manifest)));
        check.fix(reinstall).mended_by(Mend::Reinstall)
    } else if manifest.is_file() {
        Check::ok(ID, format!("`{taken}` names a manifest that is there"))
    } else {
        problem(ID, "the registry names a manifest that is not there")
            .seen(format!("{taken}: {}", shown(manifest)))
    });
    let of_64 = named.iter().find(|(key, view, _)| key == taken && *view == View::Bits64);
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
