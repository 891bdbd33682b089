//! What is said of a configuration that is no UTF-8: where that shows, what it probably is, and what makes UTF-8 of it.

use std::{path::Path, string::FromUtf8Error};

use super::error::ConfigError;
#[cfg(unix)]
use crate::shell_words::quoted_path;

/// The error for a file with these bytes.
pub(super) fn not_utf8(path: &Path, error: &FromUtf8Error) -> ConfigError {
    let (good, rest) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
    if let [0xff, 0xfe, ..] | [0xfe, 0xff, ..] = error.as_bytes() {
        return ConfigError::file(
            path,
            "the configuration file is UTF-16, as some programs of Windows save text, and has to be UTF-8",
            command(path, "UTF-16"),
        );
    }
    let good = String::from_utf8_lossy(good);
    let count = |number: usize| u32::try_from(number + 1).unwrap_or(u32::MAX);
    let line = count(good.matches('\n').count());
    let column = count(good.rsplit('\n').next().unwrap_or_default().chars().count());
    let byte = rest.first().copied().unwrap_or_default();
    let words = format!(
        "the configuration file is not UTF-8: the byte 0x{byte:02x} at line {line}, column {column} is no character there"
    );
    ConfigError { line, column, ..ConfigError::file(path, words, command(path, "WINDOWS-1252")) }
}

/// What makes UTF-8 of it in its place, so that its rights stay. `likely` is what it was probably saved as.
#[cfg(unix)]
fn command(path: &Path, likely: &str) -> String {
    let (place, new) = (quoted_path(path), quoted_path(path.with_added_extension("new")));
    format!(
        "save it as UTF-8 in an editor; or `iconv -f {likely} -t UTF-8 {place} > {new} && cat {new} > {place} && rm {new}`, if it was saved \
         as {likely}"
    )
}

#[cfg(windows)]
fn command(path: &Path, likely: &str) -> String {
    let place = path.display().to_string().replace('\'', "''");
    format!(
        "save it as UTF-8 in an editor; or `powershell -Command \"(Get-Content -LiteralPath '{place}') | Set-Content -Encoding utf8 -LiteralPath '{place}'\"`, \
         if it was saved as {likely}"
    )
}
