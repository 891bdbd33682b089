//! The last proof: starts the browser itself, without a window, and sees whether it reaches the host.
//!
//! The browser gets a home folder and a profile that are thrown away, the real folder of manifests, and an extension of a few lines
//! with our extension's id. It says `ok` only when the host's answer to a hello came back through the browser. What keeps a browser
//! from being asked is said, and is not counted as right. The user's own profile is never opened.

use std::{path::Path, thread};

use serde_json::{Value, json};

use super::{BrowserDiagnosis, Diagnosis, devtools, marionette, probe, seen, trust};
use crate::install::{
    browsers::{self, Family, Os},
    check::{Check, Verdict},
    environment::Environment,
    error::{InstallError, shown},
    files,
    ids::Ids,
    scratch::Scratch,
    target::Target,
};

/// The check's id.
const ID: &str = "browser.probe";
/// The function that connects.
const MEET: &str = include_str!("meet.js");

/// What came of asking a browser.
#[derive(Debug)]
pub(super) enum Met {
    /// The browser said what came of it: `{answer}` or `{closed}`.
    Said(Value),
    /// It could not be asked, because …
    Impossible(String),
}

/// Asks all browsers of a diagnosis, side by side, and adds what they say.
pub fn add(environment: &Environment, ids: &Ids, targets: &[Target], diagnosis: &mut Diagnosis) {
    thread::scope(|scope| {
        let asked = targets.iter().filter(|target| !target.is_boxed()).zip(&mut diagnosis.browsers);
        let running: Vec<_> = asked
            .filter_map(|(target, browser)| {
                // Not right until the browser has been asked: a failure of ours in between leaves it so.
                browser.ok = false;
                let ask = move || add_one(environment, ids, target, browser);
                thread::Builder::new().spawn_scoped(scope, ask).ok()
            })
            .collect();
        for thread in running {
            // One that failed has left its browser not right.
            let _ = thread.join();
        }
    });
    diagnosis.ok = diagnosis.ok && diagnosis.browsers.iter().all(|browser| browser.ok);
}

fn add_one(environment: &Environment, ids: &Ids, target: &Target, browser: &mut BrowserDiagnosis) {
    // The browser would start it for us.
    let check = if browser.is_doubted() {
        impossible("the host is not to be trusted, see `host.start`")
    } else {
        one(environment, ids, target)
    };
    browser.checks.push(check);
    browser.ok = browser.checks.iter().all(Check::is_fine);
}

fn one(environment: &Environment, ids: &Ids, target: &Target) -> Check {
    let program = match program(environment, target) {
        Ok(program) => program,
        Err(reason) => return impossible(&reason),
    };
    let met = match target.family {
        Family::Chromium => chromium(environment, ids, target, &program),
        Family::Firefox => firefox(ids, target, &program),
    };
    match met {
        Ok(Met::Said(said)) => judged(environment, target, &program, &said),
        Ok(Met::Impossible(reason)) => impossible(&reason),
        Err(error) => impossible(&error.to_string()),
    }
}

fn impossible(reason: &str) -> Check {
    Check::not_checked(ID, format!("not possible because {}", seen(reason)))
}

/// The browser's program, where one is there that may be asked.
fn program(environment: &Environment, target: &Target) -> Result<std::path::PathBuf, String> {
    if environment.os == Os::Windows {
        return Err("on Windows no browser is started without a window from here".to_owned());
    }
    let browser =
        browsers::find(&target.id).ok_or_else(|| "which browser uses this folder is not known".to_owned())?;
    let found =
        browser.programs.iter().find_map(|name| trust::find_program(environment, name)).ok_or_else(|| {
            format!(
                "its program ({}) was not found in `PATH`, or only where agents or other users may write",
                browser.programs.join(", ")
            )
        })?;
    let real = files::canonical(&found).unwrap_or_else(|_| found.clone());
    if real.file_name().is_some_and(|name| name == "snap") || real.starts_with("/snap") {
        return Err(format!("`{}` is a snap, which sees no folder that is made for it", shown(&found)));
    }
    Ok(found)
}

