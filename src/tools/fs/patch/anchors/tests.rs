//! A hunk is where it is meant, or nowhere: against a model that knows which line is of which method.

use std::fmt::Write as _;

use proptest::{prelude::*, sample::Index};

use super::*;
use crate::tools::fs::{
    line_ends::LfView,
    patch::{Action, parse, place},
};

/// Methods of classes whose lines are often the same.
#[derive(Clone, Debug)]
struct Source {
    lines: Vec<String>,
    /// Which method each line is of, and where that begins.
    methods: Vec<Option<(usize, usize)>>,
}

fn sources() -> impl Strategy<Value = Source> {
    let line = prop_oneof![
        4 => (0..5_u8).prop_map(|number| format!("        x = {number}")),
        1 => (0..3_u8).prop_map(|number| format!("        if x:\n            y = {number}")),
        1 => Just("# note".to_owned()),
        1 => Just(String::new()),
    ];
    prop::collection::vec(prop::collection::vec(line, 1..5), 1..7).prop_map(|bodies| {
        let mut source = Source { lines: Vec::new(), methods: Vec::new() };
        for (number, body) in bodies.iter().enumerate() {
            if number % 3 == 0 {
                source.lines.push(format!("class K{number}(Base):"));
                source.methods.push(None);
            }
            let begin = source.lines.len();
            let head = format!("    def f{number}(self, x):");
            let body = body.join("\n");
            for line in [head.as_str()].into_iter().chain(body.split('\n')).chain(["        return x", ""]) {
                source.lines.push(line.to_owned());
                source.methods.push(Some((number, begin)));
            }
        }
        source
    })
}

#[derive(Clone, Copy, Debug)]
enum Header {
    Bare,
    /// The line of a method, with or without what stands around it.
    Method(usize, bool),
    /// A part of that line.
    Part(usize),
    Filling(&'static str),
}

fn headers() -> impl Strategy<Value = Option<Header>> {
    let filling = prop::sample::select(vec!["existing code", "line 8", "8,2 8,2", "in g()", "K.f9"]);
    prop_oneof![
        // The method itself, as a whole or in part.
        3 => Just(None),
        1 => Just(Some(Header::Bare)),
        3 => (0..7_usize, any::<bool>()).prop_map(|(number, bare)| Some(Header::Method(number, bare))),
        2 => (0..7_usize).prop_map(|number| Some(Header::Part(number))),
        2 => filling.prop_map(|text| Some(Header::Filling(text))),
    ]
}

/// One hunk: where it begins, how many lines it has, which of them it changes, and what its header says.
type Change = (usize, usize, usize, Header);

impl Source {
    fn text(&self) -> String {
        self.lines.iter().fold(String::new(), |text, line| text + line + "\n")
    }

    /// A change within one method.
    fn change(&self, (at, length, within): (Index, usize, Index), header: Option<Header>) -> Change {
        let inner: Vec<usize> =
            (0..self.lines.len()).filter(|at| self.methods[*at].is_some_and(|of| of.1 < *at)).collect();
        let at = inner[at.index(inner.len())];
        let method = self.methods[at].unwrap();
        let length = (1..=length)
            .take_while(|more| self.methods.get(at + more - 1) == Some(&Some(method)))
            .last()
            .unwrap();
        let header = header.unwrap_or(match length % 2 {
            0 => Header::Method(method.0, false),
            _ => Header::Method(method.0, true),
        });
        (at, length, within.index(length), header)
    }

    fn hunk(&self, (at, length, changed, header): Change, into: &mut String) {
        let _ = match header {
            Header::Bare => writeln!(into, "@@"),
            Header::Method(number, true) => writeln!(into, "@@ def f{number}(self, x):"),
            Header::Method(number, false) => writeln!(into, "@@     def f{number}(self, x): @@"),
            Header::Part(number) => writeln!(into, "@@ def f{number} @@"),
            Header::Filling(text) => writeln!(into, "@@ {text} @@"),
        };
        for (index, line) in self.lines[at..at + length].iter().enumerate() {
            let _ = if index == changed {
                writeln!(into, "-{line}\n+        changed {at}")
            } else {
                writeln!(into, " {line}")
            };
        }
    }

    /// Where these lines of it stand.
    fn standing(&self, (at, length, ..): Change) -> Vec<usize> {
        let wanted = &self.lines[at..at + length];
        (0..self.lines.len()).filter(|at| self.lines[*at..].starts_with(wanted)).collect()
    }

