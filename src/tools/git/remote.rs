//! A remote repository that a repository's configuration names: what of it is used, and what is refused.

use super::{libgit2, refspecs::Refspec};
use crate::{
    config::GitSettings,
    limits::NAME_SHOWN_BYTES,
    text::{excerpt, visible},
    tools::{Code, ToolError},
    workspace::repository::Repository,
};

/// Settings of a remote that name a program.
const PROGRAMS: &[&str] = &["uploadpack", "receivepack", "vcs"];
/// The longest address.
const URL_BYTES: usize = 2000;

/// Settings of a remote by which a push would send more than one branch to one of a name.
const SENDS_MORE: &[&str] = &["push", "mirror"];

/// What a call says.
#[derive(Clone, Copy, Debug)]
pub(super) struct Asked<'a> {
    /// Empty: not said.
    pub(super) remote: &'a str,
    pub(super) branch: &'a str,
    /// False where the branch is only the current one.
    pub(super) names_branch: bool,
    pub(super) pushes: bool,
}

/// A remote that may be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Remote {
    pub(super) name: String,
    pub(super) url: String,
    /// The branch there that a pull takes from: the one that the local branch follows, else the one of its name.
    pub(super) followed: String,
    /// The branch there that a push of the local one changes.
    pub(super) sent_to: String,
    /// What is kept of it.
    refspecs: Vec<Refspec>,
    /// Those that a fetch cannot go by.
    unusable: Vec<String>,
    /// Of the tags: `--tags`, `--no-tags`, or those of what is fetched.
    pub(super) tags: Option<&'static str>,
    /// A fetch of all forgets what is gone there.
    pub(super) prunes: bool,
    protocol: &'static str,
}

impl Remote {
    /// The remote that is named, or the one that the branch follows, or `origin`. For pushing, the one that it is pushed to goes
    /// first, and its `pushurl` counts.
    pub(super) fn find(
        repository: &Repository,
        opened: &git2::Repository,
        settings: &GitSettings,
        asked: Asked<'_>,
    ) -> Result<Self, ToolError> {
        let Asked { remote: name, branch, pushes, .. } = asked;
        let config = opened.config().and_then(|mut config| config.snapshot());
        let config = config.map_err(|error| libgit2(repository, &error))?;
        let value = |key: &str| config.get_string(key).ok().filter(|value| !value.is_empty());
        let all = |key: &str| values(&config, key);
        let follows = value(&format!("branch.{branch}.remote"));
        let name = if name.is_empty() {
            // One whose address names a program is none here.
            let is_one = |name: &String| {
                all(&format!("remote.{name}.url")).first().is_some_and(|url| protocol(url).is_some())
            };
            let pushed = [format!("branch.{branch}.pushRemote"), "remote.pushDefault".to_owned()];
            let pushed = pushed.iter().filter(|_| pushes).find_map(|key| value(key).filter(is_one));
            pushed.or_else(|| follows.clone()).unwrap_or_else(|| "origin".to_owned())
        } else {
            name.to_owned()
        };
        let shown = excerpt(&name, NAME_SHOWN_BYTES);
        if name.starts_with('-') || !git2::Reference::is_valid_name(&format!("refs/remotes/{name}/x")) {
            return Err(invalid(format!("`{shown}` is no name of a remote")));
        }
        let of_pushes = if pushes { all(&format!("remote.{name}.pushurl")) } else { Vec::new() };
        let urls = if of_pushes.is_empty() { all(&format!("remote.{name}.url")) } else { of_pushes };
        if pushes && urls.len() > 1 {
            let count = urls.len();
            return Err(unsupported(format!(
                "the remote `{shown}` has {count} addresses that git pushes to"
            )));
        }
        let Some(url) = urls.into_iter().next() else {
            return Err(ToolError::new(
                Code::NotFound,
                format!("the repository at `{}` has no remote `{shown}`", repository.folder()),
                "the user can add one with `git remote add`",
            ));
        };
        for program in PROGRAMS {
            if value(&format!("remote.{name}.{program}")).is_some() {
                return Err(ToolError::new(
                    Code::UnsupportedHere,
                    format!("the remote `{shown}` names a program (`remote.{shown}.{program}`)"),
                    "nothing that a repository configures runs; the user can use git itself",
                ));
            }
        }
        for more in SENDS_MORE.iter().filter(|_| pushes) {
            if value(&format!("remote.{name}.{more}")).is_some_and(|value| value != "false") {
                return Err(unsupported(format!("`remote.{shown}.{more}` says what is pushed to where")));
            }
        }
        let protocol = protocol(&url)
            .ok_or_else(|| invalid(format!("the address of the remote `{shown}` cannot be used here")))?;
        if !settings.protocols.contains(&protocol) {
            return Err(ToolError::new(
                Code::ArgumentNotAllowed,
                format!(
                    "the remote `{shown}` is reached by `{protocol}`; the configuration allows {}",
                    settings.protocols.join(", ")
                ),
                "the administrator can add it to `protocols` in `[git]`",
            ));
        }
        let merge = value(&format!("branch.{branch}.merge"));
        let merged = merge.clone().filter(|_| follows.as_ref() == Some(&name));
        let sent_to = if pushes {
            let is_origin = name == follows.as_deref().unwrap_or("origin");
            let default = value("push.default");
            sent_to(default.as_deref().unwrap_or("simple"), asked, is_origin, merge.as_deref())?
        } else {
            branch.to_owned()
        };
        let followed =
            match merged.as_deref().map(|followed| (followed, followed.strip_prefix("refs/heads/"))) {
                None => branch.to_owned(),
                Some((_, Some(followed))) if git2::Branch::name_is_valid(followed).unwrap_or(false) => {
                    followed.to_owned()
                }
                Some((followed, _)) if !pushes => {
                    return Err(invalid(format!(
                        "`{}` follows `{}` of the remote `{shown}`, which is no branch",
                        visible(branch),
                        visible(followed)
                    )));
                }
                Some(_) => branch.to_owned(),
            };
        let (mut refspecs, mut unusable) = (Vec::new(), Vec::new());
        for text in all(&format!("remote.{name}.fetch")) {
            match Refspec::parse(&text) {
                Some(refspec) => refspecs.push(refspec),
                None => unusable.push(text),
            }
        }
        let tags = value(&format!("remote.{name}.tagOpt"));
        let tags = ["--tags", "--no-tags"].into_iter().find(|known| tags.as_deref() == Some(known));
        let prunes = [format!("remote.{name}.prune"), "fetch.prune".to_owned()];
        let prunes = prunes.iter().find_map(|key| config.get_bool(key).ok()).unwrap_or_default();
        Ok(Self { name, url, followed, sent_to, refspecs, unusable, tags, prunes, protocol })
    }

