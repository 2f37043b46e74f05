//! Stack size for recursion over the syntax of a file.
//!
//! The parser and the visitors of syntax trees recurse once for each level of nesting, and the caller cannot limit their
//! depth. But the depth of a file is at most the number of its tokens that can nest. This module counts these tokens, and
//! runs the work on a stack that is large enough for all of them. The stack reserves only addresses: pages that are never
//! touched use no memory.

/// Maximum stack size of one level of nesting that was measured, with a margin, in bytes.
const LEVEL: usize = if cfg!(debug_assertions) {
    8 * 1024
} else {
    2 * 1024
};

/// Stack size for everything else, in bytes.
const BASE: usize = 1024 * 1024;

/// Maximum stack size, in bytes. Files with more than 100,000 nesting tokens receive this size: a single expression would
/// have to contain all of the tokens to need more.
const MAX: usize = 512 * 1024 * 1024;

/// Stack size, in bytes, that the syntax of a file needs.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StackSize(usize);

impl StackSize {
    /// Computes the stack size for a file. Reads every byte, so call this function once for each file.
    pub(crate) fn for_text(text: &str) -> Self {
        Self((BASE + nesting(text) * LEVEL).min(MAX))
    }

    /// Runs work that recurses over the syntax.
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        stacker::maybe_grow(self.0, self.0, work)
    }
}

/// Returns the maximum depth of nesting: the number of tokens after which a nested expression, type or statement may follow.
/// Chains such as `a.b.c` and `a + b + c` nest in the tree, but not in the parser.
fn nesting(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    for (index, byte) in bytes.iter().enumerate() {
        count += match byte {
            b'(' | b'[' | b'{' | b'<' | b'?' | b':' | b'=' | b'!' | b'~' | b'+' | b'-' | b'*' | b'/'
            | b'%' | b'&' | b'|' | b'^' | b'.' | b'`' | b'@' | b',' | b'>' => 1,
            // Keywords nest too (`keyof`, `new`, `else`, …). Each keyword is a word before another token.
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
    fn counts_every_token_that_can_nest() {
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
