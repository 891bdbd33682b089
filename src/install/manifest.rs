//! Fills the templates of `manifests/`: exactly the five keys of each family, as JSON values and never as text.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{
    browsers::Family,
    error::InstallError,
    ids::{ExtensionId, Ids},
};

/// The template of a family, as it was built in.
pub fn template(family: Family) -> Result<Map<String, Value>, InstallError> {
    let (file, text) = match family {
        Family::Chromium => ("manifests/chromium.json", include_str!("../../manifests/chromium.json")),
        Family::Firefox => ("manifests/firefox.json", include_str!("../../manifests/firefox.json")),
    };
    serde_json::from_str(text).map_err(|source| InstallError::Shipped { file, source })
}

/// The key that lists who may start the host.
pub fn allowed_key(family: Family) -> &'static str {
    match family {
        Family::Chromium => "allowed_origins",
        Family::Firefox => "allowed_extensions",
    }
}

/// The text of a manifest that names `program` and allows our own extension and those of `more` that fit the family.
pub fn fill(family: Family, ids: &Ids, program: &Path, more: &[ExtensionId]) -> Result<String, InstallError> {
    let program = program.to_str().ok_or_else(|| InstallError::NotUnicode { path: program.to_path_buf() })?;
    let mut allowed: Vec<Value> = Vec::new();
    let fitting = more.iter().filter(|id| id.family() == family);
    for id in std::iter::once(&ids.extension(family)).chain(fitting) {
        let entry = Value::String(id.to_string());
        if !allowed.contains(&entry) {
            allowed.push(entry);
        }
    }
    let filled: Map<String, Value> = template(family)?
        .into_iter()
        .map(|(key, value)| {
            let value = match value {
                Value::Array(_) => Value::Array(allowed.clone()),
                Value::String(text) => match text.as_str() {
                    "{{host_name}}" => ids.host_name.clone().into(),
                    "{{host_description}}" => ids.host_description.clone().into(),
                    "{{path}}" => program.into(),
                    _ => Value::String(text),
                },
                other => other,
            };
            (key, value)
        })
        .collect();
    let text = serde_json::to_string_pretty(&filled)
        .map_err(|source| InstallError::Shipped { file: "manifests", source })?;
    Ok(text + "\n")
}

/// The text without a byte order mark, which browsers accept.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The program that the manifest names.
pub fn program_in(bytes: &[u8]) -> Option<PathBuf> {
    let manifest: Value = serde_json::from_slice(without_mark(bytes)).ok()?;
    Some(PathBuf::from(manifest["path"].as_str()?))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use serde_json::Value;

    use super::fill;
    use crate::install::{ExtensionId, Family, Ids};

    #[test]
    fn each_family_gets_its_five_keys() {
        let ids = Ids::shipped().expect("ids");
        let text = fill(Family::Chromium, &ids, Path::new("/opt/outrigger"), &[]).expect("fills");
        insta::assert_snapshot!(text, @r#"
        {
          "name": "dev.outrigger.host",
          "description": "Outrigger: workspace tools for the side panel, with the user in charge",
          "path": "/opt/outrigger",
          "type": "stdio",
          "allowed_origins": [
            "chrome-extension://pnkolcdhfekpiodligkdlhfkpkpbpclp/"
          ]
        }
        "#);
        let text = fill(Family::Firefox, &ids, Path::new("/opt/outrigger"), &[]).expect("fills");
        insta::assert_snapshot!(text, @r#"
        {
          "name": "dev.outrigger.host",
          "description": "Outrigger: workspace tools for the side panel, with the user in charge",
          "path": "/opt/outrigger",
          "type": "stdio",
          "allowed_extensions": [
            "outrigger@outrigger.dev"
          ]
        }
        "#);
    }

    #[test]
    fn a_path_stays_a_value_whatever_is_in_it() {
        let ids = Ids::shipped().expect("ids");
        let path = Path::new("/a\"b\\c\n{{host_name}}/ü");
        let text = fill(Family::Chromium, &ids, path, &[]).expect("fills");
        let value: Value = serde_json::from_str(&text).expect("is JSON");
        assert_eq!(value["path"], path.to_str().expect("unicode"));
        assert_eq!(value.as_object().expect("object").len(), 5);
    }

    #[test]
    fn further_ids_go_to_their_own_family_once() {
        let ids = Ids::shipped().expect("ids");
        let own = ids.extension(Family::Chromium);
        let more = [own, ExtensionId::parse("addon@example.org").expect("id")];
        let allowed = |family, key: &str| {
            let text = fill(family, &ids, Path::new("/x"), &more).expect("fills");
            serde_json::from_str::<Value>(&text).expect("JSON")[key].as_array().expect("list").len()
        };
        assert_eq!(allowed(Family::Chromium, "allowed_origins"), 1);
        assert_eq!(allowed(Family::Firefox, "allowed_extensions"), 2);
    }
}
