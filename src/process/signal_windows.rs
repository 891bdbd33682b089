//! Windows has no signals: a program ends with a number, whoever ends it.

/// The number itself.
pub fn signal_name(number: i32) -> String {
    format!("signal {number}")
}
