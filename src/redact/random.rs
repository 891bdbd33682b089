//! How random letters are told from words.

/// Letters, and at least two digits.
pub(super) fn has_digits(body: &[u8]) -> bool {
    body.iter().filter(|byte| byte.is_ascii_digit()).count() >= 2 && body.iter().any(u8::is_ascii_alphabetic)
}

/// The same, or letters that make no words.
pub(super) fn is_random(body: &[u8]) -> bool {
    has_digits(body) || makes_no_words(body)
}

/// True for letters of both cases of which few stand in words: three or more, the first perhaps a capital, with a vowel among them.
/// Of joined words nearly all do, however short they are; of random letters a third, and of a thousand tokens with less than two
/// digits one in a hundred has as many as are taken for words here.
fn makes_no_words(body: &[u8]) -> bool {
    if !body.iter().any(u8::is_ascii_lowercase) || !body.iter().any(u8::is_ascii_uppercase) {
        return false;
    }
    in_words(body) * 5 <= body.len() * 3 && entropy(body) > 3.0
}

/// How many of the bytes stand in words.
fn in_words(body: &[u8]) -> usize {
    let (mut count, mut length, mut has_vowel) = (0, 0, false);
    for byte in body.iter().chain(b"-") {
        if !byte.is_ascii_lowercase() {
            count += if length >= 3 && has_vowel { length } else { 0 };
            (length, has_vowel) = (0, false);
        }
        length += usize::from(byte.is_ascii_alphabetic());
        has_vowel |= b"aeiouyAEIOUY".contains(byte);
    }
    count
}

/// True for what is put together of words, such as the name of something: three of five bytes stand in some.
pub(super) fn is_words(body: &[u8]) -> bool {
    in_words(body) * 5 > body.len() * 3
}

/// True for the way to something: random text has a third in words, and a `/` now and then.
pub(super) fn is_path(body: &[u8]) -> bool {
    let slashes = memchr::memchr_iter(b'/', body).count();
    (body.starts_with(b"/") || slashes >= 2) && in_words(body) * 2 > body.len()
}

/// True where letters, digits and signs take turns as in no name: of two neighbours in a random text three of five are of different
/// kinds, in names one of three. Hexadecimal digits are known by themselves.
pub(super) fn takes_turns(body: &[u8]) -> bool {
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
    changes(body) * 5 >= body.len() * 2 || body.len() >= 32 && body.iter().all(is_hex)
}

/// Of how many neighbours the kind differs: small letters, capitals, digits, signs.
pub(super) fn changes(body: &[u8]) -> usize {
    let kind = |byte: u8| (byte.is_ascii_lowercase(), byte.is_ascii_uppercase(), byte.is_ascii_digit());
    body.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count()
}

/// Shannon's, in bits per byte: 3.5 and more for random text, less for words and numbers.
pub(super) fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len() as f64;
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / total;
            -share * share.log2()
        })
        .sum()
}
