//! Whole files by their bytes: copies of a program are the same, whatever they are called.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use sha2::{Digest as _, Sha256};

use super::io_error;
use crate::{ids, install::error::InstallError};

/// No build of outrigger is near this size; what is larger is none, and nobody waits until all of it was read.
const PROGRAM_BYTES: u64 = 1024 * 1024 * 1024;
/// How much of a program is looked at in one step.
const BLOCK_BYTES: usize = 256 * 1024;

/// The SHA-256 of a whole file, in hexadecimal digits.
pub fn sha256(path: &Path) -> Result<String, InstallError> {
    let mut hasher = Sha256::new();
    File::open(path)
        .and_then(|mut file| {
            let mut block = vec![0; BLOCK_BYTES];
            loop {
                match fill(&mut file, &mut block)? {
                    0 => return Ok(()),
                    length => hasher.update(&block[..length]),
                }
            }
        })
        .map_err(|source| io_error("cannot read", path, source))?;
    Ok(ids::hex(&hasher.finalize()))
}

/// True for two files with the same bytes; what cannot be read is the same as nothing.
pub fn same_contents(one: &Path, other: &Path) -> bool {
    let length = |path: &Path| fs::metadata(path).map(|metadata| metadata.len()).ok();
    length(one).is_some_and(|length| length <= PROGRAM_BYTES)
        && length(one) == length(other)
        && equal(one, other).unwrap_or(false)
}

fn equal(one: &Path, other: &Path) -> io::Result<bool> {
    let (mut one, mut other) = (File::open(one)?, File::open(other)?);
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
fn fill(file: &mut File, block: &mut [u8]) -> io::Result<usize> {
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
