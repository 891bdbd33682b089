//! A string as JSON text, fast: file text and search results are nearly all of what the host writes.
//!
//! The same bytes as `serde_json` writes. Eight bytes are looked at in one step, which needs nothing but whole numbers.

/// Every byte of a word.
const EACH: u64 = 0x0101_0101_0101_0101;
/// The highest bit of every byte.
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Appends `text`, in quotes.
pub fn push_string(json: &mut Vec<u8>, text: &str) {
    let bytes = text.as_bytes();
    // Every eighth byte may need a second one before the memory is asked for again.
    json.reserve(bytes.len() + bytes.len() / 8 + 2);
    json.push(b'"');
    let mut rest = bytes;
    while let Some(position) = special(rest) {
        json.extend_from_slice(&rest[..position]);
        push_escaped(json, rest[position]);
        rest = &rest[position + 1..];
    }
    json.extend_from_slice(rest);
    json.push(b'"');
}

/// Where the first byte is that may not stand in a JSON string as it is.
fn special(bytes: &[u8]) -> Option<usize> {
    let mut words = bytes.chunks_exact(8);
    let mut position = 0;
    for word in &mut words {
        let word = u64::from_le_bytes(word.try_into().unwrap_or_default());
        let control = word.wrapping_sub(EACH * 0x20);
        let quote = (word ^ (EACH * u64::from(b'"'))).wrapping_sub(EACH);
        let backslash = (word ^ (EACH * u64::from(b'\\'))).wrapping_sub(EACH);
        // A borrow may mark bytes behind a true one, never before it; bytes above 127 are no candidates.
        let found = (control | quote | backslash) & !word & HIGH;
        if found != 0 {
            return Some(position + found.trailing_zeros() as usize / 8);
        }
        position += 8;
    }
    words.remainder().iter().position(|byte| is_special(*byte)).map(|after| position + after)
}

fn is_special(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn push_escaped(json: &mut Vec<u8>, byte: u8) {
    let short = match byte {
        b'\n' => b'n',
        b'\t' => b't',
        b'\r' => b'r',
        b'"' => b'"',
        b'\\' => b'\\',
        0x08 => b'b',
        0x0c => b'f',
        _ => {
            let digit = |value: u8| b"0123456789abcdef"[usize::from(value & 0xf)];
            return json.extend_from_slice(&[b'\\', b'u', b'0', b'0', digit(byte >> 4), digit(byte)]);
        }
    };
    json.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::push_string;

    fn written(text: &str) -> String {
        let mut json = b"before".to_vec();
        push_string(&mut json, text);
        String::from_utf8(json).unwrap().strip_prefix("before").unwrap().to_owned()
    }

    #[test]
    fn every_byte_at_every_place_of_a_word() {
        for byte in 0..128_u8 {
            for place in 0..20 {
                for filler in ['a', 'é', '\u{7f}', '!', '#', '[', ']'] {
                    let mut text: String = std::iter::repeat_n(filler, 20).collect();
                    let at = text.char_indices().nth(place).unwrap().0;
                    text.insert(at, char::from(byte));
                    assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
                }
            }
        }
    }

    proptest! {
        #[test]
        fn is_what_serde_json_writes(text in "(\\PC|[\\x00-\\x22\\\\\\x7f]|[a-z]{0,20}){0,40}") {
            prop_assert_eq!(written(&text), serde_json::to_string(&text).unwrap());
        }
    }
}
