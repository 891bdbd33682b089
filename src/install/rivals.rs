//! Other manifests that have to do with us: of other hosts that our extension may start, and ours in folders nobody reads.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::{
    browsers::{Base, Os},
    check::Check,
    environment::{Environment, quoted},
    error::shown,
    files,
    ids::Ids,
    manifest,
    target::Target,
};
use crate::text;

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
            allowed.iter().any(|entry| entry.as_str() == Some(&own)).then(|| rival(target, &file, &manifest))
        })
        .collect()
}

fn rival(target: &Target, file: &Path, manifest: &Value) -> Check {
    let name = text::visible(manifest["name"].as_str().unwrap_or("without a name")).into_owned();
    let message = format!(
        "another native host, `{name}`, lets outrigger's extension in {} start it; nothing of ours wrote that",
        target.name
    );
    Check::warning("manifest.rival", message)
        .seen(shown(file))
        .advice(format!("if you do not know it: rm {}", quoted(&file.to_string_lossy())))
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
                "manifest.misplaced",
                format!("a manifest of outrigger is in a folder that {} does not read", target.name),
            )
            .seen(format!("{}; it reads {}", shown(&file), shown(&target.folder)))
            .fix(format!("rm {}", quoted(&file.to_string_lossy())))
        })
        .collect()
}

fn is_manifest(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "json")
}
