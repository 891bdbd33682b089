//! When a process began, by the kernel's own record of it.
#![expect(unsafe_code, reason = "another process's record has no safe wrapper")]

use std::mem::{self, MaybeUninit};

/// The start time of a process in microseconds; `None` when there is no such process, or it is a zombie.
pub(super) fn start_of(pid: i64) -> Option<i64> {
    let pid = i32::try_from(pid).ok()?;
    let mut record = MaybeUninit::<libc::proc_bsdinfo>::zeroed();
    let length = i32::try_from(mem::size_of::<libc::proc_bsdinfo>()).ok()?;
    // SAFETY: the record is ours and has the length that is told.
    let filled =
        unsafe { libc::proc_pidinfo(pid, libc::PROC_PIDTBSDINFO, 0, record.as_mut_ptr().cast(), length) };
    if filled != length {
        return None;
    }
    // SAFETY: plain numbers, which the call has filled in.
    let record = unsafe { record.assume_init() };
    if record.pbi_status == libc::SZOMB {
        return None;
    }
    i64::try_from(record.pbi_start_tvsec * 1_000_000 + record.pbi_start_tvusec).ok()
}
