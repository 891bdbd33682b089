//! How many scans a JPEG has: each is a pass over all its pixels, and a small file can ask for a great many. Pure.

/// Counts them. What is no JPEG has none; a picture inside the metadata is none of its scans.
pub(super) fn count(bytes: &[u8]) -> u64 {
    let Some(start) = first(bytes) else { return 0 };
    // In what is coded, 0xff is followed by zero or a restart: this pair is a marker there, and nothing else.
    memchr::memmem::find_iter(&bytes[start..], &[0xff, START_OF_SCAN]).count() as u64
}

const START_OF_SCAN: u8 = 0xda;

/// Where the first scan begins: behind the segments of the header, each with its length.
fn first(bytes: &[u8]) -> Option<usize> {
    let mut place = 2;
    loop {
        let &[lead, marker] = bytes.get(place..place + 2)? else { return None };
        match (lead, marker) {
            (0xff, START_OF_SCAN) => return Some(place),
            // Filling, or a marker that stands alone.
            (0xff, 0xff) => place += 1,
            (0xff, 0x01 | 0xd0..=0xd8) => place += 2,
            (0xff, _) => {
                let length = bytes.get(place + 2..place + 4)?;
                place += 2 + usize::from(u16::from_be_bytes([length[0], length[1]]).max(2));
            }
            // Decoders look for the next marker.
            _ => place += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scans_are_counted_where_they_are() {
        let header = b"\xff\xd8\xff\xe1\x00\x06\xff\xda\xff\xda\xff\xff\xc0\x00\x02";
        let scan = b"\xff\xda\x00\x02abc\xff\x00\xda\xff\xd0x";
        for scans in 0..5 {
            let bytes = [header.as_slice(), &scan.repeat(scans)].concat();
            assert_eq!(count(&bytes), scans as u64);
        }
        for broken in
            [b"".as_slice(), b"\xff\xd8", b"\xff\xd8\xff", b"\xff\xd8\xff\xe1\xff\xff", b"plain text"]
        {
            assert_eq!(count(broken), 0);
        }
    }
}
