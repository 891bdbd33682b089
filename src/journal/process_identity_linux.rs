//! When a process began, by `/proc`.

/// The start time of a process in clock ticks since boot: field 22 of its `stat`, counted after the name, which may hold anything.
#[expect(clippy::disallowed_methods, reason = "`/proc` is no workspace")]
pub(super) fn start_of(pid: i64) -> Option<i64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    let state = fields.next()?;
    // A zombie holds no lock, no file and no child; its work is over.
    if state == "Z" || state == "X" {
        return None;
    }
    fields.nth(18)?.parse().ok()
}
