//! What a manifest of a cluster holds of `kind: Secret`: all of its data is one, whatever its names are. In base64 it is not even hidden.

use std::ops::Range;

use super::Span;
use crate::redact::{context::is_pattern, gap::quote, random::is_constant};

/// A cluster takes no larger one.
const LARGEST: usize = 1 << 20;
/// The shortest value that is one.
const LEAST: usize = 4;
/// How long the signs between `kind` and what it is may be.
const SIGNS: usize = 16;
/// How far from the begin of its line `kind` may stand: behind a number, signs and blanks.
const DEEPEST: usize = 256;
/// How many bytes are looked at for each byte of a text, so that one full of kinds costs no more.
const LOOKS: usize = 4;

/// Looks for the data of manifests in one text.
pub(super) struct Manifests<'t> {
    text: &'t str,
    /// Bytes that may still be looked at.
    left: usize,
}

/// A line of YAML, without its number and the sign of a difference.
#[derive(Clone)]
struct Line<'t> {
    /// Where its words begin in the text.
    start: usize,
    words: &'t str,
    /// In which column they begin, and the one of the sign of an item in front of them.
    column: usize,
    item: Option<usize>,
    /// The number in front of it.
    number: Option<u32>,
}

impl<'t> Manifests<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, left: text.len() * LOOKS + LARGEST }
    }

    /// The values of the secret whose kind is told by the `ecret` at `hit`.
    pub(super) fn find(&mut self, hit: usize, after: usize, spans: &mut Vec<Span>) {
        let bytes = self.text.as_bytes();
        let Some(start) = hit.checked_sub(1).filter(|start| bytes.get(*start) == Some(&b'S')) else { return };
        if bytes.get(after).is_some_and(|byte| byte.is_ascii_alphanumeric() || b"_-.".contains(byte)) {
            return;
        }
        let near = bytes.get(start.saturating_sub(SIGNS)..start).unwrap_or_default();
        let signs =
            near.iter().rev().take_while(|byte| !byte.is_ascii_alphanumeric() && **byte != b'\n').count();
        let (front, signs) = near.split_at(near.len() - signs);
        if !front.ends_with(b"kind") || !signs.contains(&b':') {
            return;
        }
        let kind = start - signs.len() - b"kind".len();
        match quote(signs) {
            Some(length) => self.in_braces(kind, length, spans),
            None => self.in_lines(kind, false, spans),
        }
    }

    /// Takes so many bytes of those that may be looked at.
    fn look(&mut self, bytes: usize) -> bool {
        let may = bytes <= self.left;
        self.left = self.left.saturating_sub(bytes);
        may
    }

    /// What stands below the `tringData:` at `hit`, which nothing else has, wherever its kind is told.
    pub(super) fn data(&mut self, hit: usize, spans: &mut Vec<Span>) {
        let start = hit.checked_sub(1).filter(|start| self.text.as_bytes().get(*start) == Some(&b's'));
        // A schema says of what type it is.
        let below = self.text.get(hit..).and_then(|rest| rest.lines().nth(1)).unwrap_or_default();
        let is_schema = ["type: object", "type: string", "additionalProperties:", "description:"]
            .iter()
            .any(|field| below.trim_start_matches(|sign: char| !sign.is_alphabetic()).starts_with(field));
        if let Some(start) = start.filter(|_| !is_schema) {
            self.in_lines(start, true, spans);
        }
    }

    /// In YAML: the fields beside `kind`, in front of it and behind; or those alone that stand below it.
    fn in_lines(&mut self, kind: usize, is_data: bool, spans: &mut Vec<Span>) {
        // It is the first word of its line: what stands further behind a line's begin is none, and looked at no more.
        let near = self.text.as_bytes().get(kind.saturating_sub(DEEPEST)..kind).unwrap_or_default();
        let begin = match memchr::memrchr(b'\n', near) {
            Some(at) => kind - near.len() + at + 1,
            None if kind <= DEEPEST => 0,
            None => return,
        };
        if near
            .get(near.len() - (kind - begin)..)
            .is_none_or(|front| front.iter().any(u8::is_ascii_alphabetic))
        {
            return;
        }
        // In a difference one more sign stands in front.
        let is_changed = matches!(
            self.text.as_bytes().get(begin..begin + 2),
            Some([b'+', _] | [b'-', b'a'..=b'z'] | [b' ', b'k' | b's'])
        );
        let Some(own) = self.line(begin, is_changed, b"|\t:-").filter(|line| line.start == kind) else {
            return;
        };
        // All of a text's lines have a number, or none has: a name may begin with digits as well.
        let behind = own.number.and_then(|_| {
            let digits =
                self.text.get(begin..)?.trim_start().trim_start_matches(|sign: char| sign.is_ascii_digit());
            digits.bytes().next()
        });
        let signs: &[u8] = match behind {
            Some(b'|') => b"|",
            Some(b'\t') => b"\t",
            Some(_) => b":-",
            None => b"",
        };
        // What a template says, and a comment, may stand in any column.
        let is_apart = |line: &Line<'_>| {
            line.words.is_empty() || line.words.starts_with("{{") || line.words.starts_with('#')
        };
        let is_beside = |line: &Line<'_>| line.column >= own.column || is_apart(line);
        // The name of another file, from a search.
        let is_heading = |line: &Line<'_>| {
            !is_apart(line) && line.item.is_none() && !line.words.contains([':', '"', '{', '}', ' '])
        };
        let is_end = |line: &Line<'_>| {
            line.column == own.column
                && (line.words.starts_with("kind:") || line.words.starts_with("--") || is_heading(line))
                || line.words.starts_with("```")
        };
        // Where a search goes on in another file, its name stands in a line without a number, or the numbers begin anew.
        let follows = |line: &Line<'_>, next: &Line<'_>| {
            line.number.is_some() == next.number.is_some()
                && (line.number < next.number || line.number.is_none())
        };
        let mut first = begin;
        let mut nearest = own.clone();
        let mut is_first = own.item.is_some() || is_data;
        while !is_first && first > 0 && kind - first < LARGEST {
            let above =
                self.text.get(..first - 1).and_then(|before| before.rfind('\n')).map_or(0, |at| at + 1);
            let Some(line) = self.line(above, is_changed, signs) else { break };
            if !self.look(first - above) || !is_beside(&line) || is_end(&line) || !follows(&line, &nearest) {
                break;
            }
            nearest = line.clone();
            is_first = line.item.is_some() && line.column == own.column;
            first = above;
        }
        let mut data = Data { column: own.column, block: None, value: None, is_open: false };
        let mut at = first;
        let mut last: Option<Line<'_>> = None;
        while at < self.text.len() && at.saturating_sub(kind) < LARGEST {
            let Some(line) = self.line(at, is_changed, signs) else { break };
            if last.as_ref().is_some_and(|last| !follows(last, &line)) {
                break;
            }
            last = Some(line.clone());
            let is_own = at == begin;
            let is_other = at > begin && line.item.is_some_and(|item| item < own.column);
            if at > first && !is_own && (!is_beside(&line) || is_end(&line))
                || is_other && !line.words.is_empty()
            {
                break;
            }
            let length = self
                .text
                .get(at..)
                .and_then(|rest| rest.find('\n'))
                .map_or(self.text.len() - at, |end| end + 1);
            if !self.look(length) {
                break;
            }
            data.line(&line, spans);
            at += length;
        }
    }

    /// The line that begins there; a number in front of it has one of these signs behind it.
    fn line(&self, begin: usize, is_changed: bool, signs: &[u8]) -> Option<Line<'t>> {
        let rest = self.text.get(begin..)?;
        let line = rest.split('\n').next()?.trim_end();
        let digits = line.trim_start().bytes().take(8).take_while(u8::is_ascii_digit).count();
        let blanks = line.len() - line.trim_start().len();
        let is_numbered =
            digits > 0 && line.as_bytes().get(blanks + digits).is_some_and(|sign| signs.contains(sign));
        let number = if is_numbered { blanks + digits + 1 } else { 0 };
        let told =
            line.get(blanks..blanks + digits).filter(|_| is_numbered).and_then(|told| told.parse().ok());
        let mut column =
            usize::from(is_changed && line.as_bytes().get(number).is_some_and(|sign| b"+-".contains(sign)));
        let mut item = None;
        loop {
            let words = line.get(number + column..)?;
            column += words.len() - words.trim_start_matches(' ').len();
            let words = words.trim_start_matches(' ');
            if !words.starts_with("- ") || item.is_some() {
                return Some(Line { start: begin + number + column, words, column, item, number: told });
            }
            item = Some(column);
            column += 1;
        }
    }

    /// In JSON: the fields of the object that `kind` is one of, whose quotes are so long.
    fn in_braces(&mut self, kind: usize, length: usize, spans: &mut Vec<Span>) {
        let bytes = self.text.as_bytes();
        let (escapes, mut depth) = (length - 1, 0_usize);
        let most = LARGEST.min(self.left);
        let before = bytes.get(kind.saturating_sub(most)..kind).unwrap_or_default();
        let opens = |byte: &u8| {
            match byte {
                b'{' if depth == 0 => return true,
                b'{' => depth -= 1,
                b'}' => depth += 1,
                _ => {}
            }
            false
        };
        let back = before.iter().rev().position(opens);
        self.look(back.unwrap_or(before.len()));
        let Some(open) = back.map(|back| kind - 1 - back) else { return };
        let (mut at, mut depth, mut is_data, mut name) = (open + 1, 1, false, None);
        while depth > 0 && at - open < LARGEST.min(self.left) {
            match bytes.get(at) {
                None => break,
                Some(b'{') => {
                    depth += 1;
                    is_data = depth == 2
                        && name.take().is_some_and(|name: Range<usize>| {
                            matches!(self.text.get(name), Some("data" | "stringData"))
                        });
                }
                Some(b'}') => (depth, is_data) = (depth - 1, false),
                Some(b',') => name = None,
                Some(b'"' | b'\\') => {
                    let Some(string) = string(bytes, at, escapes) else { break };
                    let end = string.end + escapes + 1;
                    let colon =
                        bytes.get(end..).unwrap_or_default().iter().take(SIGNS).find(|byte| **byte != b' ');
                    if colon == Some(&b':') {
                        name = Some(string);
                    } else if is_data && depth == 2 {
                        add(self.text, string, spans);
                    }
                    at = end;
                    continue;
                }
                Some(_) => {}
            }
            at += 1;
        }
        self.look(at - open);
    }
}

