//! What an administrator's policies say about native hosts and extensions: on Linux, where browsers read them from files.
//!
//! On macOS and Windows they are kept elsewhere, and nothing is said about them.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use super::{
    browsers::{self, Browser, Family, Os, Scope},
    check::{Check, Verdict},
    environment::Environment,
    error::shown,
    extension_policy, files, gecko_preferences,
    ids::{ExtensionId, Ids},
    policy_files::PolicyFiles,
    running,
    target::Target,
};
use crate::shell_words::{quoted, quoted_path};

/// Folders of policies of the Chromium family, by the ids of the browsers that read them.
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
    /// Manifests of one user count for nothing; this installs for everybody.
    pub system_only: Option<String>,
}

/// Reads them.
pub fn of(environment: &Environment, ids: &Ids, target: &Target) -> Policies {
    if environment.os != Os::Linux {
        return Policies::default();
    }
    let browser = browsers::find(&target.id).or_else(|| running::browser_of(environment, target));
    match target.family {
        Family::Firefox => firefox(environment, ids, browser),
        Family::Chromium => chromium(environment, ids, target, browser),
    }
}

/// The folder that this browser reads, or all that it may read.
fn chromium(
    environment: &Environment,
    ids: &Ids,
    target: &Target,
    browser: Option<&'static Browser>,
) -> Policies {
    let reads = |id: &str| FOLDERS.iter().find(|(_, readers)| readers.contains(&id));
    let said = |folder: &str, reader: &'static str| {
        let folder = environment.system_path(folder);
        let files = PolicyFiles::of_folder(&folder);
        Said { environment, ids, target, reader, folder, files }
    };
    if let Some((browser, (folder, _))) = browser.and_then(|browser| Some((browser, reads(browser.id)?))) {
        return said(folder, browser.id).all();
    }
    // What Chromium reads its relatives read, unless their makers changed it; a folder given by hand may be anybody's.
    let may_read = FOLDERS.iter().filter(|(_, readers)| browser.is_none() || readers.contains(&"chromium"));
    let mut checks: Vec<Check> = Vec::new();
    for (folder, readers) in may_read {
        let name = browsers::find(readers[0]).map_or(readers[0], |browser| browser.name);
        let doubts = said(folder, readers[0]).all().checks.into_iter().filter(|check| !check.is_fine());
        for doubt in doubts {
            checks.push(Check {
                verdict: Verdict::NotChecked,
                message: format!("if this browser reads the policies of {name}: {}", doubt.message),
                ..doubt
            });
        }
    }
    Policies { checks, system_only: None }
}

/// Of Firefox and its relatives: they have policies about extensions only.
fn firefox(environment: &Environment, ids: &Ids, browser: Option<&'static Browser>) -> Policies {
    let Some(browser) = browser else { return Policies::default() };
    let mut names = vec![browser.id];
    names.extend(browser.programs.iter().filter(|name| **name != browser.id));
    let program = browser.programs.iter().find_map(|name| environment.find_program(name));
    let program = program.and_then(|program| files::canonical(&program).ok());
    let found = PolicyFiles::of_firefox(environment, &names, program.as_deref());
    let said = found.read.first().map(|(file, document)| {
        let policies = document.get("policies").and_then(Value::as_object).cloned().unwrap_or_default();
        let own = ids.extension(Family::Firefox).to_string();
        let extension = extension_policy::of_firefox(file, &policies, &own);
        [Some(extension), gecko_preferences::of_policies(file, &policies)]
    });
    let said = said.into_iter().flatten().flatten();
    Policies { checks: said.chain(unread(&found)).collect(), system_only: None }
}

/// What could not be read is never taken for nothing.
fn unread(found: &PolicyFiles) -> Option<Check> {
    const ID: &str = "policy.readable";
    let seen: Vec<&str> = found.unread.iter().map(|unread| unread.seen.as_str()).collect();
    if seen.is_empty() {
        return None;
    }
    let check = if found.unread.iter().any(|unread| unread.may_count) {
        Check::not_checked(ID, "a policy that may be about outrigger cannot be read here")
    } else {
        Check::warning(
            ID,
            "the browser passes over what it cannot read among its policies, and so does the doctor",
        )
    };
    Some(check.seen(seen.join("; ")).advice(
        "not possible from here, because policies are the administrator's: they can correct the file, or take it away",
    ))
}

struct Said<'a> {
    environment: &'a Environment,
    ids: &'a Ids,
    target: &'a Target,
    /// The id of the browser that reads them.
    reader: &'static str,
    folder: PathBuf,
    files: PolicyFiles,
}

