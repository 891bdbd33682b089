//! A profile of Seatbelt, the sandbox of macOS, as text. Pure: bounds in, words of its own small language out.

use std::{fmt::Write as _, path::Path};

use super::bounds::Bounds;

/// Devices that hold nothing and that programs write to.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/random", "/dev/urandom", "/dev/dtracehelper"];

/// The profile that holds a command to `bounds`; `None` for a path that is no text, which the language cannot say.
pub(super) fn profile(bounds: &Bounds) -> Option<String> {
    let mut profile = "(version 1)\n(allow default)\n".to_owned();
    if bounds.files.is_some() {
        profile.push_str("(deny file-write*)\n(allow file-write*\n");
        for writable in &bounds.writable {
            let _ = writeln!(profile, "  (subpath {})", quoted(&writable.path)?);
        }
        for device in DEVICES {
            let _ = writeln!(profile, "  (literal \"{device}\")");
        }
        profile.push_str(")\n");
    }
    if bounds.closes_network {
        // Sockets of the file system are the network as well: other programs listen there.
        profile.push_str("(deny network*)\n");
    }
    Some(profile)
}

fn quoted(path: &Path) -> Option<String> {
    let text = path.to_str()?;
    // A line break would be read as one, and nothing else is special between quotation marks.
    let is_sayable = !text.contains(['\0', '\n', '\r']);
    is_sayable.then(|| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::bounds::Writable;

    fn bounds(paths: &[&str], closes_network: bool) -> Bounds {
        let writable = |path: &&str| Writable { path: path.into(), identity: None };
        let writable = paths.iter().map(writable).collect();
        Bounds { files: Some(u8::MAX), closes_network, guards_processes: true, writable }
    }

    #[test]
    fn only_what_was_told_may_be_written() {
        let profile = profile(&bounds(&["/Users/ada/app", "/private/tmp/run-1"], true)).unwrap();
        let expected = [
            "(version 1)",
            "(allow default)",
            "(deny file-write*)",
            "(allow file-write*",
            "  (subpath \"/Users/ada/app\")",
            "  (subpath \"/private/tmp/run-1\")",
            "  (literal \"/dev/null\")",
        ];
        assert!(profile.starts_with(&expected.join("\n")), "{profile}");
        assert!(profile.ends_with(")\n(deny network*)\n"), "{profile}");
        assert_eq!(profile.matches('(').count(), profile.matches(')').count());
    }

    #[test]
    fn a_name_cannot_end_its_own_quotation() {
        let named = |path| profile(&bounds(&[path], false));
        assert!(
            named("/a\") (allow file-write*) (x \"")
                .unwrap()
                .contains(r#"(subpath "/a\") (allow file-write*) (x \"")"#)
        );
        assert!(named(r"/a\").unwrap().contains(r#"(subpath "/a\\")"#));
        assert_eq!(named("/a\nb"), None);
    }

    #[test]
    fn what_is_not_held_is_not_in_it() {
        let open =
            Bounds { files: None, closes_network: false, guards_processes: true, writable: Vec::new() };
        assert_eq!(profile(&open).unwrap(), "(version 1)\n(allow default)\n");
    }
}
