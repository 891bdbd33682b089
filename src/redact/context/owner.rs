//! A field called `key` is a secret where it belongs to something that is opened by one: `"Jwt": { "Key": "…" }`, `openai:⏎  key: …`.

use super::NAME;
use crate::redact::{
    gap::quote,
    rules::{Class, KEY_OWNERS},
};

/// How far in front of the field its owner opens at most.
const NEAR: usize = 200;

/// True where the `key` at `hit` is a field of its own and stands directly in such a thing.
pub(super) fn owns_key(bytes: &[u8], hit: usize, after: usize) -> bool {
    let is_apart =
        |byte: Option<&u8>| byte.is_none_or(|byte| !Class::Word.has(*byte) && *byte != b'.' && *byte != b'$');
    let (Some(before), Some(rest)) = (bytes.get(hit.saturating_sub(NEAR)..hit), bytes.get(after..)) else {
        return false;
    };
    if !is_apart(before.last()) || !is_apart(rest.first()) {
        return false;
    }
    let quotes = quote(rest).unwrap_or_default();
    let blanks = rest.iter().skip(quotes).take(NAME).take_while(|byte| **byte == b' ').count();
    if !matches!(rest.get(quotes + blanks), Some(b':' | b'=')) {
        return false;
    }
    let owner = in_braces(before).or_else(|| in_lines(before));
    owner.is_some_and(|owner| {
        KEY_OWNERS.iter().any(|word| {
            let name = last_word(owner);
            name.len()
                .checked_sub(word.len())
                .is_some_and(|at| name[at..].eq_ignore_ascii_case(word.as_bytes()))
        })
    })
}

/// What stands in front of the bracket that is open at the end of `before`.
fn in_braces(before: &[u8]) -> Option<&[u8]> {
    let mut depth = 0_usize;
    let open = before.iter().rposition(|byte| {
        match byte {
            b'{' | b'[' if depth == 0 => return true,
            b'{' | b'[' => depth -= 1,
            b'}' | b']' => depth += 1,
            _ => {}
        }
        false
    })?;
    let front = before.get(..open)?.trim_ascii_end();
    let signs = front.iter().rev().take(2).take_while(|byte| b"=>:".contains(byte)).count();
    Some(front.get(..front.len() - signs)?.trim_ascii_end())
}

/// The name in the line above that stands further to the left, as YAML has it.
fn in_lines(before: &[u8]) -> Option<&[u8]> {
    let column = |line: &[u8]| line.len() - line.trim_ascii_start().len();
    let mut lines = before.split(|byte| *byte == b'\n').rev();
    let own = lines.next()?;
    let number = own.iter().position(|byte| !b" 0123456789|+".contains(byte)).unwrap_or(own.len());
    let is_first = own.get(number..)?.iter().all(|byte| matches!(byte, b'"' | b'\''));
    let column_of = |line: &[u8]| {
        let number = line
            .iter()
            .position(|byte| *byte == b'|')
            .filter(|at| line[..*at].iter().all(|byte| b" 0123456789".contains(byte)));
        let line = line.get(number.map_or(0, |at| at + 1)..).unwrap_or_default();
        column(line)
    };
    let own_column = column_of(own.get(..number)?.strip_suffix(b"\"").unwrap_or(own));
    let outer = lines.find(|line| !line.trim_ascii().is_empty() && column_of(line) < own_column)?;
    let front = outer.trim_ascii_end().strip_suffix(b":")?;
    is_first.then_some(front)
}

fn last_word(text: &[u8]) -> &[u8] {
    let front = match text {
        [front @ .., b'"' | b'\'' | b'`'] => front,
        _ => text,
    };
    let length = front.iter().rev().take(NAME).take_while(|byte| Class::Word.has(**byte)).count();
    front.get(front.len() - length..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::redact;

    const RANDOM: &str = "a8Kd0sP3mQ7xZ1vB5nW9";

    #[test]
    fn a_key_is_one_where_its_owner_is_opened_by_one() {
        for text in [
            "\"Jwt\": {\n    \"Key\": \"@\",\n    \"Issuer\": \"https://x\"\n  }",
            "\"Jwt\": {\n    \"Issuer\": \"https://x\",\n    \"Key\": \"@\"\n  }",
            "\"AzureOpenAI\": { \"Key\": \"@\" }",
            "jwt:\n  key: @\n",
            "   1|services:\n   2|  stripe:\n   3|    key: '@'\n",
            "'stripe' => [\n  'key' => '@',\n],",
            "\"Jwt:Key\": \"@\"",
            "Jwt__Key=@",
            "<machineKey validationKey=\"@\" />",
            "fernet_key = @",
            "$self->{password} = '@';",
            "$config->{'db'}->{'password'} = '@';",
            "<string>password</string>\n<string>@</string>",
            "- name: TOKEN\n  value: |\n    @\n",
        ] {
            let shown = redact(&text.replace('@', RANDOM));
            assert_eq!(shown, text.replace('@', "\u{27e6}redacted:assigned_secret:1\u{27e7}"));
        }
        for text in [
            "\"cache\": { \"key\": \"@\" }",
            "row:\n  key: @\n",
            "\"Jwt\": { \"x\": 1 }, \"key\": \"@\"",
            "jwt: x\nkey: @\n",
        ] {
            let text = text.replace('@', RANDOM);
            assert_eq!(redact(&text), text);
        }
    }
}
