//! Hashes of texts, from which shared functions and constants get their names.

use sha2::{Digest as _, Sha256};

/// Returns 42 bits of the SHA-256 of texts, as seven characters of an identifier. A program with 10,000 shared functions has two
/// equal hashes with a probability of 1 in 80,000; one of the functions then gets a longer name.
pub(super) fn content_hash(texts: &[&str]) -> String {
    const CHARACTERS: &[u8; 64] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$";
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    let digest = hasher.finalize();
    let characters = digest.iter().take(7);
    characters
        .map(|byte| char::from(CHARACTERS[usize::from(byte & 63)]))
        .collect()
}

#[cfg(test)]
mod tests {
    use rustc_hash::FxHashSet;

    use super::content_hash;

    /// An earlier hash had equal results for texts that differ in two neighbouring characters.
    #[test]
    fn hashes_of_similar_texts_are_different() {
        let letters = || "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789".chars();
        let names = letters().flat_map(|first| letters().map(move |second| format!("{first}{second}")));
        let texts: FxHashSet<String> = names
            .chain((0..10_000).map(|number| number.to_string()))
            .collect();
        for before in (0..8).map(|length| " ".repeat(length)) {
            let hashes: FxHashSet<String> = texts
                .iter()
                .map(|text| content_hash(&["const ", &format!("{before}{text};\n")]))
                .collect();
            assert_eq!(hashes.len(), texts.len());
        }
    }

    /// The names are in generated files, which must be the same with every version of Rust.
    #[test]
    fn hashes_of_texts_never_change() {
        assert_eq!(content_hash(&["function ", "(value) {}\n"]), "JXlYUgT");
        assert_eq!(content_hash(&[]), "JWecy8C");
    }
}
