//! Whole files by their bytes: copies of a program are the same, whatever they are called.

use std::{
    collections::VecDeque,
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
    sync::{Mutex, PoisonError},
};

use sha2::{Digest as _, Sha256};

use super::io_error;
use crate::{
    file_identity::{self, FileState},
    ids,
    install::error::InstallError,
};

/// No build of outrigger is near this size; what is larger is none, and nobody waits until all of it was read.
const PROGRAM_BYTES: u64 = 1024 * 1024 * 1024;
/// How much of a program is looked at in one step.
const BLOCK_BYTES: usize = 256 * 1024;

/// Answers that are remembered: a doctor asks of the same few files again and again.
const REMEMBERED: usize = 16;

/// What was read before, by how the files stood.
static DIGESTS: Mutex<VecDeque<(FileState, String)>> = Mutex::new(VecDeque::new());
static EQUALS: Mutex<VecDeque<([FileState; 2], bool)>> = Mutex::new(VecDeque::new());

/// The SHA-256 of a whole file, in hexadecimal digits.
pub fn sha256(path: &Path) -> Result<String, InstallError> {
    File::open(path)
        .and_then(|file| read_once(&DIGESTS, || file_identity::state(&file), || digest(&file)))
        .map_err(|source| io_error("cannot read", path, source))
}

/// True for two files with the same bytes; what cannot be read is the same as nothing.
pub fn same_contents(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).map(|metadata| metadata.len()).ok();
    length(one).is_some_and(|length| length <= PROGRAM_BYTES)
        && length(one) == length(other)
        && equal(one, other).unwrap_or(false)
}

fn equal(one: &Path, other: &Path) -> io::Result<bool> {
    let (one, other) = (File::open(one)?, File::open(other)?);
    let states = || Some([file_identity::state(&one)?, file_identity::state(&other)?]);
    read_once(&EQUALS, states, || has_bytes_of(&one, &other))
}

/// What `read` says; once it was asked, not again while all stands as it did.
fn read_once<K: PartialEq, V: Clone>(
    known: &Mutex<VecDeque<(K, V)>>,
    state: impl Fn() -> Option<K>,
    read: impl FnOnce() -> io::Result<V>,
) -> io::Result<V> {
    let known = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let before = state();
    if let Some((_, value)) = known().iter().find(|(each, _)| before.as_ref() == Some(each)) {
        return Ok(value.clone());
    }
    let value = read()?;
    if let Some(after) = state().filter(|after| before.as_ref() == Some(after)) {
        let mut known = known();
        known.truncate(REMEMBERED - 1);
        known.push_front((after, value.clone()));
    }
    Ok(value)
}

fn digest(mut file: &File) -> io::Result<String> {
    let mut hasher = Sha256::new();
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        match fill(&mut file, &mut block)? {
            0 => return Ok(ids::hex(&hasher.finalize())),
            length => hasher.update(&block[..length]),
        }
    }
}

fn has_bytes_of(mut one: &File, mut other: &File) -> io::Result<bool> {
    let (mut left, mut right) = (vec![0; BLOCK_BYTES], vec![0; BLOCK_BYTES]);
    loop {
        let (length, other_length) = (fill(&mut one, &mut left)?, fill(&mut other, &mut right)?);
        if left[..length] != right[..other_length] {
            return Ok(false);
        }
        if length == 0 {
            return Ok(true);
        }
    }
}

/// Reads until the block is full or the file is over.
fn fill(file: &mut &File, block: &mut [u8]) -> io::Result<usize> {
    let mut length = 0;
    while length < block.len() {
        match file.read(&mut block[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

/// True for a file that is too large for any program of ours.
pub fn is_no_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|metadata| metadata.len() > PROGRAM_BYTES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_read_before_is_read_again_once_it_has_changed() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let settle = || std::thread::sleep(std::time::Duration::from_millis(150));
        fs::write(&one, "as it was").unwrap();
        fs::write(&other, "as it was").unwrap();
        settle();
        assert!(same_contents(&one, &other));
        assert!(same_contents(&one, &other));
        // As long, at once, and with the old times.
        let times = fs::metadata(&other).unwrap().modified().unwrap();
        fs::write(&other, "as it is.").unwrap();
        File::options().write(true).open(&other).unwrap().set_modified(times).unwrap();
        assert!(!same_contents(&one, &other));
        settle();
        assert!(!same_contents(&one, &other));
        fs::rename(&one, &other).unwrap();
        fs::copy(&other, &one).unwrap();
        assert!(same_contents(&one, &other));
    }
}
