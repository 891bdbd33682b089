//! The line behind `@@`: for each language that git knows what the git program writes there.

use std::collections::BTreeMap;

use serde_json::json;

use crate::world::World;

/// A driver with lines that head a difference, and such that look like it.
const LINES: &[(&str, &[&str])] = &[
    ("ada", &["procedure X is", "  FUNCTION f return A", "package P is new Q", "with Text_IO; ", "task T"]),
    ("bash", &["f() {", "function g {", "  h () ((", "function k() [[ x", "if x; then", "f()"]),
    ("bibtex", &["@article{key,", "  @Book { other, more"]),
    (
        "cpp",
        &[
            "int main(void)",
            "static void *f(int a,",
            "label:",
            "public: // x",
            "struct x {",
            "::f()",
            "  case 1:",
        ],
    ),
    (
        "csharp",
        &[
            "public class A",
            "  public void F(int a)",
            "  if (a b)",
            "  public int X",
            "namespace X",
            "a = new B()",
            "x;",
        ],
    ),
    ("css", &[".a {", "@media x {", "#id > p,", "color: red;", "LI:", "[x=y] {"]),
    ("dts", &["soc {", "/ {", "  &uart {", "a = <1>", "b;"]),
    ("elixir", &["def f do", "  defmodule A do", "test \"x\" do", "defx y"]),
    (
        "fortran",
        &["  subroutine x", "C function y", "end module a", "real FUNCTION f(x)", "  module procedure p "],
    ),
    ("fountain", &["INT. HOUSE", ".forced", "..no", "i/e car", "Somebody"]),
    ("golang", &["func f() {", "type X struct {  ", "func (a A) B() {", "type Y int"]),
    ("html", &["<h1>T</h1>", "  <H2 class=x>y", "<h7>z", "<p>"]),
    (
        "java",
        &[
            "public class A {",
            "  public void f(int a) {",
            "  enum E {",
            "return f(a)",
            "List<A[]> g(",
            "f(a);",
        ],
    ),
    ("kotlin", &["fun f() {", "class A", "  private suspend fun g()", "val x"]),
    ("markdown", &["# head", "## head two  ", "   ### h3", "    # code", "#nohead", "Title"]),
    ("matlab", &["function y = f(x)", "%% cell", "## other", "  classdef A", "% no"]),
    ("objc", &["- (void)x;", "@interface A", "static int f(int a)", "if (x) y("]),
    ("pascal", &["procedure X;", "class function Y", "  T = class(A)", "begin"]),
    (
        "perl",
        &[
            "sub f {",
            "sub g($$) {",
            "sub h; # later",
            "package X;",
            "=head1 X",
            "BEGIN { # x",
            "sub i : lvalue {",
        ],
    ),
    ("php", &["function f() {", "class A", "  public static function g()", "final class B", "$x"]),
    ("python", &["def f(x):", "class A:", "  async def g():", "    def h(self):", "define"]),
    ("ruby", &["class A", "  def f", "module M", "end"]),
    (
        "rust",
        &[
            "pub fn f() {",
            "impl<T> X for Y {",
            "  pub(crate) async fn g()",
            "macro_rules! m {",
            "mod x;",
            "extern \"C\" fn f()",
        ],
    ),
    ("scheme", &["(define (f x)", "  (library (a)", "(defstruct-x", "(let x"]),
    ("tex", &["\\section{A}", "\\subsubsection*{B} x", "\\chapter {C}", "\\begin{x}"]),
    // Not git's, and git's with an own idea: the rule for any file.
    ("nobody", &["plain head", "  indented", "$dollar", "_under", "9digit"]),
    ("default", &["plain head", "# other"]),
];

#[test]
fn the_line_behind_a_hunk_is_the_one_that_git_shows() {
    let world = World::new();
    world.git(&["init", "-q"]);
    let rules =
        LINES.iter().map(|(driver, _)| format!("{driver}-* diff={driver}\n")).collect::<Vec<_>>().concat();
    world.write(".gitattributes", rules);
    let fill = |changed: &str| {
        for (driver, lines) in LINES {
            for (line, number) in lines.iter().zip(0..) {
                for (name, end) in [("lf", "\n"), ("crlf", "\r\n")] {
                    // A second hunk has the same heading, or what stands between.
                    let rest = (0..24).map(|number| format!(" \t{number}{end}")).collect::<Vec<_>>().concat();
                    let rest = rest.replace("\t9", changed).replace("\t22", changed);
                    let long = format!("{line}{}", " and more of it".repeat(number % 2 * 9));
                    let text = format!("first of it{end}x{end}{long}{end}{rest}");
                    world.write(&format!("{driver}-{number}-{name}"), text);
                }
            }
        }
    };
    fill("\t9");
    world.git(&["add", "-A"]);
    fill("changed");
    let headings = |text: &str| -> BTreeMap<String, Vec<String>> {
        let files = text.split("diff --git ").skip(1);
        let of = |file: &str| file.lines().filter(|line| line.starts_with("@@")).map(str::to_owned).collect();
        files.map(|file| (file.lines().next().unwrap_or_default().to_owned(), of(file))).collect()
    };
    let ours = || {
        let reply = world.tool("git_diff", json!({"limit_bytes": 4_000_000})).unwrap();
        headings(&reply.text)
    };
    let theirs = headings(&world.git(&["diff"]));
    let count: usize = LINES.iter().map(|(_, lines)| lines.len() * 2).sum();
    assert_eq!(theirs.len(), count);
    let found = ours();
    let differs: Vec<_> = found.iter().filter(|(file, found)| theirs[*file] != **found).collect();
    assert!(differs.is_empty(), "{differs:#?}");
    // A pattern of the repository is not used: the rule for any file is.
    world.git(&["config", "diff.markdown.xfuncname", "^Title"]);
    assert_eq!(ours()["a/markdown-0-lf b/markdown-0-lf"][0], "@@ -10,7 +10,7 @@ x");
}