    fn head(&self, number: usize) -> Option<usize> {
        self.methods.iter().flatten().find(|of| of.0 == number).map(|of| of.1)
    }
}

fn placed(source: &Source, changes: &[Change], is_diff: bool) -> Result<(String, Vec<Doubt>), PlaceError> {
    let mut lines = String::new();
    for change in changes {
        source.hunk(*change, &mut lines);
    }
    let patch = if is_diff {
        format!("--- a/f\n+++ b/f\n{lines}")
    } else {
        format!("*** Begin Patch\n*** Update File: f\n{lines}*** End Patch\n")
    };
    let Action::Update { hunks, .. } = &parse(&patch).unwrap()[0].action else { panic!("{patch}") };
    let text = source.text();
    let placed = place(&LfView::new(&text), hunks, &|| false)?;
    let doubts = placed.doubted.iter().map(|(.., doubt)| *doubt).collect();
    Ok((placed.apply(&text), doubts))
}

fn changed(source: &Source, changes: &[Change]) -> String {
    let mut made = source.clone();
    for (at, _, changed, _) in changes {
        made.lines[at + changed] = format!("        changed {at}");
    }
    made.text()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]
    /// Lines that stand once are changed there, whatever the header says, unless it names a line below them; of several places the
    /// one in what is named, or none. A first place below is taken with a word, and only where the grammar promises it.
    #[test]
    fn a_hunk_is_where_it_is_meant_or_nowhere(
        source in sources(),
        at in (any::<Index>(), 1..4_usize, any::<Index>()),
        header in headers(),
        is_diff in any::<bool>(),
    ) {
        let change = source.change(at, header);
        let (standing, expected) = (source.standing(change), changed(&source, &[change]));
        let made = placed(&source, &[change], is_diff);
        let named = match change.3 {
            Header::Method(number, _) => source.head(number),
            _ => None,
        };
        match standing.as_slice() {
            [only] if named.is_some_and(|head| head >= only + change.1) => {
                prop_assert!(matches!(made, Err(PlaceError::AboveAnchor { .. })), "{:?} {}", made, source.text());
            }
            [_] => prop_assert_eq!(made.map(|made| made.0), Ok(expected), "{:?}", change),
            places => match made {
                Ok((_, doubts)) if doubts.iter().any(|doubt| !matches!(doubt, Doubt::Within(_))) => {
                    prop_assert!(!is_diff && named.is_some(), "{change:?} {doubts:?} {}", source.text());
                }
                Ok((text, _)) => {
                    let place = places.iter().find(|place| changed(&source, &[(**place, change.1, change.2, change.3)])
                        .replace(&format!("changed {place}"), &format!("changed {}", change.0)) == text);
                    let (Header::Method(number, _) | Header::Part(number)) = change.3 else {
                        panic!("{change:?} {}", source.text())
                    };
                    let of = |place: usize| source.methods[place].map(|of| of.0) == Some(number);
                    prop_assert!(place.is_some_and(|place| of(*place)), "{change:?} {text}");
                    prop_assert_eq!(places.iter().filter(|place| of(**place)).count(), 1);
                }
                Err(error) => {
                    let number = if let Header::Method(number, _) = change.3 { number } else { usize::MAX };
                    let own = places.iter().filter(|place| source.methods[**place].map(|of| of.0) == Some(number)).count();
                    let is_above = matches!(error, PlaceError::AboveAnchor { .. });
                    prop_assert!(own != 1 && (is_above || matches!(error, PlaceError::Ambiguous { .. })), "{error:?} {}", source.text());
                }
            },
        }
    }

    /// Also where a hunk names the line that the one before it named.
    #[test]
    fn hunks_follow_each_other_below_one_line(
        source in sources(),
        at in prop::collection::vec((any::<Index>(), 1..4_usize, any::<Index>()), 2..4),
        is_diff in any::<bool>(),
    ) {
        let mut changes: Vec<Change> = at.into_iter().map(|at| source.change(at, None)).collect();
        changes.sort_by_key(|change| change.0);
        let mut end = 0;
        changes.retain(|change| {
            let is_free = change.0 >= end;
            end = end.max(change.0 + change.1);
            is_free
        });
        let are_once = changes.iter().all(|change| source.standing(*change).len() == 1);
        let expected = changed(&source, &changes);
        match placed(&source, &changes, is_diff) {
            Ok((text, doubts)) => prop_assert!(text == expected || !(is_diff || doubts.is_empty()), "{changes:?}\n{text}"),
            Err(error) => prop_assert!(!are_once, "{error:?} {changes:?}\n{}", source.text()),
        }
    }
}
