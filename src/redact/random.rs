//! How random letters are told from words.

use super::rules::Class;

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

/// The longest part of a value that is looked at for what makes it random.
pub(super) const LOOKED_AT: usize = 160;

/// True for what a key is made of, twenty bytes or more: hexadecimal digits, or letters and digits that nobody wrote. `text` is no longer than
/// what is known of it.
pub(super) fn is_key(text: &[u8]) -> bool {
    let near = text.get(..LOOKED_AT).unwrap_or(text);
    let is_hex = near.iter().all(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    if is_hex {
        // Of sixteen digits a random text has fewer bits in each byte than of sixty letters.
        return near.len() >= 20
            && has_digits(near)
            && entropy(near) >= if near.len() >= 24 { 2.6 } else { 2.9 };
    }
    near.len() >= 20
        && entropy(near) >= 3.5
        && (has_digits(near) || makes_no_words(near) && takes_turns(near))
}

/// The same of something shorter, or with signs in it: letters of both cases, digits and signs, none of them in words.
pub(super) fn is_strong(text: &[u8]) -> bool {
    if text.len() < 16 {
        return false;
    }
    let near = text.get(..LOOKED_AT).unwrap_or(text);
    let count = |of: fn(&u8) -> bool| near.iter().filter(|byte| of(byte)).count();
    let (small, capital, digits) =
        (count(u8::is_ascii_lowercase), count(u8::is_ascii_uppercase), count(u8::is_ascii_digit));
    let signs = near.len() - small - capital - digits;
    // All four kinds, or enough of three; without capitals it takes more of the rest.
    let is_mixed =
        small > 0 && digits > 0 && capital > 0 && (signs > 0 || small > 1 && digits > 1 && capital > 1)
            || small > 1 && digits > 0 && signs > 1 && near.len() >= 24;
    let is_date = (small + capital) * 5 < near.len() * 2;
    is_mixed
        && !is_date
        && changes(near) * 5 >= near.len() * 2
        && in_words(near) * 5 <= near.len() * 2
        && entropy(near) >= 3.3
}

/// True for what programs make that ask for a short password: sixteen letters and digits and more, none of them in words, or three
/// groups of six as a Mac writes them.
pub(super) fn is_short_key(text: &[u8]) -> bool {
    let near = text.get(..LOOKED_AT).unwrap_or(text);
    let digits = near.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = near.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let is_plain = near.iter().all(u8::is_ascii_alphanumeric);
    if near.len() >= 16 && is_plain && digits >= 2 && letters >= 2 {
        let is_hex = near.iter().all(|byte| Class::Hex.has(*byte));
        let least = if is_hex { 2.6 } else { 3.0 };
        return changes(near) * 3 >= near.len() && in_words(near) * 2 <= near.len() && entropy(near) >= least;
    }
    let groups = || near.split(|byte| *byte == b'-');
    near.len() == 20
        && groups().count() == 3
        && groups().all(|group| group.len() == 6 && group.iter().all(u8::is_ascii_alphanumeric))
        && digits >= 1
        && near.iter().any(u8::is_ascii_uppercase)
}

/// The same of something long with blanks in it, as `WordPress` keeps it.
pub(super) fn is_salt(text: &[u8]) -> bool {
    let count = |of: fn(&u8) -> bool| text.iter().filter(|byte| of(byte)).count();
    text.len() >= 48
        && count(u8::is_ascii_uppercase) >= 6
        && count(u8::is_ascii_digit) >= 3
        && count(u8::is_ascii_punctuation) >= 10
        && in_words(text) * 4 <= text.len()
}

/// True for the name of something: three pieces or more, each a word, a number, or so short that it may be anything (`v2`, `gpt4`).
pub(super) fn is_name(text: &[u8]) -> bool {
    let is_piece = |piece: &[u8]| {
        let letters = piece.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
        let digits = piece.iter().skip(letters).take_while(|byte| byte.is_ascii_digit()).count();
        piece.len() <= 4 || (2..=20).contains(&letters) && letters + digits == piece.len() && digits <= 4
    };
    let mut pieces = text.split(|byte| matches!(byte, b'-' | b'_' | b'/' | b'.' | b'='));
    text.iter().filter(|byte| matches!(byte, b'-' | b'_' | b'/' | b'.')).count() >= 2 && pieces.all(is_piece)
}

/// True for what is made of words, and of no more numbers than names have.
pub(super) fn reads_as_words(text: &[u8]) -> bool {
    is_words(text) && text.iter().filter(|byte| byte.is_ascii_digit()).count() * 8 <= text.len()
}

/// True for the name of a constant.
pub(super) fn is_constant(text: &[u8]) -> bool {
    text.contains(&b'_')
        && !text.iter().any(u8::is_ascii_lowercase)
        && text.first().is_some_and(u8::is_ascii_alphabetic)
}

/// True where so few bytes stand in words that blanks are no more than signs.
pub(super) fn has_few_words(text: &[u8]) -> bool {
    in_words(text) * 4 <= text.len()
}

/// True where two of five bytes stand in words.
pub(super) fn is_half_words(text: &[u8]) -> bool {
    in_words(text) * 5 > text.len() * 2
}

/// The name of an account of a chain, which everybody may know: no key is as short.
pub(super) fn is_account(text: &[u8]) -> bool {
    text.len() == 42 && text.starts_with(b"0x") && text.iter().skip(2).all(u8::is_ascii_hexdigit)
}

/// True where a name, or what goes on behind a word of it, ends with one of these words: `token_name`, `tokenName`, `tokenname`,
/// `TOKEN_FILENAME`, and not `TOKEN_UAT`, which only has its letters.
pub(super) fn ends_with_word(name: &[u8], words: &[&str]) -> bool {
    words.iter().any(|word| {
        let Some(at) = name.len().checked_sub(word.len()) else { return false };
        if !name[at..].eq_ignore_ascii_case(word.as_bytes()) {
            return false;
        }
        let (Some(last), first) = (at.checked_sub(1).map(|last| name[last]), name[at]) else { return true };
        let is_humped = first.is_ascii_uppercase() && last.is_ascii_lowercase();
        // `secretsmanager`, and what is left of `passwordhash`, `passwdhash`, `passphrasehash` behind what they are known by.
        let is_rest =
            [&b"s"[..], b"ord", b"d", b"ase"].iter().any(|rest| name[..at].eq_ignore_ascii_case(rest));
        !last.is_ascii_alphabetic() || is_humped || is_rest || ends_with_word(&name[..at], words)
    })
}

/// `5f0c3d7a-…`, behind a `=` or alone.
pub(super) fn is_uuid(text: &[u8]) -> bool {
    let own = text.rsplit(|byte| *byte == b'=').next().unwrap_or_default();
    own.len() == 36
        && own.iter().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => *byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Letters beyond ASCII go on with a word; what leads in other signs does not.
fn is_small(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte >= 0x80 && byte != 0xc2
}

/// How many of the bytes stand in words.
pub(super) fn in_words(body: &[u8]) -> usize {
    let (mut count, mut length, mut has_vowel) = (0, 0, false);
    for byte in body.iter().chain(b"-") {
        if !is_small(*byte) {
            count += if length >= 3 && has_vowel { length } else { 0 };
            (length, has_vowel) = (0, false);
        }
        length += usize::from(byte.is_ascii_alphabetic() || !byte.is_ascii());
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
/// kinds, in names one of three. Where letters of one case alone stand between digits it is two of five, and they make no words.
/// Hexadecimal digits are known by themselves.
pub(super) fn takes_turns(body: &[u8]) -> bool {
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f' | b'-');
    changes(body) * 5 >= body.len() * 2
        || body.len() >= 32 && body.iter().all(is_hex)
        || body.len() >= 20 && is_of_one_case(body)
}

/// True for letters of one case and digits that nobody wrote.
fn is_of_one_case(body: &[u8]) -> bool {
    let digits = body.iter().filter(|byte| byte.is_ascii_digit()).count();
    let has_one = |of: fn(&u8) -> bool| body.iter().all(|byte| of(byte) || byte.is_ascii_digit());
    (has_one(u8::is_ascii_lowercase) || has_one(u8::is_ascii_uppercase))
        && (digits * 8 >= body.len() && digits < body.len())
        && changes(body) * 4 >= body.len()
        && in_words(body) * 3 <= body.len() * 2
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
