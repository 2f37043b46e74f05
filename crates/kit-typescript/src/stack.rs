//! Room on the stack for what recurses over a file's syntax.
//!
//! The parser and visitors of syntax trees recurse once for each level of nesting, and their depth cannot be limited from
//! outside. But a file can only be nested as deeply as it has tokens that nest, so these are counted, and the work runs on
//! a stack with room for all of them. That is memory for addresses only: what is not touched costs nothing.

/// The most that one level of nesting was seen to take, with a margin.
const LEVEL: usize = if cfg!(debug_assertions) {
    8 * 1024
} else {
    2 * 1024
};

/// What everything else may take.
const BASE: usize = 1024 * 1024;

/// Files of more than 100,000 nesting tokens get this much: beyond, all of them would have to be one expression.
const MOST: usize = 512 * 1024 * 1024;

/// How much room the syntax of a text takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room(usize);

impl Room {
    /// Looks at every byte: ask once for a text.
    pub(crate) fn of(text: &str) -> Self {
        Self((BASE + nesting(text) * LEVEL).min(MOST))
    }

    /// Runs work that recurses over the syntax.
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        stacker::maybe_grow(self.0, self.0, work)
    }
}

/// How deeply a text can be nested at most: the number of tokens after which a part of an expression, a type or a
/// statement follows. Chains such as `a.b.c` and `a + b + c` nest in the tree, though not in the parser.
fn nesting(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    for (index, byte) in bytes.iter().enumerate() {
        count += match byte {
            b'(' | b'[' | b'{' | b'<' | b'?' | b':' | b'=' | b'!' | b'~' | b'+' | b'-' | b'*' | b'/'
            | b'%' | b'&' | b'|' | b'^' | b'.' | b'`' | b'@' | b',' | b'>' => 1,
            // Keywords nest too (`keyof`, `new`, `else`, …). Each is a word in front of another token.
            byte if byte.is_ascii_whitespace() => {
                usize::from(index > 0 && bytes[index - 1].is_ascii_lowercase())
            }
            _ => 0,
        };
    }
    count
}

#[cfg(test)]
mod tests {
    use super::nesting;

    #[test]
    fn what_nests_is_counted() {
        assert_eq!(nesting("type A = string;"), 2);
        for part in [
            "keyof ",
            "A extends B ? C : ",
            "(a) => ",
            "if (a) ",
            "!",
            ".b",
            "[",
            "{ a: ",
            "new ",
            "a = ",
        ] {
            assert!(nesting(&part.repeat(100)) >= 100, "{part}");
        }
    }
}