impl Said<'_> {
    fn all(&self) -> Policies {
        let (user_level, system_only) = self.user_level();
        let extension = match self.ids.extension(Family::Chromium) {
            ExtensionId::Chromium(id) => Some(extension_policy::of_chromium(&self.files.read, &id)),
            ExtensionId::Firefox(_) => None,
        };
        let checks = [Some(self.allowed()), Some(user_level), extension, unread(&self.files)];
        Policies { checks: checks.into_iter().flatten().collect(), system_only }
    }

    fn list_has(&self, key: &str, wanted: &[&str]) -> Option<&Path> {
        let (file, list) = find(&self.files.read, key)?;
        has_any(list, wanted).then_some(file)
    }

    fn allowed(&self) -> Check {
        const ID: &str = "policy.allowed";
        let name = self.ids.host_name.as_str();
        let Some(file) = self.list_has("NativeMessagingBlocklist", &["*", name]) else {
            return Check::ok(ID, "no policy blocks the host");
        };
        if self.list_has("NativeMessagingAllowlist", &[name]).is_some() {
            return Check::ok(ID, "a policy allows the host");
        }
        let check = Check::problem(ID, "a policy of this machine keeps the browser from starting the host")
            .seen(format!("NativeMessagingBlocklist in {}", shown(file)));
        let (before, list) = match find(&self.files.read, "NativeMessagingAllowlist") {
            Some((file, list)) => (Some(file), list.as_array().cloned().unwrap_or_default()),
            None => (None, Vec::new()),
        };
        // The whole list: of several files that have one the last counts, and takes nothing from the others.
        let list: Vec<Value> = list.into_iter().chain([Value::from(name)]).collect();
        let policy = json!({"NativeMessagingAllowlist": list}).to_string();
        let file = self.new_file(before);
        let check = check.fix(format!("printf '%s\\n' {} | sudo tee {}", quoted(&policy), quoted_path(file)));
        check.advice(match before {
            Some(before) => format!(
                "that is for the administrator of this machine to decide, who can as well add \"{name}\" to the list in {}",
                shown(before)
            ),
            None => "that is for the administrator of this machine to decide".to_owned(),
        })
    }

    /// One that is not there, and that counts more than `before`: what an administrator has written is not written over.
    fn new_file(&self, before: Option<&Path>) -> PathBuf {
        let first = self.folder.join("outrigger.json");
        let others = (2..).map(|number| self.folder.join(format!("outrigger-{number}.json")));
        let behind = before.and_then(Path::file_name).map(|name| {
            let name = name.to_string_lossy();
            (1..).map(move |number| self.folder.join(format!("{name}-outrigger-{number}.json"))).take(100)
        });
        std::iter::once(first.clone())
            .chain(others)
            .take(100)
            .chain(behind.into_iter().flatten())
            .find(|file| !files::is_there(file) && before.is_none_or(|before| before < file))
            .unwrap_or(first)
    }

    fn user_level(&self) -> (Check, Option<String>) {
        const ID: &str = "policy.user_level";
        let forbidden = find(&self.files.read, "NativeMessagingUserLevelHosts")
            .filter(|(_, value)| **value == Value::Bool(false));
        let Some((file, _)) = forbidden else {
            return (Check::ok(ID, "a host may be installed for one user"), None);
        };
        let command = format!(
            "sudo {} install --browser {} --scope system",
            self.environment.command_as_root(),
            quoted(self.reader)
        );
        let file_name = self.ids.file_name();
        let in_system = self.target.further.iter().any(|folder| files::is_there(&folder.join(&file_name)));
        if self.target.scope == Scope::System || in_system {
            let message = "a policy wants hosts for the whole machine, and outrigger is one";
            return (Check::ok(ID, message), Some(command));
        }
        let check =
            Check::problem(ID, "a policy lets the browser start hosts only that are installed for everybody")
                .seen(format!("NativeMessagingUserLevelHosts is false in {}", shown(file)))
                .fix(command.as_str());
        (check, Some(command))
    }
}

/// The last file that has the key counts, as in the browser.
pub(super) fn find<'a>(
    read: &'a [(PathBuf, Map<String, Value>)],
    key: &str,
) -> Option<(&'a Path, &'a Value)> {
    read.iter().rev().find_map(|(file, policies)| Some((file.as_path(), policies.get(key)?)))
}

/// True for a list in which one of these stands.
pub(super) fn has_any(list: &Value, wanted: &[&str]) -> bool {
    let entries = list.as_array().map(Vec::as_slice).unwrap_or_default();
    entries.iter().any(|entry| entry.as_str().is_some_and(|entry| wanted.contains(&entry)))
}
