//! The log file in the state folder: a new one each day and each 4 MiB, seven kept. Never stdout, and no contents of files or
//! prompts.

mod rotate;

use std::{panic, path::Path, thread};

use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};
use tracing_subscriber::{
    filter::{LevelFilter, Targets},
    fmt,
    layer::{Layer as _, SubscriberExt as _},
};

use self::rotate::{Limits, RotatingFile};
use crate::config::LogLevel;

/// Lines that wait to be written, at most. The queue is allocated at once, and the default of 128 000 is 4 MiB of it.
const LINES_QUEUED: usize = 1024;
/// A week of quiet days, or 28 MiB of one bad hour: enough to find out, and nobody's disk is full of it.
const LIMITS: Limits = Limits { bytes: 4 * 1024 * 1024, files: 7 };

/// Starts logging into `folder`; without a usable folder there is no log, and the host serves all the same.
///
/// The guard writes what is still queued when it is dropped.
pub fn start(folder: &Path, level: LogLevel) -> Option<WorkerGuard> {
    let file = RotatingFile::new(folder.join("log"), LIMITS).ok()?;
    // The library does not say so when it may start no thread: it panics.
    let _ = thread::Builder::new().spawn(|| {}).ok()?.join();
    let (writer, guard) = NonBlockingBuilder::default().buffered_lines_limit(LINES_QUEUED).finish(file);
    // rmcp logs whole requests at debug: file contents would end up in the log.
    let level = match level {
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let filter = Targets::new().with_default(level).with_target("rmcp", LevelFilter::WARN.min(level));
    let layer = fmt::layer().with_writer(writer).with_ansi(false).with_filter(filter);
    tracing::subscriber::set_global_default(tracing_subscriber::registry().with(layer)).ok()?;
    panic::set_hook(Box::new(|info| {
        // The payload may quote what a tool was working on; the place is enough to find the fault.
        let place = info.location().map(ToString::to_string).unwrap_or_default();
        tracing::error!(place, "panic");
    }));
    Some(guard)
}
