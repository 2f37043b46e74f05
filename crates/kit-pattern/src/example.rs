//! Creates texts that match a pattern, for examples and tests.

use crate::ast::Node;
use crate::language::Language;
use crate::parse::{greedy, parse};
use crate::set::Set;

/// Characters that are easy to read. If a set contains any of these characters, an example uses one of them.
const READABLE: &str = "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ-_. ";

/// Maximum number of steps that the exact test for one text may take.
const MAX_TEST_STEPS: usize = 100_000_000;

/// Returns true if a text matches a pattern, like `new RegExp(pattern, "u").test(text)`. The pattern must be valid there. Returns
/// `None` if neither kit nor the crate `regress` can read the pattern.
///
/// ```
/// assert_eq!(kit_pattern::matches("^[a-z]+$", "abc"), Some(true));
/// assert_eq!(kit_pattern::matches("^[a-z]+$", "ABC"), Some(false));
/// assert_eq!(kit_pattern::matches("^(?:a?)+?$", "ab"), Some(false));
/// ```
pub fn matches(pattern: &str, text: &str) -> Option<bool> {
    let length = text.chars().count() + 1;
    let language = Language::of_pattern(pattern).filter(|language| {
        let states = language.states.len();
        states.saturating_mul(states).saturating_mul(length) <= MAX_TEST_STEPS
    });
    if let Some(language) = language {
        return Some(language.contains(text));
    }
    // regress never ends for some lazy loops whose body may be empty. For some nested loops with counts, its result is wrong.
    let greedy = greedy(pattern);
    let compiled = regress::Regex::with_flags(greedy.as_deref().unwrap_or(pattern), "u").ok()?;
    Some(compiled.find(text).is_some())
}

/// Returns a text of `least` to `most` characters that matches a pattern. Returns `None` if the search found no text, which
/// does not prove that there is none.
///
/// ```
/// assert_eq!(kit_pattern::example("^[a-z]{3}-[0-9]+$", 0, None).as_deref(), Some("aaa-0"));
/// assert_eq!(kit_pattern::example("^[a-z]+$", 5, Some(5)).as_deref(), Some("aaaaa"));
/// assert_eq!(kit_pattern::example("^[a-z]{3}$", 4, None), None);
/// ```
pub fn example(pattern: &str, least: usize, most: Option<usize>) -> Option<String> {
    let node = parse(pattern).ok()?;
    let shortest = usize::try_from(node.width().0).ok()?;
    if most.is_some_and(|most| shortest > most || least > most) {
        return None;
    }
    let mut extra = least.saturating_sub(shortest);
    let mut text = String::new();
    write(&node, &mut extra, &mut text)?;
    // If the pattern has no anchor at its end, any characters may follow.
    text.extend(std::iter::repeat_n('a', extra));
    let length = text.chars().count();
    let fits = length >= least && most.is_none_or(|most| length <= most);
    (fits && matches(pattern, &text) == Some(true)).then_some(text)
}

/// Appends the shortest text that the node matches. If the node can match more, extends the text by up to `extra`
/// characters and reduces `extra`.
fn write(node: &Node, extra: &mut usize, text: &mut String) -> Option<()> {
    match node {
        Node::Set(set) => text.push(readable_char(set)?),
        // These conditions are ignored here, because the caller tests if the finished text matches.
        Node::Start | Node::End | Node::Condition | Node::Look(_) => {}
        Node::Sequence(parts) => parts.iter().try_for_each(|part| write(part, extra, text))?,
        Node::Choice(parts) => {
            let shortest = parts.iter().min_by_key(|part| part.width().0)?;
            write(shortest, extra, text)?;
        }
        Node::Repeat { body, min, max } => {
            for _ in 0..*min {
                write(body, extra, text)?;
            }
            let width = usize::try_from(body.width().0).ok()?;
            let mut count = *min;
            while width > 0 && width <= *extra && max.is_none_or(|max| count < max) {
                *extra -= width;
                count += 1;
                write(body, extra, text)?;
            }
        }
    }
    Some(())
}

fn readable_char(set: &Set) -> Option<char> {
    READABLE
        .chars()
        .find(|character| set.contains(u32::from(*character)))
        .or_else(|| {
            let mut firsts = set.ranges().iter().map(|(first, _)| *first);
            firsts.find_map(char::from_u32)
        })
}

#[cfg(test)]
mod tests {
    use super::{example, matches};

    #[test]
    fn finds_texts_that_match_the_pattern() {
        for (pattern, least, most) in [
            ("^[a-z0-9]+(?:-[a-z0-9]+)*$", 0, None),
            ("^[a-z0-9]+(?:-[a-z0-9]+)*$", 63, Some(63)),
            ("^\\p{Lu}\\p{Ll}+$", 4, Some(10)),
            ("^(?:red|green|blue)$", 0, Some(5)),
            ("[0-9]{2}", 20, Some(20)),
            ("^(?!a)[a-z]$", 0, None),
        ] {
            let Some(text) = example(pattern, least, most) else {
                // The search does not support lookaheads.
                assert!(pattern.contains("(?!"), "{pattern}");
                continue;
            };
            assert_eq!(matches(pattern, &text), Some(true), "{pattern}: {text}");
            assert!(text.chars().count() >= least, "{pattern}: {text}");
        }
        assert_eq!(matches("(", "a"), None);
    }
}
