//! How long an answer is waited for: by the time that the machine gave, not by what passed on the clock.
//!
//! On a machine under load a good host waits its turn, and so do we. That is nobody's fault, and no finding.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use crate::install::files;

/// How much longer than its limit anything is waited for, whatever the machine does.
const STRETCH: u32 = 12;

/// A limit that has begun.
#[derive(Debug)]
pub struct Patience {
    limit: Duration,
    began: Instant,
    processes: [u32; 2],
    waited_before: Duration,
}

impl Patience {
    /// Begins to wait for a child.
    pub fn with(child: u32, limit: Duration) -> Self {
        let processes = [child, std::process::id()];
        Self { limit, began: Instant::now(), processes, waited_before: waited(&processes) }
    }

    /// What is left.
    pub fn left(&self) -> Duration {
        let waited = waited(&self.processes).saturating_sub(self.waited_before);
        left(self.limit, self.began.elapsed(), waited)
    }
}

fn left(limit: Duration, elapsed: Duration, waited: Duration) -> Duration {
    (limit + waited).min(limit * STRETCH).saturating_sub(elapsed)
}

/// How long these have stood in line for a processor, all threads together; nothing where the system does not say.
fn waited(processes: &[u32]) -> Duration {
    let tasks = processes
        .iter()
        .flat_map(|process| files::entries(&Path::new("/proc").join(process.to_string()).join("task")));
    tasks.filter_map(|task| in_line(&files::read_some(&task.join("schedstat")).ok()?)).sum()
}

/// The second number: nanoseconds in line.
fn in_line(schedstat: &[u8]) -> Option<Duration> {
    let words = std::str::from_utf8(schedstat).ok()?;
    words.split_whitespace().nth(1)?.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_in_line_is_not_counted_and_no_wait_is_without_end() {
        let seconds = Duration::from_secs;
        assert_eq!(left(seconds(5), seconds(4), seconds(0)), seconds(1));
        assert_eq!(left(seconds(5), seconds(7), seconds(0)), seconds(0));
        assert_eq!(left(seconds(5), seconds(7), seconds(6)), seconds(4));
        assert_eq!(left(seconds(5), seconds(59), seconds(10_000)), seconds(1));
        assert_eq!(left(seconds(5), seconds(60), seconds(10_000)), seconds(0));
        assert_eq!(in_line(b"1210406 2000000000 12\n"), Some(seconds(2)));
        assert_eq!(in_line(b""), None);
    }
}