/// What stands in the string that opens at `at` behind so many backslashes, on one line.
fn string(bytes: &[u8], at: usize, escapes: usize) -> Option<Range<usize>> {
    let opened = bytes.get(at..)?.iter().take_while(|byte| **byte == b'\\').count();
    let start = (opened == escapes && bytes.get(at + opened) == Some(&b'"')).then_some(at + opened + 1)?;
    let mut from = start;
    loop {
        let quote = from + bytes.get(from..)?.iter().position(|byte| matches!(byte, b'"' | b'\n'))?;
        let inside = bytes.get(start..quote)?;
        let backslashes = inside.iter().rev().take_while(|byte| **byte == b'\\').count();
        if bytes.get(quote) == Some(&b'\n') {
            return None;
        }
        // An escaped backslash may stand in front of the quote.
        if backslashes == escapes || escapes == 0 && backslashes.is_multiple_of(2) {
            return Some(start..quote - escapes);
        }
        from = quote + 1;
    }
}

/// The data of a manifest in YAML, line by line.
struct Data {
    column: usize,
    /// In which column its names stand, once one was seen.
    block: Option<usize>,
    /// The column of the name whose value goes on in the lines below it.
    value: Option<usize>,
    is_open: bool,
}

impl Data {
    fn line(&mut self, line: &Line<'_>, spans: &mut Vec<Span>) {
        if line.words.is_empty() || line.words.starts_with("{{") {
            return;
        }
        if line.column <= self.column && !line.words.starts_with('#') {
            let rest = ["data:", "stringData:"].iter().find_map(|name| line.words.strip_prefix(name));
            let behind = rest.map(str::trim_start).unwrap_or_default();
            self.is_open = rest.is_some() && (behind.is_empty() || behind.starts_with(['#', '{', '&']));
            (self.block, self.value) = (None, None);
            if let Some(fields) = behind.strip_prefix('{').filter(|_| self.is_open) {
                in_line(line, fields.trim_end_matches('}'), spans);
            }
            return;
        }
        if !self.is_open {
            return;
        }
        let whole = line.start..line.start + line.words.len();
        if self.value.is_some_and(|name| line.column > name) {
            let words = line.words.trim_end_matches(['"', '\'']);
            return add_words(whole.start..whole.start + words.len(), words, spans);
        }
        // An old value in a comment is one, too; a sentence with a colon in it is not.
        let field = line
            .words
            .split_once(": ")
            .filter(|(name, _)| !name.trim_start_matches(['#', ' ']).contains(' '));
        if !line.words.starts_with('#') {
            let block = *self.block.get_or_insert(line.column);
            self.value = None;
            if line.column != block || field.is_none() {
                // What follows a name without a value stands below it.
                self.value = line.words.ends_with(':').then_some(line.column);
                return;
            }
        }
        let Some((_, value)) = field else { return };
        let value = value.trim_start();
        let value =
            value.strip_prefix("!!").and_then(|tag| tag.split_once(' ')).map_or(value, |(_, value)| value);
        let start = line.start + line.words.len() - value.len();
        let plain = value.split(" #").next().unwrap_or_default().trim_end_matches([',', ' ']);
        match plain.as_bytes() {
            [b'|' | b'>', ..] => self.value = Some(line.column),
            [quote @ (b'"' | b'\''), ..] => {
                let inside = value.get(1..).unwrap_or_default();
                let end = inside.rfind(char::from(*quote));
                if end.is_none() {
                    self.value = Some(line.column);
                }
                let inside = inside.get(..end.unwrap_or(inside.len())).unwrap_or_default();
                add_words(start + 1..start + 1 + inside.len(), inside, spans);
            }
            _ => {
                self.value = Some(line.column);
                add_words(start..start + plain.len(), plain, spans);
            }
        }
    }
}

