//! Whether a preference sends a browser of Firefox's family to the desktop's portal for its hosts.
//!
//! With it the browser looks into no folder of manifests by itself; where no portal answers, it says that there is no such host.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::{
    browsers::{self, Family, Os, Scope},
    check::Check,
    environment::Environment,
    error::shown,
    files::{self, Most},
    target::Target,
};
use crate::shell_words::{quoted, quoted_path};

const NAME: &str = "widget.use-xdg-desktop-portal.native-messaging";
/// By the browser's own numbers: 0 never, 1 always, 2 where it runs in a sandbox.
const ALWAYS: i64 = 1;
/// Preferences of a profile that is used for years take some hundred KiB.
const MOST: Most = Most { bytes: 16 * 1024 * 1024, larger: "larger than 16 MiB" };

/// The check of a browser's profiles; `None` where none of them says so.
pub(super) fn of_profiles(environment: &Environment, target: &Target) -> Option<Check> {
    const ID: &str = "browser.profile";
    if environment.os != Os::Linux || target.family != Family::Firefox || target.scope != Scope::User {
        return None;
    }
    let place = browsers::find(&target.id)?.place(environment.os)?;
    let profiles: Vec<PathBuf> = place
        .signs(environment)
        .iter()
        .flat_map(|folder| files::entries(folder))
        .filter(|profile| profile.join("prefs.js").is_file())
        .collect();
    let is_led = |profile: &&PathBuf| value_in(profile) == Some(ALWAYS);
    let profile = profiles.iter().find(is_led)?;
    let line = format!("user_pref(\"{NAME}\", 0);");
    let fix = format!("printf '%s\\n' {} >> {}", quoted(&line), quoted_path(profile.join("user.js")));
    let check = if profiles.iter().all(|profile| is_led(&profile)) {
        Check::problem(
            ID,
            "a preference sends the browser to the desktop's portal for its hosts: it reads no manifest by itself",
        )
    } else {
        Check::warning(
            ID,
            "a preference of one profile sends the browser to the desktop's portal for its hosts: there it reads no manifest by itself",
        )
    };
    Some(
        check
            .seen(format!("{NAME} is {ALWAYS} in {}", shown(profile)))
            .fix(fix)
            .advice("then start the browser again"),
    )
}

/// The same where an administrator's policy says so.
pub(super) fn of_policies(file: &Path, policies: &Map<String, Value>) -> Option<Check> {
    let preference = policies.get("Preferences")?.get(NAME)?;
    let is_cleared = preference["Status"] == "clear";
    let value = preference.get("Value").unwrap_or(preference);
    if is_cleared || value.as_i64() != Some(ALWAYS) {
        return None;
    }
    let message = "a policy of this machine sends the browser to the desktop's portal for its hosts: it reads no manifest by itself";
    let check = Check::problem("policy.allowed", message)
        .seen(format!("Preferences: {NAME} is {ALWAYS} in {}", shown(file)));
    Some(check.advice("the administrator of this machine can take that preference away, or set it to 0"))
}

/// What a profile says: `user.js` is read last, and the last line counts.
fn value_in(profile: &Path) -> Option<i64> {
    ["user.js", "prefs.js"].iter().find_map(|name| {
        let bytes = files::read_up_to(&profile.join(name), MOST).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        text.lines().rev().find_map(value_of)
    })
}

fn value_of(line: &str) -> Option<i64> {
    let (name, rest) = line.trim().strip_prefix("user_pref(")?.split_once(',')?;
    if name.trim().trim_matches(['"', '\'']) != NAME {
        return None;
    }
    rest.split(')').next()?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{NAME, value_of};

    #[test]
    fn lines_of_preferences() {
        assert_eq!(value_of(&format!("user_pref(\"{NAME}\", 1);")), Some(1));
        assert_eq!(value_of(&format!("  user_pref('{NAME}',2) ; // why")), Some(2));
        assert_eq!(value_of(&format!("// user_pref(\"{NAME}\", 1);")), None);
        assert_eq!(value_of(&format!("user_pref(\"{NAME}.x\", 1);")), None);
    }
}
