//! Outrigger: workspace tools for an agent in the browser, with the user in charge.
//!
//! The modules are floors, and imports only go down. From the street up:
//!
//! | floor | modules |
//! |---|---|
//! | 7 entrances | [`cli`] |
//! | 6 edges | [`native`], [`server`], [`install`] (they do not know each other) |
//! | 5 verbs | [`tools`] |
//! | 4 doors | [`workspace`] (disk), [`process`] (programs) |
//! | 3 law | [`policy`] (pure) |
//! | 2 memory | [`config`], [`journal`], [`logging`], [`footprint`] |
//! | 1 words | [`limits`], [`redact`], [`relpath`], [`tier`], [`ids`], [`change`], [`cancel`], [`aside`], [`room`], [`shell_words`], [`hint`], [`text`], [`json_text`], [`object`], [`line_ends`], [`file_identity`] |
//!
//! `tests/floors.rs` reads the imports and keeps them so.

#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "unit tests make their own files and processes")
)]

pub mod cli;

pub mod install;
pub mod native;
pub mod server;

pub mod tools;

pub mod process;
pub mod workspace;

pub mod policy;

pub mod config;
pub mod footprint;
pub mod journal;
pub mod logging;

pub mod aside;
pub mod cancel;
pub mod change;
pub mod file_identity;
pub mod hint;
pub mod ids;
pub mod json_text;
pub mod limits;
pub mod line_ends;
pub mod object;
pub mod redact;
pub mod relpath;
pub mod room;
pub mod shell_words;
pub mod text;
pub mod tier;