/// The fields of `data: { a: …, b: … }`, which end `line`.
fn in_line(line: &Line<'_>, fields: &str, spans: &mut Vec<Span>) {
    let begin = line.words.find('{').map_or(line.start, |at| line.start + at + 1);
    let mut at = begin;
    for field in fields.split(',') {
        if let Some((name, value)) = field.split_once(": ") {
            let front = value.len() - value.trim_start_matches([' ', '"', '\'']).len();
            let words = value.get(front..).unwrap_or_default().trim_end_matches([' ', '"', '\'', '}']);
            let start = at + name.len() + ": ".len() + front;
            add_words(start..start + words.len(), words, spans);
        }
        at += field.len() + 1;
    }
}

fn add(text: &str, value: Range<usize>, spans: &mut Vec<Span>) {
    let words = text.get(value.clone()).unwrap_or_default();
    add_words(value, words, spans);
}

/// Adds a value, unless it is what a template will put there.
fn add_words(value: Range<usize>, words: &str, spans: &mut Vec<Span>) {
    let bytes = words.as_bytes();
    // `${…}`, `<word>`, `[word]`, `*anchor`: a whole of its own, where data in JSON has quotes and colons.
    let is_mark = words.starts_with(['<', '[', '{', '*']) && !words.contains(['"', ':', '\''])
        || words.starts_with("${")
        || words.starts_with("$(");
    let is_template = is_mark && words.bytes().filter(u8::is_ascii_digit).count() * 4 <= words.len()
        || words.contains("{{")
        || words.starts_with("ENC[")
        || is_constant(bytes);
    if words.len() >= LEAST
        && !is_template
        && (!is_pattern(bytes) || words.contains("://"))
        && words != "null"
    {
        spans.push(Span::new(value.start, value.end, "kubernetes_secret"));
    }
}