    /// What a fetch of this branch keeps, or of all that the configuration names.
    pub(super) fn fetched(&self, branch: Option<&str>) -> Result<Vec<Refspec>, ToolError> {
        if let Some(branch) = branch {
            return Ok(vec![self.refspec(branch)]);
        }
        if let Some(text) = self.unusable.first() {
            let (name, text) = (visible(&self.name), visible(text));
            return Err(ToolError::new(
                Code::UnsupportedHere,
                format!(
                    "`remote.{name}.fetch` is `{text}`; a fetch here changes no branch, and keeps what it takes"
                ),
                "name a `branch` to fetch that one alone; the user can use git itself",
            ));
        }
        let usual = || vec![Refspec::usual(&self.name)];
        Ok(if self.refspecs.is_empty() { usual() } else { self.refspecs.clone() })
    }

    fn refspec(&self, branch: &str) -> Refspec {
        Refspec::of_branch(&self.refspecs, &self.name, branch)
    }

    /// True when the git program serves the other end too.
    pub(super) fn is_local(&self) -> bool {
        self.protocol == "file"
    }

    /// The address without a login, for people and models.
    pub(super) fn shown_url(&self) -> String {
        visible(&without_login(&self.url)).into_owned()
    }

    /// Where a branch of the remote is remembered.
    pub(super) fn tracking(&self, branch: &str) -> String {
        self.refspec(branch).place().to_owned()
    }
}

/// The values of a key in their order; an empty one takes back those before it.
pub(super) fn values(config: &git2::Config, key: &str) -> Vec<String> {
    let mut found = Vec::new();
    if let Ok(mut entries) = config.multivar(key, None) {
        while let Some(Ok(entry)) = entries.next() {
            match entry.value() {
                Ok("") => found.clear(),
                Ok(value) => found.push(value.to_owned()),
                Err(_) => {}
            }
        }
    }
    found
}

