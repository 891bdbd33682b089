//! The integration tests, in one binary. Table of contents:
//!
//! - `wire`: hello, MCP over frames, rubbish, bye, the end
//! - `calls`: plans and answers, exactly once by key, cancel, another life
#![expect(clippy::disallowed_methods, reason = "tests make their own folders and start the real binary")]

mod calls;
mod support;
mod wire;