#[cfg(test)]
mod tests {
    use crate::redact::tests::redact;

    /// Each `@` is gone, and nothing else.
    fn check(text: &str, value: &str) {
        let shown = redact(&text.replace('@', value));
        let id = "\u{27e6}redacted:kubernetes_secret:1\u{27e7}";
        assert_eq!(shown, text.replace('@', id), "{text}");
    }

    #[test]
    fn what_a_secret_of_a_cluster_holds_is_one_whatever_its_name() {
        for value in ["cG9zdGdyZXM6Ly9hcHA6cHcxQGRi", "cGFzc3dvcmQ=", "hunter2"] {
            for text in [
                "apiVersion: v1\nkind: Secret\nmetadata:\n  name: app\ntype: Opaque\ndata:\n  DB: @\n  .env: @\n",
                "apiVersion: v1\ndata:\n  config.json: @\nkind: Secret\nmetadata:\n  name: appsettings\n",
                "a: value1\n---\nkind: \"Secret\"\nstringData:\n  db: \"@\"\n  conn: '@' # old\n---\nkind: ConfigMap\ndata:\n  a: value1\n",
                "   1|kind: Secret\n   2|data:\n   3|  db: @\n   4|metadata:\n   5|  name: something\n",
                "@@ -0,0 +1,4 @@\n+kind: Secret\n+data:\n+  db: @\n+type: Opaque\n"
                    .trim_start_matches("@@ -0,0 +1,4 @@\n"),
                "items:\n- apiVersion: v1\n  data:\n    db: @\n  kind: Secret\n- apiVersion: v1\n  data:\n    plain: something\n  kind: ConfigMap\n",
                "kind: Secret\nstringData:\n  app.ini: |\n    @\n    @\n  b: >-\n    @\ntype: Opaque\n",
                "kind: Secret\ndata:\n  long:\n    @\n",
                "kind: Secret\nstringData:\n  a: @\n{{ toYaml .x }}\n  b: @\n",
                "a.yaml\n2:kind: Secret\n3-data:\n4-  a: @\nb-config.yaml\n7-  c: something\n8:data:\n9-  d: something\n",
                "kind: Secret\ndata: { a: @, b: \"@\" }\n",
                " type: Opaque\n stringData:\n   db: @\n+  b: @\n",
                "type: Opaque\nstringData:\n  db: @\n  b: @\nx: something\n",
                "kind: Secret\nstringData:\n  01-init.sql: |\n    @\n  200: @\n  b: @\n",
                "apiVersion: v1\ndata:\n  01-a: @\n  b: @\nkind: Secret\n",
                "kind: Secret\nstringData:\n  a: |\n    1:\n    @\n  b: @\n",
                "kind: Secret\ndata:\n{{- if .x }}\n  a: \"@\"\n{{- end }}\n  # b: @\n  c: @\n",
                "{\"apiVersion\": \"v1\", \"data\": {\"db\": \"@\", \"x\": \"@\"}, \"kind\": \"Secret\", \"type\": \"Opaque\"}",
                "{\n  \"data\": {\n    \"db\": \"@\"\n  },\n  \"kind\": \"Secret\",\n  \"metadata\": {\"name\": \"something\"}\n}",
                "x: '{\\\"data\\\":{\\\"db\\\":\\\"@\\\"},\\\"kind\\\":\\\"Secret\\\"}'",
            ] {
                check(text, value);
            }
        }
    }

