//! The text of a configuration file, and where in it things stand.

use std::{path::PathBuf, sync::Arc};

use super::resolved::Place;

/// A file as it was read.
#[derive(Clone, Debug)]
pub struct Source {
    /// Where it was read from.
    pub path: PathBuf,
    /// Its whole text.
    pub text: Arc<str>,
}

/// The languages a configuration can be written in; both mean the same model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `config.toml`.
    Toml,
    /// `config.yaml` or `config.yml`.
    Yaml,
}

impl Source {
    /// The place of a byte.
    pub(super) fn place(&self, byte: usize) -> Place {
        let before = self.text.get(..byte.min(self.text.len())).unwrap_or(&self.text);
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
        Place {
            line: count(before.matches('\n').count() + 1),
            column: count(before.get(line_start..).unwrap_or("").chars().count() + 1),
        }
    }

    /// The text of a line, from 1.
    pub(super) fn line(&self, number: u32) -> &str {
        self.text.lines().nth(number.saturating_sub(1) as usize).unwrap_or("")
    }
}
