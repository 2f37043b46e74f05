//! Languages of patterns: the texts in which `RegExp.prototype.test` finds a match.

use std::collections::BTreeSet;

use kit_pattern::Language;

#[test]
fn contains_the_texts_in_which_the_pattern_matches() {
    let patterns = [
        "^a*$",
        "a",
        "^a|b$",
        "^(?:ab?c){2,3}$",
        "^$",
        "$^",
        "(?:^a)?b",
        "^[^a]+?$",
        "a{0}b$",
        "^(?:a|^b)+$",
        "(?:a$|b)c?",
        "$$",
        "^(?:a$)+$",
    ];
    let texts = [
        "", "a", "b", "ab", "abc", "acab", "abcac", "abcacabc", "ba", "bb", "cab", "bc", "ac", "é",
    ];
    for pattern in patterns {
        let language = Language::of_pattern(pattern).expect("a pattern without conditions");
        let part = Language::sequence(std::slice::from_ref(&language)).expect("a small language");
        for text in texts {
            let compiled = regress::Regex::with_flags(pattern, "u").expect("a valid pattern");
            let expected = compiled.find(text).is_some();
            assert_eq!(language.contains(text), expected, "{pattern} and {text:?}");
            assert_eq!(part.contains(text), expected, "{pattern} as a part, and {text:?}");
        }
    }
}

#[test]
fn a_mark_with_repeated_characters_ends_at_its_first_occurrence() {
    let language = Language::any().until_first("aab").expect("a small language");
    for (text, expected) in [
        ("aab", true),
        ("aaab", true),
        ("caab", true),
        ("aabaab", false),
        ("ab", false),
    ] {
        assert_eq!(language.contains(text), expected, "{text}");
    }
}

/// A random pattern.
enum Random {
    /// One of these characters.
    Set(&'static str),
    Sequence(Box<Self>, Box<Self>),
    Choice(Box<Self>, Box<Self>),
    /// A loop: its body, the least and the greatest number of repetitions, and its mark, such as `{1,3}?`.
    Loop(Box<Self>, usize, usize, String),
}

impl Random {
    fn new(next: &mut impl FnMut(usize) -> usize, depth: u32) -> Self {
        const LOOPS: [(&str, usize, usize); 7] = [
            ("*", 0, usize::MAX),
            ("+", 1, usize::MAX),
            ("?", 0, 1),
            ("{2}", 2, 2),
            ("{1,3}", 1, 3),
            ("{0,2}", 0, 2),
            ("{2,}", 2, usize::MAX),
        ];
        let part = |next: &mut _| Box::new(Self::new(next, depth - 1));
        match next(if depth == 0 { 3 } else { 8 }) {
            0 => Self::Set("a"),
            1 => Self::Set("b"),
            2 => Self::Set("ab"),
            3 | 4 => Self::Sequence(part(next), part(next)),
            5 => Self::Choice(part(next), part(next)),
            _ => {
                let (mark, least, most) = LOOPS[next(LOOPS.len())];
                let lazy = ["", "?"][next(2)];
                Self::Loop(part(next), least, most, format!("{mark}{lazy}"))
            }
        }
    }

    fn source(&self) -> String {
        match self {
            Self::Set(characters) => format!("[{characters}]"),
            Self::Sequence(first, second) => first.source() + &second.source(),
            Self::Choice(one, other) => format!("(?:{}|{})", one.source(), other.source()),
            Self::Loop(body, _, _, mark) => format!("(?:{}){mark}", body.source()),
        }
    }

    /// Returns the positions at which a match can end that begins at one of `starts`.
    fn ends(&self, text: &str, starts: &BTreeSet<usize>) -> BTreeSet<usize> {
        match self {
            Self::Set(characters) => starts
                .iter()
                .filter(|at| text[**at..].starts_with(|next| characters.contains(next)))
                .map(|at| at + 1)
                .collect(),
            Self::Sequence(first, second) => second.ends(text, &first.ends(text, starts)),
            Self::Choice(one, other) => &one.ends(text, starts) | &other.ends(text, starts),
            Self::Loop(body, least, most, _) => {
                let (mut all, mut ends) = (BTreeSet::new(), starts.clone());
                for count in 0..=(*most).min(least + text.len() + 1) {
                    if count >= *least {
                        all.extend(&ends);
                    }
                    ends = body.ends(text, &ends);
                }
                all
            }
        }
    }
}

#[test]
fn matches_ends_and_is_right_for_random_loops() {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("a small number")
    };
    for _ in 0..3000 {
        let random = Random::new(&mut next, 3);
        let pattern = format!("^{}$", random.source());
        for _ in 0..6 {
            let text: String = (0..next(9)).map(|_| ["a", "b"][next(2)]).collect();
            let expected = random.ends(&text, &BTreeSet::from([0])).contains(&text.len());
            // Shows the pattern if the call does not end.
            println!("{pattern} and {text:?}");
            assert_eq!(
                kit_pattern::matches(&pattern, &text),
                Some(expected),
                "{pattern} and {text:?}"
            );
            // With a lookahead, the pattern is no language.
            let with_condition = format!("(?=^){pattern}");
            if kit_pattern::check(&with_condition).is_harmless(None) {
                println!("{with_condition}");
                assert!(kit_pattern::matches(&with_condition, &text).is_some());
            }
        }
    }
}

#[test]
fn greedy_removes_only_the_question_marks_that_make_a_loop_lazy() {
    for (pattern, expected) in [
        (r"^(?:b?)+?$", r"^(?:b?)+$"),
        ("a??", "a?"),
        ("a*?b{2}?c{2,}?d{2,3}?", "a*b{2}c{2,}d{2,3}"),
        ("(?<n>a??)", "(?<n>a?)"),
        ("[*?]+?", "[*?]+"),
        (r"[\]*?]*?", r"[\]*?]*"),
        (r"\*?\??\+?", r"\*?\??\+?"),
        (r"\u{61}?", r"\u{61}?"),
        ("(?:a)?(?=b)(?!c)(?<=d)(?<!e)", "(?:a)?(?=b)(?!c)(?<=d)(?<!e)"),
        ("(?=(?:a?)+?)", "(?=(?:a?)+)"),
        ("ä+?", "ä+"),
    ] {
        assert_eq!(
            kit_pattern::greedy(pattern).as_deref(),
            Some(expected),
            "{pattern}"
        );
    }
    assert_eq!(kit_pattern::greedy(r"(a*?)\1"), None);
}

#[test]
fn matches_judges_lazy_loops_beside_conditions_and_back_references() {
    for (pattern, text, expected) in [
        ("^(?:a)+?(?=b)", "aab", true),
        ("^(?=.)(?:b?)+?$", "bb", true),
        ("^(?=.)(?:b?)+?$", "ba", false),
        (r"^(?=.)[*?]+?$", "?*", true),
        (r"^(?=.)a\*?$", "a*", true),
        (r"^(a*?)\1$", "aa", true),
    ] {
        assert_eq!(
            kit_pattern::matches(pattern, text),
            Some(expected),
            "{pattern} and {text:?}"
        );
    }
}