    #[test]
    fn what_is_no_secret_of_a_cluster_stays() {
        for text in [
            "kind: SealedSecret\ndata:\n  db: something\n",
            "kind: ExternalSecret\nspec:\n  data:\n  - secretKey: something\n",
            "kind: SecretProviderClass\ndata:\n  db: something\n",
            "kind: ConfigMap\ndata:\n  db: something\n---\nkind: Secret\nmetadata:\n  name: something\n",
            "kind: Secret\ndata:\n  db: {{ .Values.db | b64enc }}\n  x: <base64>\n  y: ${DB_URL}\n  z: REPLACE_ME\n",
            "valuesFrom:\n- kind: Secret\n  name: something\ndata:\n  db: something\n",
            "{\"kind\": \"ConfigMap\", \"data\": {\"db\": \"something\"}, \"x\": {\"kind\": \"Secret\"}}",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn a_text_full_of_kinds_is_looked_at_a_few_times() {
        let line = |depth: usize| " ".repeat(depth) + "kind: Secret\n";
        let deeper: String = (0..900).map(line).collect();
        let shallower: String = (0..900).rev().map(line).collect();
        let open = "{\"kind\": \"Secret\", ".repeat(20_000);
        let one_line = "kind: Secret\\n".repeat(20_000);
        for text in [deeper, shallower, open, one_line, "\"kind\":\"Secret\"".repeat(20_000)] {
            let mut manifests = super::Manifests::new(&text);
            let mut spans = Vec::new();
            for (at, _) in text.match_indices("ecret") {
                manifests.find(at, at + 5, &mut spans);
            }
            assert!(spans.is_empty());
        }
    }
}
