//! What an administrator's policies say about native hosts: Chromium and its relatives read them from files on Linux.
//!
//! On macOS and Windows they are kept elsewhere, and nothing is said about them.

use std::path::PathBuf;

use serde_json::{Map, Value};

use super::{
    browsers::{Family, Os, Scope},
    check::Check,
    environment::{Environment, quoted},
    error::shown,
    files,
    ids::{ExtensionId, Ids},
    target::Target,
};

/// Folders of policies, by the ids of the browsers that read them.
const FOLDERS: &[(&str, &[&str])] = &[
    ("/etc/opt/chrome/policies/managed", &["chrome", "chrome-beta", "chrome-dev", "chrome-canary"]),
    ("/etc/opt/chrome_for_testing/policies/managed", &["chrome-for-testing"]),
    ("/etc/chromium/policies/managed", &["chromium"]),
    ("/etc/opt/edge/policies/managed", &["edge", "edge-beta", "edge-dev"]),
    ("/etc/brave/policies/managed", &["brave"]),
];

/// What the policies of one browser say about us.
#[derive(Debug, Default)]
pub struct Policies {
    /// In order; empty where no policies are known for the browser.
    pub checks: Vec<Check>,
    /// Manifests of one user count for nothing.
    pub system_only: bool,
}

/// Reads them.
pub fn of(environment: &Environment, ids: &Ids, target: &Target) -> Policies {
    let row = FOLDERS.iter().find(|(_, browsers)| browsers.contains(&target.id.as_str()));
    let Some((folder, _)) = row.filter(|_| environment.os == Os::Linux && target.family == Family::Chromium)
    else {
        return Policies::default();
    };
    let folder = environment.system_path(folder);
    let files: Vec<(PathBuf, Map<String, Value>)> = files::entries(&folder)
        .into_iter()
        .filter(|file| file.extension().is_some_and(|extension| extension == "json"))
        .filter_map(|file| {
            Some((file.clone(), serde_json::from_slice(&files::read_through(&file).ok()?).ok()?))
        })
        .collect();
    let said = Said { files: &files };
    let (user_level, system_only) = said.user_level(environment, ids, target);
    Policies {
        checks: vec![said.allowed(ids, &folder), user_level, said.extension(ids, target.family)],
        system_only,
    }
}

/// The command that installs a user's target for everybody.
pub fn install_for_all(environment: &Environment, target: &Target) -> String {
    format!("sudo {} install --browser {} --scope system", environment.command(), quoted(&target.id))
}

/// A file of policies that is not there yet: one that is there is the administrator's, whatever its name.
fn free_name(folder: &std::path::Path) -> PathBuf {
    let names = (1_u32..).map(|number| match number {
        1 => folder.join("outrigger.json"),
        number => folder.join(format!("outrigger-{number}.json")),
    });
    names.take(1000).find(|file| !files::is_there(file)).unwrap_or_else(|| folder.join("outrigger.json"))
}

struct Said<'a> {
    files: &'a [(PathBuf, Map<String, Value>)],
}

impl Said<'_> {
    /// The last file that has the key counts, as in the browser.
    fn find(&self, key: &str) -> Option<(&PathBuf, &Value)> {
        self.files.iter().rev().find_map(|(file, policies)| Some((file, policies.get(key)?)))
    }

    fn list_has(&self, key: &str, wanted: &[&str]) -> Option<&PathBuf> {
        let (file, list) = self.find(key)?;
        let has =
            list.as_array()?.iter().any(|entry| entry.as_str().is_some_and(|entry| wanted.contains(&entry)));
        has.then_some(file)
    }

    fn allowed(&self, ids: &Ids, folder: &std::path::Path) -> Check {
        const ID: &str = "policy.allowed";
        let name = ids.host_name.as_str();
        let Some(file) = self.list_has("NativeMessagingBlocklist", &["*", name]) else {
            return Check::ok(ID, "no policy blocks the host");
        };
        if self.list_has("NativeMessagingAllowlist", &[name]).is_some() {
            return Check::ok(ID, "a policy allows the host");
        }
        let check = Check::problem(ID, "a policy of this machine keeps the browser from starting the host")
            .seen(format!("NativeMessagingBlocklist in {}", shown(file)));
        match self.find("NativeMessagingAllowlist") {
            Some((file, _)) => check.advice(format!(
                "the administrator of this machine can add \"{name}\" to `NativeMessagingAllowlist` in {}",
                shown(file)
            )),
            None => check
                .fix(format!(
                    "echo '{{\"NativeMessagingAllowlist\": [\"{name}\"]}}' | sudo tee {}",
                    quoted(&free_name(folder).to_string_lossy())
                ))
                .advice("whether this machine is to allow it is its administrator's to decide"),
        }
    }

    fn user_level(&self, environment: &Environment, ids: &Ids, target: &Target) -> (Check, bool) {
        const ID: &str = "policy.user_level";
        let forbidden =
            self.find("NativeMessagingUserLevelHosts").filter(|(_, value)| **value == Value::Bool(false));
        let Some((file, _)) = forbidden else {
            return (Check::ok(ID, "a host may be installed for one user"), false);
        };
        let in_system = target.further.iter().any(|folder| files::is_there(&folder.join(ids.file_name())));
        if target.scope == Scope::System || in_system {
            return (Check::ok(ID, "a policy wants hosts for the whole machine, and outrigger is one"), true);
        }
        let check =
            Check::problem(ID, "a policy lets the browser start hosts only that are installed for everybody")
                .seen(format!("NativeMessagingUserLevelHosts is false in {}", shown(file)))
                .fix(install_for_all(environment, target));
        (check, true)
    }

    fn extension(&self, ids: &Ids, family: Family) -> Check {
        const ID: &str = "policy.extension";
        let ExtensionId::Chromium(id) = ids.extension(family) else {
            return Check::ok(ID, "no policy is about the extension");
        };
        let blocked = self.list_has("ExtensionInstallBlocklist", &["*", &id]);
        match blocked.filter(|_| self.list_has("ExtensionInstallAllowlist", &[&id]).is_none()) {
            None => Check::ok(ID, "no policy blocks the extension"),
            Some(file) => {
                Check::warning(ID, "a policy of this machine keeps outrigger's extension out of the browser")
                    .seen(format!("ExtensionInstallBlocklist in {}", shown(file)))
                    .advice(format!(
                        "the administrator of this machine can add {id} to `ExtensionInstallAllowlist`"
                    ))
            }
        }
    }
}
