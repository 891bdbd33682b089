//! A job of Windows: a program and all that it starts, which end together, at the latest with this process.
//!
//! The system itself keeps the promise: when the last handle of a job goes, and with a process go its handles, everything in it is
//! ended. Nothing can leave the job.
#![expect(unsafe_code, reason = "jobs and threads of other processes have no safe wrapper")]

use std::{
    ffi::c_void,
    io, mem,
    os::windows::{
        io::{AsRawHandle as _, FromRawHandle as _, OwnedHandle},
        process::CommandExt as _,
    },
    process::{Child, Command},
    ptr,
};

use windows_sys::Win32::{
    Foundation::{HANDLE, INVALID_HANDLE_VALUE, STILL_ACTIVE, WAIT_OBJECT_0},
    System::{
        Diagnostics::ToolHelp::{
            CreateToolhelp32Snapshot, TH32CS_SNAPTHREAD, THREADENTRY32, Thread32First, Thread32Next,
        },
        JobObjects::{
            AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION,
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE, JOBOBJECT_BASIC_ACCOUNTING_INFORMATION,
            JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectBasicAccountingInformation,
            JobObjectExtendedLimitInformation, QueryInformationJobObject, SetInformationJobObject,
            TerminateJobObject,
        },
        Threading::{
            CREATE_NEW_PROCESS_GROUP, CREATE_NO_WINDOW, CREATE_SUSPENDED, GetExitCodeProcess, OpenThread,
            ResumeThread, THREAD_SUSPEND_RESUME, WaitForSingleObject,
        },
    },
};

/// What something ends with that we ended: what `TerminateProcess` is given by most.
const ENDED: u32 = 1;

/// A job; when it is dropped, everything in it ends.
#[derive(Debug)]
pub(super) struct Job(OwnedHandle);

impl Job {
    /// Starts a command in a job of its own: it does not run before it is in it.
    pub(super) fn spawn(command: &mut Command) -> io::Result<(Self, Child)> {
        let job = Self::new()?;
        // No window flashes up, and no Ctrl-C of somebody's console reaches it.
        command.creation_flags(CREATE_SUSPENDED | CREATE_NO_WINDOW | CREATE_NEW_PROCESS_GROUP);
        let mut child = command.spawn()?;
        let started = job.take(&child).and_then(|()| resume(child.id()));
        if let Err(error) = started {
            let _ = child.kill();
            let _ = child.wait();
            return Err(error);
        }
        Ok((job, child))
    }

    fn new() -> io::Result<Self> {
        // SAFETY: a call without arguments; what it gives is nobody else's.
        let handle = unsafe { CreateJobObjectW(ptr::null(), ptr::null()) };
        if handle.is_null() {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: the handle is open and ours.
        let job = Self(unsafe { OwnedHandle::from_raw_handle(handle) });
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        // A program that crashes ends; it shows no box that nobody sees.
        limits.BasicLimitInformation.LimitFlags =
            JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
        // SAFETY: the structure is ours and has the length that is told.
        let done = unsafe {
            SetInformationJobObject(
                job.handle(),
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast::<c_void>(),
                mem::size_of::<JOBOBJECT_EXTENDED_LIMIT_INFORMATION>() as u32,
            )
        };
        if done == 0 { Err(io::Error::last_os_error()) } else { Ok(job) }
    }

    fn handle(&self) -> HANDLE {
        self.0.as_raw_handle()
    }

    fn take(&self, child: &Child) -> io::Result<()> {
        // SAFETY: both handles are open and borrowed.
        let done = unsafe { AssignProcessToJobObject(self.handle(), child.as_raw_handle()) };
        if done == 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    /// Ends everything in it.
    pub(super) fn end(&self) {
        // SAFETY: the handle is open and borrowed.
        unsafe { TerminateJobObject(self.handle(), ENDED) };
    }

    /// How many processes are in it; 0 where that cannot be told.
    pub(super) fn living(&self) -> u32 {
        let mut counts = JOBOBJECT_BASIC_ACCOUNTING_INFORMATION::default();
        // SAFETY: the structure is ours and has the length that is told.
        let done = unsafe {
            QueryInformationJobObject(
                self.handle(),
                JobObjectBasicAccountingInformation,
                (&raw mut counts).cast::<c_void>(),
                mem::size_of::<JOBOBJECT_BASIC_ACCOUNTING_INFORMATION>() as u32,
                ptr::null_mut(),
            )
        };
        if done == 0 { 0 } else { counts.ActiveProcesses }
    }
}

/// What a child has ended with; `None` while it runs. Takes nothing away from whoever waits for it.
pub(super) fn exit_code(child: &Child) -> Option<i32> {
    let mut code = 0;
    // SAFETY: the handle is open and borrowed, the number is ours.
    let (waited, told) = unsafe {
        (
            WaitForSingleObject(child.as_raw_handle(), 0),
            GetExitCodeProcess(child.as_raw_handle(), &raw mut code),
        )
    };
    // A program may end with the very number that says that it runs.
    let is_over = waited == WAIT_OBJECT_0 || code != STILL_ACTIVE.cast_unsigned();
    (told != 0 && is_over).then_some(code.cast_signed())
}

/// Lets a process run that was started asleep: it has one thread yet.
fn resume(process: u32) -> io::Result<()> {
    // SAFETY: a call with numbers; what it gives is nobody else's.
    let handle = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0) };
    if handle == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the handle is open and ours.
    let list = unsafe { OwnedHandle::from_raw_handle(handle) };
    let mut entry = THREADENTRY32 { dwSize: mem::size_of::<THREADENTRY32>() as u32, ..Default::default() };
    // SAFETY: the handle is open, the structure is ours and says its length.
    let mut there = unsafe { Thread32First(list.as_raw_handle(), &raw mut entry) } != 0;
    let mut woken = false;
    while there {
        if entry.th32OwnerProcessID == process {
            // SAFETY: a call with numbers.
            let thread = unsafe { OpenThread(THREAD_SUSPEND_RESUME, 0, entry.th32ThreadID) };
            if thread.is_null() {
                return Err(io::Error::last_os_error());
            }
            // SAFETY: the handle is open and ours.
            let thread = unsafe { OwnedHandle::from_raw_handle(thread) };
            // SAFETY: the handle is open and borrowed.
            if unsafe { ResumeThread(thread.as_raw_handle()) } == u32::MAX {
                return Err(io::Error::last_os_error());
            }
            woken = true;
        }
        // SAFETY: as above.
        there = unsafe { Thread32Next(list.as_raw_handle(), &raw mut entry) } != 0;
    }
    if woken { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
}
