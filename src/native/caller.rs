//! Who started us: a browser says so in `argv`, and only a caller on the list is served.

use std::{ffi::OsString, path::Path};

use serde::{Deserialize, Serialize};

/// The one file of ids, shared with the installer and the extension's build.
const IDS: &str = include_str!("../../manifests/ids.json");

/// A browser that started the host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Caller {
    /// `chromium` or `firefox`.
    pub family: &'static str,
    /// `chrome-extension://ID/`, or the add-on's id.
    pub extension: String,
}

#[derive(Deserialize)]
struct Ids {
    chromium: ExtensionId,
    firefox: ExtensionId,
}

#[derive(Deserialize)]
struct ExtensionId {
    extension_id: String,
}

impl Caller {
    /// The caller that `argv` (without the program) names; `None` when it is a person's command line.
    ///
    /// Chromium gives the origin first, Firefox the manifest's absolute path and the add-on's id.
    pub fn from_args(args: &[OsString]) -> Option<Self> {
        let first = args.first()?.to_str()?;
        if first.starts_with("chrome-extension://") {
            return Some(Self { family: "chromium", extension: first.to_owned() });
        }
        let second = args.get(1)?.to_str()?;
        let manifest = Path::new(first);
        let is_manifest =
            manifest.is_absolute() && manifest.extension().is_some_and(|extension| extension == "json");
        (args.len() == 2 && is_manifest && !second.starts_with('-'))
            .then(|| Self { family: "firefox", extension: second.to_owned() })
    }

    /// True for our own extensions and those the administrator added.
    pub fn is_allowed(&self, also: &[String]) -> bool {
        own_extensions().contains(&self.extension) || also.contains(&self.extension)
    }
}

/// Our own extensions, as callers name them.
pub fn own_extensions() -> Vec<String> {
    serde_json::from_str::<Ids>(IDS)
        .map(|ids| {
            vec![format!("chrome-extension://{}/", ids.chromium.extension_id), ids.firefox.extension_id]
        })
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller(args: &[&str]) -> Option<Caller> {
        Caller::from_args(&args.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn browsers_are_told_from_people() {
        assert_eq!(caller(&["chrome-extension://abc/"]).map(|caller| caller.family), Some("chromium"));
        assert_eq!(
            caller(&["chrome-extension://abc/", "--parent-window=0"]).map(|caller| caller.family),
            Some("chromium")
        );
        assert_eq!(
            caller(&["/home/ada/.mozilla/native-messaging-hosts/x.json", "a@b"]).map(|caller| caller.family),
            Some("firefox")
        );
        for person in [
            &[][..],
            &["doctor"],
            &["doctor", "--json"],
            &["mcp", "a@b"],
            &["--config", "x.json"],
            &["/x.json", "--json"],
        ] {
            assert_eq!(caller(person), None, "{person:?}");
        }
    }

    #[test]
    fn only_listed_callers_are_served() {
        let own = own_extensions();
        assert_eq!(own.len(), 2);
        let mut stranger = Caller { family: "chromium", extension: "chrome-extension://aaaa/".into() };
        assert!(!stranger.is_allowed(&[]));
        assert!(stranger.is_allowed(&["chrome-extension://aaaa/".into()]));
        stranger.extension.clone_from(&own[0]);
        assert!(stranger.is_allowed(&[]));
    }
}
