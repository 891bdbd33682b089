//! Whether bytes that come piece by piece are UTF-8. Pure.

/// Looks at the pieces in their order, up to the first byte that is wrong.
#[derive(Debug, Default)]
pub struct Utf8Check {
    passed: u64,
    /// A character that began at the end of the last piece.
    begun: Vec<u8>,
    wrong_at: Option<u64>,
}

impl Utf8Check {
    /// The next piece.
    pub fn look(&mut self, bytes: &[u8]) {
        if self.wrong_at.is_none() {
            self.wrong_at = self.first_wrong(bytes);
        }
        self.passed += bytes.len() as u64;
    }

    /// There is no other piece: a character that has begun will not be whole any more.
    pub fn end(&mut self) {
        if self.wrong_at.is_none() && !self.begun.is_empty() {
            self.wrong_at = Some(self.passed - self.begun.len() as u64);
        }
    }

    /// Where the first character begins that is none.
    pub fn wrong_at(&self) -> Option<u64> {
        self.wrong_at
    }

    fn first_wrong(&mut self, bytes: &[u8]) -> Option<u64> {
        let mut rest = bytes;
        while let (false, [first, behind @ ..]) = (self.begun.is_empty(), rest) {
            self.begun.push(*first);
            rest = behind;
            match std::str::from_utf8(&self.begun) {
                Ok(_) => self.begun.clear(),
                Err(error) if error.error_len().is_none() => {}
                Err(_) => {
                    let seen = self.passed + (bytes.len() - rest.len()) as u64;
                    return Some(seen - self.begun.len() as u64);
                }
            }
        }
        let error = std::str::from_utf8(rest).err()?;
        let at = error.valid_up_to();
        if error.error_len().is_some() {
            return Some(self.passed + (bytes.len() - rest.len() + at) as u64);
        }
        self.begun.extend_from_slice(&rest[at..]);
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong_at(bytes: &[u8], piece: usize) -> Option<u64> {
        let mut check = Utf8Check::default();
        bytes.chunks(piece).for_each(|piece| check.look(piece));
        check.end();
        check.wrong_at()
    }

    #[test]
    fn pieces_may_end_inside_a_character() {
        for piece in 1..9 {
            assert_eq!(wrong_at("aé😀ß, plain and long enough, 日本".as_bytes(), piece), None, "{piece}");
            assert_eq!(wrong_at(b"plain and then caf\xe9 noir \xff", piece), Some(18), "{piece}");
            assert_eq!(wrong_at(b"\xf0\x9f\x98x", piece), Some(0), "{piece}");
            assert_eq!(wrong_at(b"ab\xe6\x97", piece), Some(2), "{piece}");
        }
    }
}
