//! Whether an administrator's policies keep our extension out of a browser: without it nobody starts the host.
//!
//! The most particular rule counts: what is said about our id, then what is said about all.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{
    check::Check,
    error::shown,
    policy::{find, has_any},
};

const ID: &str = "policy.extension";
/// Host and extension are built together.
const VERSION: &str = env!("CARGO_PKG_VERSION");
/// What our extension's manifest requires: a browser loads none of which one is blocked.
const REQUIRED: &[&str] = &[
    "nativeMessaging",
    "alarms",
    "storage",
    "unlimitedStorage",
    "declarativeNetRequestWithHostAccess",
    "notifications",
    "contextMenus",
    "activeTab",
    "scripting",
];
/// Added in the Chromium family.
const SIDE_PANEL: &str = "sidePanel";

/// The check, by the policies of a browser of the Chromium family.
pub fn of_chromium(read: &[(PathBuf, Map<String, Value>)], id: &str) -> Check {
    let listed = |key: &'static str, wanted: &[&str]| {
        find(read, key).filter(|(_, list)| has_any(list, wanted)).map(|(file, _)| (key, file))
    };
    let settings = find(read, "ExtensionSettings");
    let about = |key: &str| settings.and_then(|(_, settings)| entry(settings, key));
    let (own, all) = (about(id), about("*"));
    let by_settings = || settings.map(|(file, _)| ("ExtensionSettings", file));
    let keeps_out = |mode: &str| ["blocked", "removed"].contains(&mode);

    let forced = find(read, "ExtensionInstallForcelist").is_some_and(|(_, list)| {
        let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
        entries.iter().any(|entry| entry.as_str().is_some_and(|entry| entry.split(';').next() == Some(id)))
    });
    let out = match mode(own) {
        Some(mode) => by_settings().filter(|_| keeps_out(mode)),
        None if forced => None,
        None => listed("ExtensionInstallBlocklist", &[id]).or_else(|| {
            if listed("ExtensionInstallAllowlist", &[id]).is_some() {
                return None;
            }
            match mode(all) {
                Some(mode) => by_settings().filter(|_| keeps_out(mode)),
                None => listed("ExtensionInstallBlocklist", &["*"]),
            }
        }),
    };
    let out = out.or_else(|| {
        let allowed = |one: &str| own.is_some_and(|own| has_any(&own["allowed_permissions"], &[one]));
        let blocking = own.filter(|own| own["blocked_permissions"].is_array()).or(all)?;
        let blocked = |one: &str| !allowed(one) && has_any(&blocking["blocked_permissions"], &[one]);
        by_settings().filter(|_| REQUIRED.iter().chain([&SIDE_PANEL]).any(|one| blocked(one)))
    });
    let out = out.or_else(|| {
        let types = all.map(|all| &all["allowed_types"]).filter(|types| types.is_array());
        let by_settings =
            by_settings().filter(|_| types.is_some_and(|types| !has_any(types, &["extension"])));
        let by_list = find(read, "ExtensionAllowedTypes")
            .filter(|(_, types)| types.is_array() && !has_any(types, &["extension"]))
            .map(|(file, _)| ("ExtensionAllowedTypes", file));
        by_settings.or(by_list)
    });
    if let Some((policy, file)) = out {
        let remedy = format!(
            "the administrator of this machine can allow it: {{\"{id}\": {{\"installation_mode\": \"allowed\"}}}} in `ExtensionSettings`"
        );
        return kept_out(policy, file, remedy);
    }
    let least = own.or(all).and_then(|entry| entry["minimum_version_required"].as_str());
    if let (Some(least), Some((file, _))) = (least, settings)
        && is_newer(least, VERSION)
    {
        let seen =
            format!("`minimum_version_required` {least} in {}, and this one is {VERSION}", shown(file));
        return Check::problem(
            ID,
            "a policy of this machine switches this version of outrigger's extension off",
        )
        .seen(seen)
        .advice("install a newer outrigger, or let the administrator of this machine lower that number");
    }
    if forced || mode(own).is_some_and(|mode| ["force_installed", "normal_installed"].contains(&mode)) {
        return Check::ok(ID, "a policy installs the extension");
    }
    let is = |key: &'static str, wanted: u64| {
        find(read, key).filter(|(_, value)| value.as_u64() == Some(wanted)).map(|(file, _)| (key, file))
    };
    // The older name counts where the newer one says nothing.
    let disabled = find(read, "DeveloperToolsDisabled")
        .filter(|(_, value)| {
            **value == Value::Bool(true) && find(read, "DeveloperToolsAvailability").is_none()
        })
        .map(|(file, _)| ("DeveloperToolsDisabled", file));
    let tools = is("DeveloperToolsAvailability", 2).or(disabled);
    match tools.or_else(|| is("ExtensionDeveloperModeSettings", 1)) {
        Some((policy, file)) => Check::warning(
            ID,
            "a policy of this machine keeps unpacked extensions out of the browser: only one from a store, or one that a policy installs, can be in it",
        )
        .seen(format!("{policy} in {}", shown(file)))
        .advice("install the extension from a store, or let the administrator of this machine install it"),
        None => Check::ok(ID, "no policy blocks the extension"),
    }
}

