//! The findings as text that can be shown to strangers: no names and folders of the user, no words of workspaces, no secrets and
//! addresses that a program said.

use std::{fmt::Write as _, path::Path};

use super::Diagnosis;
use crate::{
    install::{
        browsers::{Family, Os},
        check::{Check, Verdict},
        environment::Environment,
        ids::Ids,
    },
    redact::Redactor,
    text,
};

/// The report.
pub fn text(environment: &Environment, diagnosis: &Diagnosis) -> String {
    let mut report = format!(
        "outrigger doctor {} on {} ({})\nverdict: {}\n",
        diagnosis.version,
        environment.os.as_str(),
        std::env::consts::ARCH,
        if diagnosis.ok { "ok" } else { "not ok" },
    );
    for browser in &diagnosis.browsers {
        let word = if browser.ok { "ok" } else { "not ok" };
        let _ = write!(
            report,
            "\n{} ({}): {word}\n  manifest: {}\n",
            browser.name,
            browser.browser,
            browser.manifest.display()
        );
        browser.checks.iter().for_each(|check| add(&mut report, check));
    }
    report.push_str("\nthis machine\n");
    diagnosis.general.iter().for_each(|check| add(&mut report, check));
    without_addresses(&without_secrets(&without_names(environment, diagnosis, &report)))
}

/// A program's last words may have anything in them: what looks like a key or a token is none of anybody's business.
fn without_secrets(report: &str) -> String {
    Redactor::new(true, &[]).begin().text(report).into_owned()
}

/// Addresses of mail, and add-ons that are called like one; our own add-on is known.
fn without_addresses(report: &str) -> String {
    let own = Ids::shipped().map(|ids| ids.extension(Family::Firefox).to_string()).unwrap_or_default();
    let is_part = |character: char| character.is_ascii_alphanumeric() || "._%+-".contains(character);
    let mut clean = String::with_capacity(report.len());
    let mut rest = report;
    while let Some(at) = rest.find('@') {
        let (before, behind) = (&rest[..at], &rest[at + 1..]);
        let name = before.len() - before.trim_end_matches(is_part).len();
        let host = behind.len() - behind.trim_start_matches(is_part).len();
        let end = behind[..host].trim_end_matches('.').len();
        let address = &rest[at - name..at + 1 + end];
        let top = behind[..end].rsplit_once('.').map(|(_, top)| top).unwrap_or_default();
        let is_address = name > 0 && top.len() > 1 && top.chars().all(|letter| letter.is_ascii_alphabetic());
        clean.push_str(&before[..at - name]);
        clean.push_str(if is_address && address != own { "<address>" } else { address });
        rest = &behind[end..];
    }
    clean + rest
}

fn add(report: &mut String, check: &Check) {
    let word = match check.verdict {
        Verdict::Ok => "ok",
        Verdict::Warning => "warning",
        Verdict::Problem => "problem",
        Verdict::NotChecked => "not checked",
    };
    // What a workspace is called and where it lies concerns nobody.
    if check.id == "workspace.available" {
        let _ = writeln!(report, "  {word:<11} {}", check.id);
        return;
    }
    let _ = writeln!(report, "  {word:<11} {}: {}", check.id, text::visible(&check.message));
    for (what, words) in [("seen", &check.evidence), ("fix", &check.fix), ("advice", &check.advice)] {
        if let Some(words) = words {
            let _ = writeln!(report, "              {what}: {}", text::visible(words));
        }
    }
}

/// What stands at these places says nothing about a person.
const PUBLIC: &[&str] = &[
    "/usr/",
    "/bin/",
    "/sbin/",
    "/lib/",
    "/lib64/",
    "/etc/",
    "/dev/",
    "/proc/",
    "/sys/",
    "/snap/",
    "/nix/store/",
    "/var/lib/outrigger",
    "/var/lib/flatpak/",
    "/opt/google/",
    "/opt/microsoft/",
    "/opt/brave.com/",
    "/opt/vivaldi/",
    "/opt/outrigger",
    "/Library/",
    "/Applications/",
    "/System/",
    "~/.",
    "~/Library/",
    "~/snap/",
    "~/AppData/",
];

/// Folders of a person become `<folder 1>` and so on, the home folder `~`; the user's name, where it stands as a part of a path, `<user>`.
fn without_names(environment: &Environment, diagnosis: &Diagnosis, report: &str) -> String {
    let home = environment.home.to_string_lossy();
    let mut folders = Folders(Vec::new());
    let mut clean = report.to_owned();
    let mut known = folders_of(environment, diagnosis);
    for folder in &known {
        folders.number(folder);
    }
    // What is inside another goes first.
    known.sort_by_key(|folder| std::cmp::Reverse(folder.len()));
    for folder in known {
        let name = folders.named(&folder);
        for written in [folder.replace('\'', r"'\''"), text::visible(&folder).into_owned(), folder.clone()] {
            clean = clean.replace(&written, &name);
        }
    }
    clean = clean.replace(&*home, "~");
    if environment.os != Os::Windows {
        clean = folders.without_others(&clean);
    }
    let names = [
        environment.home.file_name().map(|name| name.to_string_lossy().into_owned()),
        std::env::var("USER").ok(),
    ];
    for name in names.into_iter().flatten().filter(|name| name.len() > 1 && name != "root") {
        for end in ['/', '`', ' ', '\n', '"', '\'', '\\'] {
            for begin in ['/', '\\'] {
                clean = clean.replace(&format!("{begin}{name}{end}"), &format!("{begin}<user>{end}"));
            }
        }
    }
    clean
}

