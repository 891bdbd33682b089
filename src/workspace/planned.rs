//! What was looked at before it is put aside, by what it is; and the list of it that outlives its process, so that whoever goes on
//! where that one died takes nothing else away. What was moved in there meanwhile can be as old as one likes: only its name is new.

use std::{
    collections::HashMap,
    fmt::Write as _,
    fs::File,
    io::{self, Read as _, Write as _},
    time::{Duration, SystemTime},
};

use super::{FileKind, Stat, handle};

/// What was looked at, by what it is.
pub(super) type Planned = HashMap<(u64, u64), Stat>;

/// A list of the largest folder that may go is far smaller; what is behind this is taken for nothing that was planned.
const LIST_MAX: u64 = 16 * 1024 * 1024;
/// The device that the list itself lies on: its number may be another one after a restart of the machine.
const HERE: &str = ".";

/// Writes the list.
pub(super) fn write(planned: &Planned, file: &mut File) -> io::Result<()> {
    let (here, _) = handle::stat_open(&*file)?.identity;
    let mut list = String::with_capacity(planned.len() * 48);
    for stat in planned.values() {
        let (device, inode) = stat.identity;
        let device = if device == here { HERE.to_owned() } else { device.to_string() };
        let Some(kind) = letter(stat.kind) else { continue };
        let (size, links, modified) = (stat.size, stat.links, nanoseconds(stat.modified));
        let _ = writeln!(list, "{device} {inode} {kind} {size} {links} {modified}");
    }
    file.write_all(list.as_bytes())
}

/// Reads it; a line that was not written to its end is nothing that was planned. Of each it knows what tells whether it is still the same.
pub(super) fn read(file: &File) -> io::Result<Planned> {
    let (here, _) = handle::stat_open(file)?.identity;
    let mut list = Vec::new();
    file.take(LIST_MAX).read_to_end(&mut list)?;
    let whole = list.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let lines = list[..whole].split(|byte| *byte == b'\n');
    Ok(lines.filter_map(|line| stat(std::str::from_utf8(line).ok()?, here)).collect())
}

fn stat(line: &str, here: u64) -> Option<((u64, u64), Stat)> {
    let mut words = line.split(' ');
    let device = words.next()?;
    let device = if device == HERE { here } else { device.parse().ok()? };
    let identity = (device, words.next()?.parse().ok()?);
    let kind = words.next()?;
    let kind = [FileKind::File, FileKind::Folder, FileKind::Link]
        .into_iter()
        .find(|known| letter(*known) == Some(kind))?;
    let (size, links) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let modified = moment(words.next()?.parse().ok()?)?;
    let (mode, user, group, changed) = (0, 0, 0, modified);
    Some((identity, Stat { kind, size, mode, links, user, group, modified, changed, identity }))
}

/// Nothing else is a part of what goes.
fn letter(kind: FileKind) -> Option<&'static str> {
    match kind {
        FileKind::File => Some("f"),
        FileKind::Folder => Some("d"),
        FileKind::Link => Some("l"),
        _ => None,
    }
}

fn nanoseconds(time: SystemTime) -> i128 {
    let signed = |duration: Duration| i128::try_from(duration.as_nanos()).unwrap_or(i128::MAX);
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => signed(since),
        Err(before) => -signed(before.duration()),
    }
}

fn moment(nanoseconds: i128) -> Option<SystemTime> {
    const SECOND: u128 = 1_000_000_000;
    let whole = nanoseconds.unsigned_abs();
    let duration = Duration::new(u64::try_from(whole / SECOND).ok()?, u32::try_from(whole % SECOND).ok()?);
    if nanoseconds < 0 {
        SystemTime::UNIX_EPOCH.checked_sub(duration)
    } else {
        SystemTime::UNIX_EPOCH.checked_add(duration)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Seek as _;

    use super::*;

    #[test]
    fn what_is_read_is_what_was_written() {
        let mut file = tempfile::tempfile().unwrap();
        let (here, _) = handle::stat_open(&file).unwrap().identity;
        let of = |kind, identity, nanoseconds| {
            let modified = moment(nanoseconds).unwrap();
            let (size, links) = (7, 2);
            Stat { kind, size, mode: 0, links, user: 0, group: 0, modified, changed: modified, identity }
        };
        let all = [
            of(FileKind::File, (here, 1), 1_700_000_000_123_456_700),
            of(FileKind::Folder, (here, u64::MAX), 0),
            of(FileKind::Link, (here.wrapping_add(1), 3), -1_500_000_000),
        ];
        let planned: Planned = all.iter().map(|stat| (stat.identity, *stat)).collect();
        write(&planned, &mut file).unwrap();
        // Its writer was killed in the middle of another one.
        write!(file, ". 9 f 7 2 170").unwrap();
        file.rewind().unwrap();
        assert_eq!(read(&file).unwrap(), planned);
        for odd in
            ["", "\n\n", "x\n", ". 1 f\n", ". 1 q 1 1 1\n", ". 1 f 1 1 99999999999999999999999999999\n"]
        {
            let mut file = tempfile::tempfile().unwrap();
            file.write_all(odd.as_bytes()).unwrap();
            file.rewind().unwrap();
            assert!(read(&file).unwrap().is_empty(), "{odd:?}");
        }
    }
}
