//! What the tests share.

pub mod native;
