//! Other manifests that have to do with us: of other hosts that our extension may start, and ours in folders nobody reads.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    browsers::{Base, Os},
    check::{Check, Verdict},
    environment::Environment,
    error::shown,
    files,
    ids::Ids,
    manifest,
    permissions::{self, Access},
    target::Target,
};
use crate::{
    shell_words::{moved_aside, quoted_path},
    text,
};

/// The check that a manifest of somebody else lets our extension start their host: ours works beside it.
pub const RIVAL: &str = "manifest.rival";
/// The check that a manifest of ours is where no browser reads it.
const MISPLACED_ID: &str = "manifest.misplaced";

/// Folders that look as if a browser read them, and it does not: where people and other installers put manifests in vain.
const MISPLACED: &[(Os, Base, &str, &str)] = &[
    (Os::MacOs, Base::ApplicationSupport, "zen/NativeMessagingHosts", "zen"),
    (Os::MacOs, Base::ApplicationSupport, "Firefox/NativeMessagingHosts", "firefox"),
    (
        Os::MacOs,
        Base::ApplicationSupport,
        "Google/Chrome for Testing/NativeMessagingHosts",
        "chrome-for-testing",
    ),
    (Os::MacOs, Base::ApplicationSupport, "Google/Chrome/Default/NativeMessagingHosts", "chrome"),
    (Os::MacOs, Base::ApplicationSupport, "BraveSoftware/NativeMessagingHosts", "brave"),
    (Os::MacOs, Base::ApplicationSupport, "Brave/NativeMessagingHosts", "brave"),
    (Os::Linux, Base::Config, "mozilla/native-messaging-hosts", "firefox"),
    (Os::Linux, Base::Home, ".mozilla/firefox/native-messaging-hosts", "firefox"),
    (Os::Linux, Base::Home, ".mozilla/NativeMessagingHosts", "firefox"),
    (Os::Linux, Base::Home, ".zen/native-messaging-hosts", "zen"),
    (Os::Linux, Base::Config, "google-chrome/Default/NativeMessagingHosts", "chrome"),
    (Os::Linux, Base::Config, "chromium/Default/NativeMessagingHosts", "chromium"),
    (Os::Linux, Base::Config, "google-chrome/native-messaging-hosts", "chrome"),
    (Os::Linux, Base::Config, "chromium/native-messaging-hosts", "chromium"),
    (Os::Linux, Base::Config, "slimject/NativeMessagingHosts", "slimjet"),
];

/// Manifests of other hosts, in the folders of this browser, that let our extension start them.
pub fn rivals(ids: &Ids, target: &Target) -> Vec<Check> {
    let own = ids.extension(target.family).to_string();
    let file_name = ids.file_name();
    target
        .folders()
        .flat_map(|folder| files::entries(folder))
        .filter(|file| is_manifest(file) && file.file_name() != Some(file_name.as_ref()))
        .filter_map(|file| {
            let bytes = files::read_through(&file).ok()?;
            let manifest: Value = serde_json::from_slice(manifest::without_mark(&bytes)).ok()?;
            let allowed = manifest[manifest::allowed_key(target.family)].as_array()?;
            allowed
                .iter()
                .any(|entry| entry.as_str() == Some(&own))
                .then(|| rival(ids, target, &file, &manifest))
        })
        .collect()
}

fn rival(ids: &Ids, target: &Target, file: &Path, manifest: &Value) -> Check {
    let named = manifest["name"].as_str().unwrap_or("without a name");
    let name = text::visible(named).into_owned();
    let message = format!(
        "another native host, `{name}`, lets outrigger's extension in {} start it; nothing of ours wrote that",
        target.name
    );
    // What is put aside has no name any more that a browser reads.
    let aside = moved_aside(file);
    let is_ours_to_move = file.parent().is_some_and(|folder| permissions::access(folder) == Access::Open);
    let fix = if is_ours_to_move { aside } else { format!("sudo {aside}") };
    if named == ids.host_name {
        let message = format!("a manifest of outrigger has another file name than {} looks for", target.name);
        return Check::warning(MISPLACED_ID, message)
            .seen(format!("{}; it looks for {}", shown(file), ids.file_name()))
            .fix(fix);
    }
    let check = Check::problem(RIVAL, message).seen(shown(file)).fix(fix);
    let check =
        check.advice("outrigger never starts it: a product that needs it knows an extension of its own");
    // Browsers find a host by the name of the file.
    let is_found = file.file_stem().is_some_and(|stem| stem == named);
    if is_found { check } else { Check { verdict: Verdict::Warning, ..check } }
}

/// Manifests of ours where the browser does not look: what somebody put there in vain.
pub fn misplaced(environment: &Environment, ids: &Ids, target: &Target) -> Vec<Check> {
    let file_name = ids.file_name();
    let places: Vec<PathBuf> = MISPLACED
        .iter()
        .filter(|(os, _, _, id)| *os == environment.os && *id == target.id)
        .map(|(_, base, path, _)| base.folder(environment).join(path).join(&file_name))
        .collect();
    places
        .into_iter()
        .filter(|file| file.exists())
        .map(|file| {
            Check::warning(
                MISPLACED_ID,
                format!("a manifest of outrigger is in a folder that {} does not read", target.name),
            )
            .seen(format!("{}; it reads {}", shown(&file), shown(&target.folder)))
            .fix(format!("rm {}", quoted_path(file)))
        })
        .collect()
}

fn is_manifest(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "json")
}
