//! How a configuration is refused: where, why, and what would work.

use std::{fmt, ops::Range, path::PathBuf};

use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};
use serde::Serialize;

use super::source::Source;
use crate::text::visible;

/// A configuration that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ConfigError {
    /// The file.
    pub file: PathBuf,
    /// From 1; 0 when the trouble is with the file itself.
    pub line: u32,
    /// In characters, from 1; 0 when the trouble is with the file itself.
    pub column: u32,
    /// The thing and the reason, lower-case.
    pub message: String,
    /// What would work.
    pub hint: Option<String>,
    /// The line in question, as written.
    pub snippet: Option<String>,
    /// How many characters of it are meant.
    pub width: u32,
}

impl ConfigError {
    /// Trouble with the file itself: missing, too large, writable by others.
    pub fn file(file: impl Into<PathBuf>, message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            file: file.into(),
            line: 0,
            column: 0,
            message: message.into(),
            hint: Some(hint.into()),
            snippet: None,
            width: 0,
        }
    }

    /// Trouble with a place in the file.
    pub(super) fn at(source: &Source, span: &Range<usize>, message: String, hint: Option<String>) -> Self {
        let place = source.place(span.start);
        let line = source.line(place.line);
        let left = u32::try_from(line.chars().count()).unwrap_or(u32::MAX).saturating_sub(place.column - 1);
        let meant =
            source.text.get(span.clone()).map_or(1, |text| text.lines().next().unwrap_or("").chars().count());
        Self {
            file: source.path.clone(),
            line: place.line,
            column: place.column,
            message,
            hint,
            snippet: Some(line.to_owned()),
            width: u32::try_from(meant).unwrap_or(u32::MAX).min(left).max(1),
        }
    }

    /// The error for a terminal: the line, the place in it, the reason and the hint.
    pub fn render(&self, colours: bool) -> String {
        let path = visible(&self.file.display().to_string()).into_owned();
        let title = Level::ERROR.primary_title(visible(&self.message).into_owned());
        let mut group = match &self.snippet {
            Some(line) => group_with_line(title, path, line, self),
            None => Group::with_title(title).element(Origin::path(path)),
        };
        if let Some(hint) = &self.hint {
            group = group.element(Level::HELP.message(visible(hint).into_owned()));
        }
        let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
        renderer.render(&[group])
    }
}

fn group_with_line<'a>(
    title: annotate_snippets::Title<'a>,
    path: String,
    line: &'a str,
    error: &ConfigError,
) -> Group<'a> {
    let byte = |column: u32| line.char_indices().nth(column as usize).map_or(line.len(), |(byte, _)| byte);
    let start = byte(error.column.saturating_sub(1));
    let end = byte(error.column.saturating_sub(1).saturating_add(error.width));
    let snippet = Snippet::source(line)
        .line_start(error.line as usize)
        .path(path)
        .annotation(AnnotationKind::Primary.span(start..end.max(start)));
    Group::with_title(title).element(snippet)
}

/// One line: `file:line:column: message`.
impl fmt::Display for ConfigError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}", visible(&self.file.display().to_string()))?;
        if self.line > 0 {
            write!(formatter, ":{}:{}", self.line, self.column)?;
        }
        write!(formatter, ": {}", visible(&self.message))
    }
}

impl std::error::Error for ConfigError {}
