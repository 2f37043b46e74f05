//! Tests of code frames for sources that are hard to print: tabs, wide characters, very long lines.

use kit_diagnostics::{Diagnostic, Label, Sources, Style, codes, render};

struct One(&'static str);

impl Sources for One {
    fn text(&self, path: &str) -> Option<&str> {
        (path == "src/a.ts").then_some(self.0)
    }
}

/// Renders a diagnostic with one label for each pair of a needle and a message. The label is at the first
/// occurrence of the needle in the text, and the first label is primary.
fn frame(text: &'static str, needles: &[(&str, &str)]) -> String {
    let mut diagnostic = Diagnostic::new(codes::SYNTAX, "it is wrong").help("right it");
    for (index, (needle, remark)) in needles.iter().enumerate() {
        let start = text.find(needle).expect("the needle is there");
        let range = start..start + needle.len();
        let label = if index == 0 {
            Label::primary("src/a.ts", range)
        } else {
            Label::secondary("src/a.ts", range)
        };
        diagnostic = diagnostic.label(label.message(*remark));
    }
    render(&diagnostic, &One(text), Style::Plain)
}

#[track_caller]
fn check(text: &'static str, needles: &[(&str, &str)], expected: &str) {
    let found = frame(text, needles);
    let expected = format!(
        "error[KIT1101]: it is wrong{}\n  = help: right it",
        expected.trim_end()
    );
    assert_eq!(found, expected, "\n{found}\n");
}

#[test]
fn draws_two_labels_on_the_same_line() {
    check(
        "type A = string & number;\n",
        &[("number", "this"), ("string", "and that")],
        r"
 --> src/a.ts:1:19
  |
1 | type A = string & number;
  |          ------   ^^^^^^ this
  |          |
  |          and that
  |
",
    );
}

#[test]
fn draws_a_label_that_spans_several_lines() {
    check(
        "type A = {\n  a: 1;\n  b: 2;\n};\n",
        &[("{\n  a: 1;\n  b: 2;\n}", "all of it")],
        r"
 --> src/a.ts:1:10
  |
1 |   type A = {
  |  __________^
2 | |   a: 1;
3 | |   b: 2;
4 | | };
  | |_^ all of it
  |
",
    );
}

#[test]
fn aligns_marks_below_text_with_tabs_and_wide_characters() {
    check(
        "\ttype 漢字 = \"👩‍👩‍👧 é\" | Wrong;\n",
        &[("Wrong", "here")],
        r#"
 --> src/a.ts:1:24
  |
1 |     type 漢字 = "👩👩👧 é" | Wrong;
  |                              ^^^^^ here
  |
"#,
    );
}

#[test]
fn omits_carriage_returns_at_the_ends_of_lines() {
    check(
        "type A = 1;\r\ntype B = Wrong;\r\ntype C = 3;\r\n",
        &[("Wrong", "here")],
        r"
 --> src/a.ts:2:10
  |
2 | type B = Wrong;
  |          ^^^^^ here
  |
",
    );
}

#[test]
fn escapes_control_characters_in_sources_and_messages() {
    let text = "type A = \"\u{1b}[31m\u{202e}red\";\n";
    let diagnostic = Diagnostic::new(codes::SYNTAX, "found \u{1b}[31m")
        .label(Label::primary("src/a\u{1b}[31m.ts", 0..4).message("x \u{1b}[31m"))
        .label(Label::primary("src/a.ts", 0..4).message("x \u{1b}[31m"))
        .note("n \u{1b}[31m")
        .help("h \u{1b}[31m");
    let found = render(&diagnostic, &One(text), Style::Plain);
    assert!(!found.contains('\u{1b}'), "{found:?}");
    assert!(!found.contains('\u{202e}'), "{found:?}");
}

#[test]
fn shortens_a_very_long_line_around_its_label() {
    let text: &'static str = format!(
        "type A = {} | Wrong | {};\n",
        "1 | 2".repeat(2_000),
        "3 | 4".repeat(2_000)
    )
    .leak();
    check(
        text,
        &[("Wrong", "here")],
        r"
 --> src/a.ts:1:10013
  |
1 | ... 21 | 21 | 21 | 21 | 21 | 21 | 21 | 21 | 21 | 21 | 21 | 2 | Wrong | 3 | 43 | 43 | 43 | 43 | 43 | 43 | 43 | 43 | 43 | 43 | 43 | 43 ...
  |                                                                ^^^^^ here
  |
",
    );
}

#[test]
fn shows_the_file_of_a_label_whose_range_is_invalid() {
    // The offsets are inside of a character, past the end, or reversed. The frame may be inexact, but it
    // shows the file.
    let text = "é漢👩\n";
    for start in 0..text.len() + 3 {
        for end in 0..text.len() + 3 {
            let diagnostic =
                Diagnostic::new(codes::SYNTAX, "it is wrong").label(Label::primary("src/a.ts", start..end));
            assert!(render(&diagnostic, &One(text), Style::Plain).contains("src/a.ts"));
        }
    }
    for text in ["", "\n", "\r\n", "\u{feff}", "\u{feff}a"] {
        let diagnostic =
            Diagnostic::new(codes::SYNTAX, "it is wrong").label(Label::primary("src/a.ts", 0..1));
        assert!(render(&diagnostic, &One(text), Style::Plain).contains("src/a.ts"));
    }
}
