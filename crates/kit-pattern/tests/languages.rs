//! Languages of patterns: the texts in which `RegExp.prototype.test` finds a match.

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
            let expected = kit_pattern::matches(pattern, text).expect("a valid pattern");
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