fn chromium(
    environment: &Environment,
    ids: &Ids,
    target: &Target,
    program: &Path,
) -> Result<Met, InstallError> {
    let scratch = Scratch::create()?;
    let extension = json!({
        "manifest_version": 3, "name": "outrigger doctor", "version": "1",
        "key": ids.public_key(), "permissions": ["nativeMessaging"],
    });
    scratch.put("extension/manifest.json", &extension.to_string())?;
    scratch.put("extension/meet.html", "<!doctype html><title>outrigger doctor</title>")?;
    // Beside a user data folder Chromium looks for manifests in that folder only, and in those of the whole machine.
    scratch.link("profile/NativeMessagingHosts", &target.folder)?;
    let home = scratch.put("home/.keep", "")?;
    let home = home.parent().unwrap_or(scratch.path()).to_path_buf();
    Ok(devtools::meet(&devtools::Meeting {
        program,
        home: &home,
        profile: &scratch.path().join("profile"),
        extension: &scratch.path().join("extension"),
        id: &ids.extension(Family::Chromium).to_string(),
        expression: &call(ids),
        is_root: environment.is_root,
    }))
}

fn firefox(ids: &Ids, target: &Target, program: &Path) -> Result<Met, InstallError> {
    let scratch = Scratch::create()?;
    let extension = json!({
        "manifest_version": 3, "name": "outrigger doctor", "version": "1", "permissions": ["nativeMessaging"],
        "background": {"scripts": ["background.js"]},
        "browser_specific_settings": {"gecko": {"id": ids.extension(Family::Firefox).to_string()}},
    });
    scratch.put("extension/manifest.json", &extension.to_string())?;
    let background = format!(
        "({}).then((said) => dump(`{}${{JSON.stringify(said)}}\\n`));\n",
        call(ids),
        marionette::MARK
    );
    scratch.put("extension/background.js", &background)?;
    // In the place of the table, below the home folder that stands for the user's.
    let place = browsers::find(&target.id).and_then(|browser| browser.place(Os::current()));
    let own = place.map_or(".mozilla", |place| place.own.1);
    let library = if Os::current() == Os::MacOs { "Library/Application Support/" } else { "" };
    let folder = target.family.manifest_folder(Os::current());
    scratch.link(&format!("home/{library}{own}/{folder}"), &target.folder)?;
    scratch.put("profile/user.js", marionette::PREFERENCES)?;
    Ok(marionette::meet(&marionette::Meeting {
        program,
        home: &scratch.path().join("home"),
        profile: &scratch.path().join("profile"),
        extension: &scratch.path().join("extension"),
    }))
}

/// The call of the function that connects.
fn call(ids: &Ids) -> String {
    let function = MEET.lines().filter(|line| !line.starts_with("//")).collect::<Vec<_>>().join("\n");
    format!("({function})({}, {})", json!(ids.host_name), probe::hello())
}

/// What the browser said, judged: right only with a whole answer to the hello.
fn judged(environment: &Environment, target: &Target, program: &Path, said: &Value) -> Check {
    let place = shown(program);
    let answer = &said["answer"];
    if answer["id"] == "hello" && answer["result"]["protocol"]["chosen"] == 1 {
        let message =
            format!("`{place}`, started without a window and with a profile of its own, reached the host");
        return Check::ok(ID, message);
    }
    let check = |message: &str| Check::problem(ID, message).fix(target.reinstall(environment));
    if let Some(words) = said["closed"].as_str() {
        let words = if words.is_empty() {
            "it gave no reason, as Firefox does when a host ends by itself"
        } else {
            words
        };
        return check("the browser itself does not reach the host").seen(format!("{place}: {}", seen(words)));
    }
    check("what the browser brings back is no answer to a hello").seen(seen(&said.to_string()))
}

/// The check of a browser, where it was made.
pub fn of(browser: &BrowserDiagnosis) -> Option<&Check> {
    browser.checks.iter().find(|check| check.id == ID && check.verdict != Verdict::Problem)
}
