//! Stack size for functions that recurse over the syntax tree of a file.
//!
//! The parser and visitors of a syntax tree recurse for each level of nesting. The depth of a file is at most
//! the number of its tokens that can nest. This module counts these tokens, and runs work on a stack that is
//! large enough for all tokens. The stack only reserves addresses: memory pages that are never used cost
//! nothing.

/// Number of bytes of stack for one level of nesting: the greatest size that was measured, with a margin.
const LEVEL: usize = if cfg!(debug_assertions) {
    8 * 1024
} else {
    2 * 1024
};

/// Number of bytes of stack for all work that does not recurse.
const BASE: usize = 1024 * 1024;

/// Maximum number of bytes of a stack. A file with more than 100,000 tokens that can nest gets this size. It
/// would be too small only if one expression had all these tokens.
const MAX: usize = 512 * 1024 * 1024;

/// Number of bytes of stack that the compiler needs to process a file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StackSize(usize);

impl StackSize {
    /// Returns the stack size for a file. Reads each byte of the text, so it should be called once for a
    /// file.
    pub(crate) fn for_text(text: &str) -> Self {
        Self((BASE + nesting(text) * LEVEL).min(MAX))
    }

    /// Runs work that recurses over the syntax tree, on a large enough stack.
    pub(crate) fn run<R>(self, work: impl FnOnce() -> R) -> R {
        stacker::maybe_grow(self.0, self.0, work)
    }
}

/// Returns an upper limit of the depth of nesting: the number of tokens after which a nested expression, type
/// or statement may follow. Chains such as `a.b.c` and `a + b + c` are nested in the tree, but the parser
/// does not recurse.
fn nesting(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut count = 0;
    for (index, byte) in bytes.iter().enumerate() {
        count += match byte {
            b'(' | b'[' | b'{' | b'<' | b'?' | b':' | b'=' | b'!' | b'~' | b'+' | b'-' | b'*' | b'/'
            | b'%' | b'&' | b'|' | b'^' | b'.' | b'`' | b'@' | b',' | b'>' => 1,
            // Keywords such as `keyof`, `new` and `else` can nest. Each word before whitespace counts as a
            // keyword.
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
    fn counts_a_token_for_each_construct_that_can_nest() {
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
