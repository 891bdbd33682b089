//! When a process began, by a handle that can do nothing but ask.
#![expect(unsafe_code, reason = "another process's times have no safe wrapper")]

use std::os::windows::io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle};

use windows_sys::Win32::{
    Foundation::{FILETIME, WAIT_OBJECT_0},
    System::Threading::{
        GetProcessTimes, OpenProcess, PROCESS_QUERY_LIMITED_INFORMATION, PROCESS_SYNCHRONIZE,
        WaitForSingleObject,
    },
};

/// The start time of a process in tenths of microseconds; `None` when there is no such process, or it has ended.
pub(super) fn start_of(pid: i64) -> Option<i64> {
    let pid = u32::try_from(pid).ok()?;
    // SAFETY: a call with numbers; what it gives is nobody else's.
    let handle = unsafe { OpenProcess(PROCESS_QUERY_LIMITED_INFORMATION | PROCESS_SYNCHRONIZE, 0, pid) };
    if handle.is_null() {
        return None;
    }
    // SAFETY: the handle is open and ours.
    let process = unsafe { OwnedHandle::from_raw_handle(handle) };
    let [mut began, mut ended, mut kernel, mut user] = [FILETIME::default(); 4];
    // SAFETY: the handle is open, the structures are ours.
    let (has_ended, told) = unsafe {
        (
            WaitForSingleObject(process.as_raw_handle(), 0) == WAIT_OBJECT_0,
            GetProcessTimes(
                process.as_raw_handle(),
                &raw mut began,
                &raw mut ended,
                &raw mut kernel,
                &raw mut user,
            ),
        )
    };
    // One that others still hold a handle of is listed although it is over.
    if has_ended || told == 0 {
        return None;
    }
    i64::try_from(u64::from(began.dwHighDateTime) << 32 | u64::from(began.dwLowDateTime)).ok()
}