/// Folders that a person chose, as far as they are known as such: they may have any name, with spaces and marks in it.
fn folders_of(environment: &Environment, diagnosis: &Diagnosis) -> Vec<String> {
    let given = diagnosis.browsers.iter().map(|browser| browser.browser.clone());
    let seen = diagnosis.general.iter().filter(|check| check.id == "browser.profile");
    let seen = seen.filter_map(|check| check.evidence.clone());
    let program = environment.binary.parent().map(|folder| folder.to_string_lossy().into_owned());
    let own = [
        &environment.state_dir,
        &environment.record_home,
        &environment.program_dir,
        &environment.config_home,
    ];
    let own = own.map(|folder| folder.to_string_lossy().into_owned());
    let leading = environment.leading.iter().map(|(_, value)| value.clone());
    let home = environment.home.to_string_lossy().into_owned();
    let mut folders: Vec<String> = Vec::new();
    for folder in given.chain(seen).chain(program).chain(own).chain(leading) {
        let short = folder.replacen(&home, "~", 1);
        if Path::new(&folder).is_absolute()
            && folder.len() > 1
            && !is_public(&short)
            && !folders.contains(&folder)
        {
            folders.push(folder);
        }
    }
    folders
}

fn is_public(place: &str) -> bool {
    PUBLIC.iter().any(|public| place.starts_with(public) || *public == format!("{place}/"))
}

/// Folders, by their numbers.
struct Folders(Vec<String>);

impl Folders {
    fn named(&mut self, folder: &str) -> String {
        format!("<folder {}>", self.number(folder))
    }

    fn number(&mut self, folder: &str) -> usize {
        let known = self.0.iter().position(|known| known == folder);
        known.map_or_else(
            || {
                self.0.push(folder.to_owned());
                self.0.len()
            },
            |known| known + 1,
        )
    }

    /// Every other path that is not public: in marks up to the mark, else up to what no path has.
    fn without_others(&mut self, text: &str) -> String {
        let mut clean = String::with_capacity(text.len());
        let mut before = '\n';
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            let begins = (rest.starts_with('/') || rest.starts_with("~/"))
                && (before.is_whitespace() || "`'\"(=:,;".contains(before));
            if !begins {
                clean.push(character);
                before = character;
                rest = &rest[character.len_utf8()..];
                continue;
            }
            let is_end = |next: char| match before {
                '`' | '\'' | '"' => next == before || next == '\n',
                _ => next.is_whitespace() || "`'\",;()".contains(next),
            };
            let (path, after) = rest.split_at(rest.find(is_end).unwrap_or(rest.len()));
            let trimmed = path.trim_end_matches([':', '.']);
            if trimmed.len() < 2 || trimmed.starts_with("//") || trimmed == "~/" || is_public(trimmed) {
                clean.push_str(trimmed);
            } else {
                let (folder, name) = trimmed.rsplit_once('/').unwrap_or((trimmed, ""));
                if ["outrigger", "outrigger.exe"].contains(&name) || name.starts_with("dev.outrigger.") {
                    let _ = write!(clean, "{}/{name}", self.named(folder));
                } else {
                    clean.push_str(&self.named(trimmed));
                }
            }
            clean.push_str(&path[trimmed.len()..]);
            before = path.chars().next_back().unwrap_or(before);
            rest = after;
        }
        clean
    }
}

#[cfg(test)]
mod tests {
    use super::Folders;

    #[test]
    fn paths_of_a_person_are_numbers() {
        let mut folders = Folders(Vec::new());
        for (written, clean) in [
            ("missing: /srv/x/y: gone", "missing: <folder 1>: gone"),
            ("`/srv/a b/outrigger`, which", "`<folder 2>/outrigger`, which"),
            ("chmod u+x '/srv/x/y' /srv/x/y", "chmod u+x '<folder 1>' <folder 1>"),
            ("~/.config/google-chrome and ~/work/app.", "~/.config/google-chrome and <folder 3>."),
            (
                "chrome-extension://abc/ /usr/lib/x 1/2 a/b / ~",
                "chrome-extension://abc/ /usr/lib/x 1/2 a/b / ~",
            ),
            ("A=/mnt/z;B=/mnt/z", "A=<folder 4>;B=<folder 4>"),
        ] {
            assert_eq!(folders.without_others(written), clean);
        }
    }
}