/// The branch there that git would push to, by `push.default`. One that git pushes nothing of without its name has to be named, but
/// for a new one: that is pushed under its own.
fn sent_to(
    default: &str,
    asked: Asked<'_>,
    is_origin: bool,
    merge: Option<&str>,
) -> Result<String, ToolError> {
    let (own, shown) = (asked.branch.to_owned(), visible(asked.branch));
    let unnamed = |what: &str| {
        let hint = "name the `branch` to push it all the same";
        Err(ToolError::new(Code::InvalidArgs, format!("`push.default` is `{default}`: {what}"), hint))
    };
    match default {
        "current" => Ok(own),
        "simple" if asked.names_branch || !is_origin => Ok(own),
        "simple" => match merge {
            Some(merge) if merge.strip_prefix("refs/heads/") != Some(asked.branch) => {
                let merge = visible(merge);
                unnamed(&format!("`{shown}` follows `{merge}` there, which has another name"))
            }
            _ => Ok(own),
        },
        "upstream" | "tracking" if !asked.names_branch && !is_origin => {
            unnamed(&format!("this remote is not the one that `{shown}` follows"))
        }
        "upstream" | "tracking" => match merge.map(|merge| merge.strip_prefix("refs/heads/")) {
            Some(Some(merge)) if git2::Branch::name_is_valid(merge).unwrap_or(false) => Ok(merge.to_owned()),
            None if asked.names_branch => Ok(own),
            None => unnamed(&format!("`{shown}` follows no branch")),
            Some(_) => Err(unsupported(format!("`{shown}` follows what is no branch there"))),
        },
        "nothing" | "matching" if asked.names_branch => Ok(own),
        "nothing" => unnamed("git pushes only what is named"),
        "matching" => unnamed("git would push all branches that are there too"),
        unknown => Err(invalid(format!("`push.default` is `{}`, which git does not know", visible(unknown)))),
    }
}

fn unsupported(message: String) -> ToolError {
    ToolError::new(
        Code::UnsupportedHere,
        message,
        "a push here sends one branch to one place; the user can use git itself",
    )
}

fn invalid(message: String) -> ToolError {
    ToolError::new(Code::InvalidArgs, message, "`git remote -v`, run by the user, lists the remotes")
}

/// How git would reach this address; `None` for one that names a program or a flag.
fn protocol(url: &str) -> Option<&'static str> {
    if url.starts_with('-') || url.len() > URL_BYTES || url.chars().any(char::is_control) {
        return None;
    }
    if let Some((scheme, rest)) = url.split_once("://") {
        // A host that begins with a dash has been taken for a flag of ssh before.
        let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
        if host.starts_with('-') || rest.starts_with('-') {
            return None;
        }
        return match scheme.to_ascii_lowercase().as_str() {
            "https" => Some("https"),
            "http" => Some("http"),
            "ssh" | "git+ssh" | "ssh+git" => Some("ssh"),
            "git" => Some("git"),
            "file" => Some("file"),
            _ => None,
        };
    }
    // `ext::sh -c …` and its like name a program.
    if url.split(['/', '@']).next().is_some_and(|start| start.contains("::")) {
        return None;
    }
    match (url.find(':'), url.find('/')) {
        (Some(colon), slash) if slash.is_none_or(|slash| colon < slash) => {
            let host = url[..colon].rsplit('@').next().unwrap_or_default();
            (!host.is_empty() && !host.starts_with('-')).then_some("ssh")
        }
        _ => Some("file"),
    }
}

/// The text with `user:password@` taken out of addresses.
pub(super) fn without_login(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        shown.push_str(before);
        shown.push_str("://");
        let end = after.find(|character: char| character == '/' || character.is_whitespace());
        let (host, more) = after.split_at(end.unwrap_or(after.len()));
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        shown.push_str(host);
        rest = more;
    }
    shown.push_str(rest);
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_protocol_or_are_refused() {
        for (url, expected) in [
            ("https://example.org/x.git", Some("https")),
            ("HTTPS://example.org/x.git", Some("https")),
            ("http://example.org/x", Some("http")),
            ("ssh://git@example.org:22/x", Some("ssh")),
            ("git@example.org:x/y.git", Some("ssh")),
            ("example.org:x", Some("ssh")),
            ("git://example.org/x", Some("git")),
            ("file:///srv/x", Some("file")),
            ("/srv/x.git", Some("file")),
            ("../x.git", Some("file")),
            ("./a:b", Some("file")),
            ("ext::sh -c touch% /tmp/x", None),
            ("fd::7", None),
            ("transport::https://example.org", None),
            ("ssh://-oProxyCommand=x/y", None),
            ("ssh://a@-oProxyCommand=x/y", None),
            ("-oProxyCommand=x:y", None),
            ("git@-oProxyCommand=x:y", None),
            ("--upload-pack=x", None),
            ("ftp://example.org/x", None),
            ("https://example.org/\nx", None),
        ] {
            assert_eq!(protocol(url), expected, "{url}");
        }
    }

    #[test]
    fn logins_are_not_shown() {
        assert_eq!(
            without_login("to https://ann:secret@example.org/x and more"),
            "to https://example.org/x and more"
        );
        assert_eq!(without_login("no address"), "no address");
        assert_eq!(without_login("https://a@b@c"), "https://c");
    }
}
