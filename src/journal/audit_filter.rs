//! Which rows of the audit are wanted.

use std::{fmt, str::FromStr};

use clap::ValueEnum;
use jiff::Timestamp;
use serde::{Deserialize, de};
use serde_json::Value;

/// Which rows are wanted; what is not given lets everything through.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AuditFilter {
    /// Of this session.
    #[serde(default)]
    pub session: Option<String>,
    /// Of this turn.
    #[serde(default)]
    pub turn: Option<String>,
    /// In this workspace.
    #[serde(default)]
    pub workspace: Option<String>,
    /// Of this tool.
    #[serde(default)]
    pub tool: Option<String>,
    /// Who decided what.
    #[serde(default)]
    pub decision: Option<Decided>,
    /// From this moment on.
    #[serde(default)]
    pub since: Option<Moment>,
    /// Before this moment.
    #[serde(default)]
    pub until: Option<Moment>,
    /// That named or changed a path containing this.
    #[serde(default)]
    pub path: Option<String>,
}

/// What came of a request, as a row says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Decided {
    /// It needed nobody.
    Auto,
    /// Somebody said yes.
    Allowed,
    /// Somebody said no.
    Denied,
    /// The law did.
    Refused,
}

/// A moment as rows are compared with it: RFC 3339 in UTC, or its beginning (`2026-11-20`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Moment(String);

/// Something that is no moment.
#[derive(Debug)]
pub struct NoMoment(String);

impl fmt::Display for NoMoment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "`{}` is no moment; `2026-11-20`, `2026-11-20T08:00` and `2026-11-20T08:00:00Z` are",
            crate::text::visible(&self.0)
        )
    }
}

impl std::error::Error for NoMoment {}

impl FromStr for Moment {
    type Err = NoMoment;

    fn from_str(text: &str) -> Result<Self, NoMoment> {
        const WHOLE: &str = "0000-01-01T00:00:00Z";
        if let Ok(moment) = text.parse::<Timestamp>() {
            return Ok(Self(moment.to_string()));
        }
        let rest = WHOLE.get(text.len()..).unwrap_or_default();
        let is_beginning = text.len() >= 4 && format!("{text}{rest}").parse::<Timestamp>().is_ok();
        if is_beginning { Ok(Self(text.to_owned())) } else { Err(NoMoment(text.to_owned())) }
    }
}

impl<'de> Deserialize<'de> for Moment {
    fn deserialize<D: de::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

impl Decided {
    fn word(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Allowed => "allowed",
            Self::Denied => "denied",
            Self::Refused => "refused",
        }
    }
}

impl AuditFilter {
    /// True for a row that is wanted.
    pub fn takes(&self, row: &Value) -> bool {
        let is = |wanted: Option<&str>, field: &str| {
            wanted.is_none_or(|wanted| row[field].as_str() == Some(wanted))
        };
        let at = row["at"].as_str().unwrap_or_default();
        let named = |wanted: &String| {
            let given = row["paths"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let changed =
                row["changes"].as_array().into_iter().flatten().filter_map(|change| change["path"].as_str());
            given.chain(changed).any(|path| path.contains(wanted.as_str()))
        };
        is(self.session.as_deref(), "session")
            && is(self.turn.as_deref(), "turn")
            && is(self.workspace.as_deref(), "workspace")
            && is(self.tool.as_deref(), "tool")
            && is(self.decision.map(Decided::word), "decision")
            && self.since.as_ref().is_none_or(|since| at >= since.0.as_str())
            && self.until.as_ref().is_none_or(|until| at < until.0.as_str())
            && self.path.as_ref().is_none_or(named)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_moment_is_a_date_or_more() {
        for text in [
            "2026",
            "2026-11",
            "2026-11-20",
            "2026-11-20T08",
            "2026-11-20T08:00",
            "2026-11-20T08:00:00",
            "2026-11-20T08:00:00Z",
        ] {
            assert_eq!(text.parse::<Moment>().unwrap().0, text);
        }
        let elsewhere: Moment = "2026-11-20T08:00:00+02:00".parse().unwrap();
        assert_eq!(elsewhere.0, "2026-11-20T06:00:00Z");
        for text in [
            "",
            "notadate",
            "2026-13",
            "2026-11-45",
            "20",
            "2026-11-20T25",
            "yesterday at noon o'clock sharp",
            "2026/11/20",
        ] {
            assert!(text.parse::<Moment>().is_err(), "{text}");
        }
    }
}
