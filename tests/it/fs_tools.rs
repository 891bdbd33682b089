//! The file tools.
