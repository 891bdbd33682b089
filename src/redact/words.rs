//! Looks for many words in a text at once: those that tokens begin with, and those that stand in front of other secrets.
//!
//! A word is known by its first three bytes. For each place of a text a small table says whether a word may begin there, and nearly
//! always the answer is no; what a look costs hardly depends on how many words there are. Every word is found, also one that another
//! overlaps: so it does not matter where a text was cut in front of it.

/// Entries of the table, in 16 KiB, which every processor keeps at hand. One place in a hundred passes for no reason.
const TABLE: usize = 1 << TABLE_BITS;
const TABLE_BITS: u32 = 14;
/// The bits of the first three bytes that differ between a letter and its capital: case is looked at when a word is compared.
const FOLD: u32 = 0x2020_2000;

/// A word to look for: three bytes or more.
#[derive(Clone, Copy, Debug)]
pub(super) struct Word {
    pub text: &'static str,
    pub any_case: bool,
}

impl Word {
    fn begins(self, rest: &[u8]) -> bool {
        let Some(found) = rest.get(..self.text.len()) else { return false };
        found == self.text.as_bytes() || self.any_case && found.eq_ignore_ascii_case(self.text.as_bytes())
    }
}

/// The words, by what they begin with.
pub(super) struct Words {
    /// Which of `lists` is to be gone through, by [`entry`]; the first one is empty.
    table: Box<[u8; TABLE]>,
    lists: Vec<Vec<(usize, Word)>>,
}

impl Words {
    /// At most 255 of them: the number of a list is one byte.
    pub(super) fn new(words: impl IntoIterator<Item = Word>) -> Self {
        let mut table = Box::new([0; TABLE]);
        let mut lists = vec![Vec::new()];
        for (index, word) in words.into_iter().enumerate() {
            let &[first, second, third, ..] = word.text.as_bytes() else { continue };
            let Some(list) = table.get_mut(entry(u32::from_be_bytes([0, first, second, third]))) else {
                continue;
            };
            if *list == 0 {
                *list = u8::try_from(lists.len()).unwrap_or_default();
                lists.push(Vec::new());
            }
            if let Some(words) = lists.get_mut(usize::from(*list)) {
                words.push((index, word));
            }
        }
        Self { table, lists }
    }

    /// Tells `found` of each word: which one, and where it begins and ends. It goes forward.
    pub(super) fn each(&self, text: &str, mut found: impl FnMut(usize, usize, usize)) {
        let bytes = text.as_bytes();
        let mut from = 0;
        while let Some((start, list)) = self.next(bytes, from) {
            from = start + 1;
            let rest = bytes.get(start..).unwrap_or_default();
            for (index, word) in self.lists.get(usize::from(list)).into_iter().flatten() {
                if word.begins(rest) {
                    found(*index, start, start + word.text.len());
                }
            }
        }
    }

    /// The next place where words may begin, and which ones. All of a text goes through here, so it is written without what is only
    /// quick once it is optimised. What is done elsewhere stays out of this function: it would take the registers.
    #[inline(never)]
    fn next(&self, bytes: &[u8], from: usize) -> Option<(usize, u8)> {
        let (first, second) = (*bytes.get(from)?, *bytes.get(from + 1)?);
        let mut three = u32::from(first) << 8 | u32::from(second);
        let mut at = from + 2;
        while at < bytes.len() {
            three = three << 8 | u32::from(bytes[at]);
            let list = self.table[entry(three)];
            if list != 0 {
                return Some((at - 2, list));
            }
            at += 1;
        }
        None
    }
}

/// The entry of three bytes, the last ones of these four. The first bits of a product depend on all of them.
fn entry(bytes: u32) -> usize {
    let folded = bytes << 8 | FOLD;
    (folded.wrapping_mul(0x9e37_79b1) >> (u32::BITS - TABLE_BITS)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_found_wherever_it_stands() {
        let words = ["oken", "TOK", "ken", "a_key", "key", "ééé", "_ke"];
        let all = Words::new(words.iter().enumerate().map(|(at, text)| Word { text, any_case: at % 2 == 0 }));
        let text = "TOKEN tokenkey A_KEYa_key kkekey ééé Éé KEN ok";
        let mut found = Vec::new();
        all.each(text, |word, start, end| found.push((start, word, end)));
        let mut wanted = Vec::new();
        for start in 0..text.len() {
            for (index, word) in words.iter().enumerate() {
                let here = text.as_bytes().get(start..start + word.len()).unwrap_or_default();
                if here == word.as_bytes() || index % 2 == 0 && here.eq_ignore_ascii_case(word.as_bytes()) {
                    wanted.push((start, index, start + word.len()));
                }
            }
        }
        assert_eq!(found, wanted);
        assert!(found.len() > 10);
    }
}