/// The check, by the policies of Firefox or a relative.
pub fn of_firefox(file: &Path, policies: &Map<String, Value>, id: &str) -> Check {
    // It may be written as a text, in which the object stands.
    let settings = match policies.get("ExtensionSettings") {
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        Some(settings) => settings.clone(),
        None => Value::Null,
    };
    let own = settings.get(id);
    // What is allowed again counts in the add-on's own entry alone.
    let allowed = |one: &str| own.is_some_and(|own| has_any(&own["allowed_permissions"], &[one]));
    let blocks = |entry: &Value| {
        let blocked = |one: &str| !allowed(one) && has_any(&entry["blocked_permissions"], &[one]);
        entry["installation_mode"] == "blocked" || REQUIRED.iter().any(|one| blocked(one))
    };
    let out = match (own, settings.get("*")) {
        (Some(own), _) => blocks(own),
        (None, Some(all)) => {
            let types = &all["allowed_types"];
            blocks(all) || (types.is_array() && !has_any(types, &["extension"]))
        }
        (None, None) => false,
    };
    let remedy = format!(
        "the administrator of this machine can allow it: {{\"{id}\": {{\"installation_mode\": \"allowed\"}}}} in `ExtensionSettings`"
    );
    if out {
        return kept_out("ExtensionSettings", file, remedy);
    }
    if policies.get("Extensions").is_some_and(|extensions| has_any(&extensions["Uninstall"], &[id])) {
        let remedy = format!("the administrator of this machine can take \"{id}\" from that list");
        return kept_out("Extensions: Uninstall", file, remedy);
    }
    let adds_none =
        policies.get("InstallAddonsPermission").is_some_and(|permission| permission["Default"] == false);
    let is_installed = mode(own).is_some_and(|mode| ["force_installed", "normal_installed"].contains(&mode));
    if adds_none && !is_installed {
        let remedy = format!(
            "the administrator of this machine can install it: {{\"{id}\": {{\"installation_mode\": \"normal_installed\", \"install_url\": …}}}} in `ExtensionSettings`"
        );
        return kept_out("InstallAddonsPermission", file, remedy);
    }
    let keeps_out = ["BlockAboutDebugging", "DisableDeveloperTools"]
        .into_iter()
        .find(|name| policies.get(*name) == Some(&Value::Bool(true)));
    if let Some(policy) = keeps_out.filter(|_| own.is_none()) {
        let message = "a policy of this machine keeps temporary add-ons out of the browser: only the signed one can be in it";
        return Check::warning(ID, message)
            .seen(format!("{policy} in {}", shown(file)))
            .advice("install the signed add-on");
    }
    Check::ok(ID, "no policy blocks the extension")
}

fn kept_out(policy: &str, file: &Path, remedy: String) -> Check {
    Check::problem(ID, "a policy of this machine keeps outrigger's extension out of the browser")
        .seen(format!("{policy} in {}", shown(file)))
        .advice(remedy)
}

/// By their numbers, as browsers compare versions; what is missing is 0.
fn is_newer(version: &str, than: &str) -> bool {
    let numbers = |text: &str| -> Vec<u64> {
        let mut numbers: Vec<u64> =
            text.split('.').map(|number| number.trim().parse().unwrap_or(0)).collect();
        numbers.resize(4.max(numbers.len()), 0);
        numbers
    };
    numbers(version) > numbers(than)
}

fn mode(entry: Option<&Value>) -> Option<&str> {
    entry?["installation_mode"].as_str()
}

/// What `ExtensionSettings` says about an id; one key may name several.
fn entry<'a>(settings: &'a Value, id: &str) -> Option<&'a Value> {
    let settings = settings.as_object()?;
    settings.get(id).or_else(|| {
        settings.iter().find(|(key, _)| key.split(',').any(|one| one.trim() == id)).map(|(_, entry)| entry)
    })
}

#[cfg(test)]
mod tests {
    use super::REQUIRED;

    #[test]
    fn what_is_required_is_what_the_manifest_of_the_extension_requires() {
        let config = include_str!("../../extension/wxt.config.ts");
        let (_, rest) = config.split_once("\n    permissions: [").expect("permissions");
        let (list, _) = rest.split_once(']').expect("a list");
        let names: Vec<&str> =
            list.lines().filter_map(|line| line.trim().strip_prefix('"')?.split('"').next()).collect();
        assert_eq!(names, REQUIRED);
    }
}
