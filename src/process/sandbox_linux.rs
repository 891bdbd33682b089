//! Landlock and seccomp, on the calling thread: what it starts afterwards is held by them for good, itself until it ends.
//!
//! The process around the thread stays free: a helper has to outlive and end what it started. Nothing here runs between a fork
//! and an exec.

use std::{collections::BTreeMap, ffi::OsString, fs::OpenOptions, io, net::UdpSocket, path::Path, thread};

use landlock::{
    ABI, Access, AccessFs, BitFlags, CompatLevel, Compatible, LandlockStatus, PathBeneath, RestrictionStatus,
    Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use nix::libc;
use rustix::{
    fs::{FileType, fstat},
    io::Errno,
    process::Pid,
    thread::CapabilitySet,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
};

use super::{
    bounds::{Bounds, Writable},
    protocol::Request,
    sandbox::Sandboxing,
    writable,
};

/// What holds files and the network, in one word.
pub(super) const BOTH: &str = "landlock+seccomp";
/// What holds files.
pub(super) const FILES: &str = "landlock";
/// What holds the network.
pub(super) const NETWORK: &str = "seccomp";
/// Landlock has no right for modes, times and attributes.
pub(super) const HOLDS_ATTRIBUTES: bool = false;

/// The newest rights that were tested here. Those to sockets (ABI 9) are left to seccomp.
const TESTED: ABI = ABI::V6;
/// Devices that hold nothing and that programs write to.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Why a thread could not be held.
#[derive(Debug, thiserror::Error)]
pub(super) enum SandboxError {
    #[error("the rights to files could not be narrowed: {0}")]
    Landlock(#[from] RulesetError),
    #[error("the kernel holds files by Landlock {is:?}, not by the {told} that was told")]
    Weaker { is: LandlockStatus, told: u8 },
    #[error("the system calls could not be narrowed: {0}")]
    Seccomp(#[from] seccompiler::Error),
    #[error("the filter for system calls could not be made: {0}")]
    Filter(#[from] seccompiler::BackendError),
    #[error("`{}` cannot be let through: {source}", path.display())]
    Writable { path: std::path::PathBuf, source: io::Error },
    #[error("rights could not be given up: {0}")]
    NoNewPrivileges(#[from] rustix::io::Errno),
}

/// Holds the calling thread to `bounds`.
pub(super) fn hold(bounds: &Bounds) -> Result<(), SandboxError> {
    rustix::thread::set_no_new_privs(true)?;
    give_up_capabilities()?;
    if let Some(told) = bounds.files {
        let status = hold_files(&bounds.writable)?;
        if status.ruleset == RulesetStatus::NotEnforced || version(&status.landlock) < told {
            return Err(SandboxError::Weaker { is: status.landlock, told });
        }
    }
    if bounds.guards_processes {
        seccompiler::apply_filter(&process_filter()?)?;
    }
    if bounds.closes_network {
        seccompiler::apply_filter(&network_filter()?)?;
    }
    Ok(())
}

/// Whether the calling thread, held to `bounds`, can signal nothing outside of them: not even `outside`, which this process can.
pub(super) fn keeps_signals_in(bounds: &Bounds, outside: Pid) -> bool {
    /// The version of Landlock that knows of signals.
    const SIGNALS: u8 = 6;
    bounds.files.is_some_and(|told| told >= SIGNALS)
        && rustix::process::test_kill_process(outside) == Err(rustix::io::Errno::PERM)
}

/// What root's programs may have: it is about files and their own processes, and no more than a container has by itself. The others
/// would let them rename the machine, or look into processes that Landlock keeps them out of.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::SETFCAP)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SYS_CHROOT);

/// Takes from the calling thread, and from what it starts, what only root has. Who is not root has nothing of it.
fn give_up_capabilities() -> Result<(), rustix::io::Errno> {
    if !rustix::thread::capabilities(None)?.effective.contains(CapabilitySet::SETPCAP) {
        return Ok(());
    }
    for capability in CapabilitySet::all().difference(KEPT).iter() {
        match rustix::thread::remove_capability_from_bounding_set(capability) {
            // An older kernel does not know all of them.
            Ok(()) | Err(rustix::io::Errno::INVAL) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The program and its arguments: the thread that starts it is what is held.
pub(super) fn command(request: &Request) -> (OsString, Vec<OsString>) {
    (request.program.clone(), request.args.clone())
}

/// What holds, by trying: a thread is held, then does what it must not.
pub(super) fn probe() -> io::Result<Sandboxing> {
    Ok(Sandboxing { files: tried(probe_files)?, network: tried(probe_network)?.is_some() })
}

fn tried<T: Send + 'static>(
    attempt: impl FnOnce() -> io::Result<Option<T>> + Send + 'static,
) -> io::Result<Option<T>> {
    let thread = thread::Builder::new().name("sandbox probe".to_owned()).spawn(attempt)?;
    thread.join().unwrap_or(Ok(None))
}

#[expect(clippy::disallowed_methods, reason = "whether it can be opened is the question")]
fn probe_files() -> io::Result<Option<u8>> {
    let open = || can(OpenOptions::new().write(true).open("/dev/null"));
    if !open()? || rustix::thread::set_no_new_privs(true).is_err() {
        return Ok(None);
    }
    let status = match ruleset().and_then(landlock::RulesetCreated::restrict_self) {
        Ok(status) => status,
        Err(error) => return unless_short(&error).map(|()| None),
    };
    Ok((!open()?).then(|| version(&status.landlock)))
}

fn probe_network() -> io::Result<Option<()>> {
    let applied = network_filter().is_ok_and(|filter| seccompiler::apply_filter(&filter).is_ok());
    if !applied {
        return Ok(None);
    }
    match UdpSocket::bind("127.0.0.1:0") {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(Some(())),
        Err(error) => unless_short(&error).map(|()| None),
        Ok(_) => Ok(None),
    }
}

fn can<T>(attempt: io::Result<T>) -> io::Result<bool> {
    attempt.map_or_else(|error| unless_short(&error).map(|()| false), |_| Ok(true))
}

/// An error that says only that the system had nothing left for it just now, which says nothing of what it can.
fn unless_short(error: &(dyn std::error::Error + 'static)) -> io::Result<()> {
    let mut next = Some(error);
    while let Some(error) = next {
        let code = error.downcast_ref::<io::Error>().and_then(Errno::from_io_error);
        if let Some(code @ (Errno::MFILE | Errno::NFILE | Errno::NOMEM | Errno::AGAIN)) = code {
            return Err(code.into());
        }
        next = error.source();
    }
    Ok(())
}

fn version(status: &LandlockStatus) -> u8 {
    match status {
        LandlockStatus::Available { effective_abi, .. } => *effective_abi as u8,
        _ => 0,
    }
}

fn ruleset() -> Result<landlock::RulesetCreated, RulesetError> {
    Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_write(TESTED))?
        .scope(Scope::from_all(TESTED))?
        .create()
}

fn hold_files(writable: &[Writable]) -> Result<RestrictionStatus, SandboxError> {
    // Never devices: whoever may make one, or write to one that lies about, writes to the disk below every file.
    let everything = AccessFs::from_write(TESTED) & !(AccessFs::MakeChar | AccessFs::MakeBlock);
    let mut ruleset = ruleset()?;
    for folder in writable {
        let failed = |source| SandboxError::Writable { path: folder.path.clone(), source };
        let handle = writable::open(folder).map_err(failed)?;
        let stat = fstat(&handle).map_err(|error| failed(error.into()))?;
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        let rights = if is_folder { everything & !AccessFs::IoctlDev } else { of_a_file() };
        ruleset = ruleset.add_rule(PathBeneath::new(handle, rights))?;
    }
    for device in DEVICES {
        // A device that is not there cannot be written to either.
        if let Ok(handle) = landlock::PathFd::new(Path::new(device)) {
            ruleset = ruleset.add_rule(PathBeneath::new(handle, of_a_file()))?;
        }
    }
    Ok(ruleset.restrict_self()?)
}

fn of_a_file() -> BitFlags<AccessFs> {
    AccessFs::from_write(TESTED) & AccessFs::from_file(TESTED)
}

/// No change to how another process runs: its limits, its processors, its priority. Landlock knows of none of them, and a process
/// without room for files or time is as good as ended. A thread may be told by its number only as `0`, itself: a filter cannot tell
/// the numbers of a program's other threads from those of its neighbours.
fn process_filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let number = |index, operator, value: i32| {
        let value = value.unsigned_abs().into();
        SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)
    };
    let another = |index| SeccompRule::new(vec![number(index, SeccompCmpOp::Ne, 0)?]);
    // One's own process or group; "all of this user" never.
    let all = |user| SeccompRule::new(vec![number(0, SeccompCmpOp::Eq, user)?]);
    let sets_limits = SeccompRule::new(vec![
        number(0, SeccompCmpOp::Ne, 0)?,
        SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?,
    ])?;
    let rules = [
        (libc::SYS_prlimit64, vec![sets_limits]),
        (libc::SYS_sched_setaffinity, vec![another(0)?]),
        (libc::SYS_sched_setscheduler, vec![another(0)?]),
        (libc::SYS_sched_setparam, vec![another(0)?]),
        (libc::SYS_sched_setattr, vec![another(0)?]),
        (libc::SYS_setpriority, vec![another(1)?, all(PRIO_USER)?]),
        (libc::SYS_ioprio_set, vec![another(1)?, all(IOPRIO_WHO_USER)?]),
    ];
    filter(rules.into(), libc::EPERM)
}

/// Every process of a user, to `setpriority`.
const PRIO_USER: i32 = 2;
/// The same to `ioprio_set`.
const IOPRIO_WHO_USER: i32 = 3;

fn filter(
    mut rules: BTreeMap<i64, Vec<SeccompRule>>,
    refused: i32,
) -> Result<BpfProgram, seccompiler::BackendError> {
    other_numbers(&mut rules);
    let refused = SeccompAction::Errno(refused.unsigned_abs());
    SeccompFilter::new(rules, SeccompAction::Allow, refused, std::env::consts::ARCH.try_into()?)?.try_into()
}

/// No sockets but connected pairs, nothing else that other programs can be reached by or that outlives the command, and no second
/// way to make system calls.
fn network_filter() -> Result<BpfProgram, seccompiler::BackendError> {
    let argument = |index, operator, value| {
        SeccompRule::new(vec![SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)?])
    };
    // The low bits are the type, the others flags.
    let is_type = |wanted: i32| argument(1, SeccompCmpOp::MaskedEq(0xf), wanted.unsigned_abs().into());
    let pairs = vec![
        argument(0, SeccompCmpOp::Ne, libc::AF_UNIX.unsigned_abs().into())?,
        // A pair of this kind can be turned to any address afterwards; a raw one is one, too.
        is_type(libc::SOCK_DGRAM)?,
        is_type(libc::SOCK_RAW)?,
    ];
    let rules = [
        (libc::SYS_socket, Vec::new()),
        (libc::SYS_socketpair, pairs),
        (libc::SYS_io_uring_setup, Vec::new()),
        (libc::SYS_io_uring_enter, Vec::new()),
        (libc::SYS_io_uring_register, Vec::new()),
        (libc::SYS_msgget, Vec::new()),
        (libc::SYS_semget, Vec::new()),
        (libc::SYS_shmget, Vec::new()),
        (libc::SYS_add_key, Vec::new()),
        (libc::SYS_request_key, Vec::new()),
        (libc::SYS_keyctl, Vec::new()),
    ];
    filter(rules.into(), libc::EACCES)
}

/// The same system calls have a second number in the x32 flavour of this machine. That of 32 bits is another architecture,
/// which ends a program at once.
#[cfg(target_arch = "x86_64")]
fn other_numbers(rules: &mut BTreeMap<i64, Vec<SeccompRule>>) {
    const X32: i64 = 0x4000_0000;
    let twice: Vec<_> = rules.iter().map(|(number, rules)| (number | X32, rules.clone())).collect();
    rules.extend(twice);
}

#[cfg(not(target_arch = "x86_64"))]
fn other_numbers(_rules: &mut BTreeMap<i64, Vec<SeccompRule>>) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_can_be_made() {
        assert!(network_filter().unwrap().len() > 20);
        assert!(process_filter().unwrap().len() > 20);
    }

    #[test]
    fn probing_leaves_the_process_as_it_is() {
        let _ = probe();
        assert!(UdpSocket::bind("127.0.0.1:0").is_ok());
        assert!(OpenOptions::new().write(true).open("/dev/null").is_ok());
    }
}
