//! The log file.
