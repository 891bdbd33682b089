//! Who we are and who may start us: `manifests/ids.json`, the same file that the extension's build reads.

use std::fmt;

use serde::Deserialize;

use super::{browsers::Family, error::InstallError};

/// The shipped names.
#[derive(Clone, Debug, Deserialize)]
pub struct Ids {
    /// The host's name: what the extension connects to, and the manifest's file name without `.json`.
    pub host_name: String,
    /// One sentence; Chromium refuses a manifest without it.
    pub host_description: String,
    chromium: FamilyIds,
    firefox: FamilyIds,
}

#[derive(Clone, Debug, Deserialize)]
struct FamilyIds {
    extension_id: String,
    /// Chromium makes the id of it.
    #[serde(default)]
    public_key: String,
}

impl Ids {
    /// The ids this binary was built with.
    pub fn shipped() -> Result<Self, InstallError> {
        serde_json::from_str(include_str!("../../manifests/ids.json"))
            .map_err(|source| InstallError::Shipped { file: "manifests/ids.json", source })
    }

    /// The manifest's file name.
    pub fn file_name(&self) -> String {
        format!("{}.json", self.host_name)
    }

    /// Our own extension, as a manifest of this family names it.
    pub fn extension(&self, family: Family) -> ExtensionId {
        match family {
            Family::Chromium => ExtensionId::Chromium(self.chromium.extension_id.clone()),
            Family::Firefox => ExtensionId::Firefox(self.firefox.extension_id.clone()),
        }
    }

    /// What an unpacked extension has to carry to be our own in Chromium's eyes.
    pub fn public_key(&self) -> &str {
        &self.chromium.public_key
    }
}

/// The id of one extension, well formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExtensionId {
    /// 32 letters from `a` to `p`.
    Chromium(String),
    /// `name@host` or a GUID in braces.
    Firefox(String),
}

impl ExtensionId {
    /// Reads what a person gave: the bare id, or a Chromium origin with or without its final slash.
    pub fn parse(text: &str) -> Result<Self, InstallError> {
        let bare = text.strip_prefix("chrome-extension://").unwrap_or(text);
        let bare = bare.strip_suffix('/').unwrap_or(bare);
        if is_chromium_id(bare) {
            return Ok(Self::Chromium(bare.to_owned()));
        }
        if is_firefox_id(text) {
            return Ok(Self::Firefox(text.to_owned()));
        }
        Err(InstallError::ExtensionId { given: text.to_owned() })
    }

    /// The family whose browsers use such ids.
    pub fn family(&self) -> Family {
        match self {
            Self::Chromium(_) => Family::Chromium,
            Self::Firefox(_) => Family::Firefox,
        }
    }
}

/// As it stands in a manifest: Chromium wants an origin, and refuses the whole file without the final slash.
impl fmt::Display for ExtensionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chromium(id) => write!(formatter, "chrome-extension://{id}/"),
            Self::Firefox(id) => formatter.write_str(id),
        }
    }
}

/// True for an origin that Chromium accepts in `allowed_origins`.
pub fn is_chromium_origin(text: &str) -> bool {
    text.strip_prefix("chrome-extension://")
        .and_then(|rest| rest.strip_suffix('/'))
        .is_some_and(is_chromium_id)
}

fn is_chromium_id(text: &str) -> bool {
    text.len() == 32 && text.bytes().all(|byte| (b'a'..=b'p').contains(&byte))
}

/// True for an add-on id that Firefox accepts in `allowed_extensions`.
pub fn is_firefox_id(text: &str) -> bool {
    let word = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    if let Some(inner) = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let lengths: Vec<usize> = inner.split('-').map(str::len).collect();
        return lengths == [8, 4, 4, 4, 12]
            && inner.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-');
    }
    text.split_once('@').is_some_and(|(name, host)| !host.is_empty() && word(name) && word(host))
}

#[cfg(test)]
mod tests {
    use super::{ExtensionId, Ids, is_chromium_origin, is_firefox_id};
    use crate::install::Family;

    const ID: &str = "pnkolcdhfekpiodligkdlhfkpkpbpclp";

    #[test]
    fn shipped_ids_are_well_formed() {
        let ids = Ids::shipped().expect("parses");
        assert!(is_chromium_origin(&ids.extension(Family::Chromium).to_string()));
        assert!(is_firefox_id(&ids.extension(Family::Firefox).to_string()));
        // Chromium's own rule for names; the length is ours, so that registry keys and file names stay short.
        assert!(
            ids.host_name
                .bytes()
                .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"_.".contains(&byte))
        );
        assert!(
            ids.host_name.len() <= 40 && !ids.host_name.contains("..") && !ids.host_name.starts_with('.')
        );
    }

    #[test]
    fn an_origin_is_completed_and_a_wrong_one_refused() {
        let origin = format!("chrome-extension://{ID}/");
        for given in [ID, &origin[..origin.len() - 1], &origin] {
            assert_eq!(ExtensionId::parse(given).expect(given).to_string(), origin);
        }
        for given in [
            "",
            "*",
            "chrome-extension://*/",
            &ID.to_uppercase(),
            &ID[1..],
            "https://example.org/",
            "@",
            "a@",
            "{x}",
        ] {
            assert!(ExtensionId::parse(given).is_err(), "{given}");
        }
        for given in ["addon@example.org", "@addon", "{ec8030f7-c20a-464f-9b0e-13a3a9e97384}"] {
            assert_eq!(ExtensionId::parse(given).expect(given).family(), Family::Firefox);
        }
    }
}
