//! Algorithms of signatures (RFC 7518, section 3.1).

use jsonwebtoken::Algorithm as Library;

/// Kind of the keys of an algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    Secret,
    Rsa,
    P256,
    P384,
    Ed25519,
}

/// Algorithm of a signature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Algorithm(&'static Entry);

#[derive(Debug, PartialEq, Eq)]
struct Entry {
    name: &'static str,
    family: Family,
    library: Library,
    /// Bytes of the hash. A shorter secret weakens the signature (RFC 7518, section 3.2).
    hash: usize,
}

const fn entry(name: &'static str, family: Family, library: Library, hash: usize) -> Entry {
    Entry {
        name,
        family,
        library,
        hash,
    }
}

/// All algorithms. ES512 is missing, because ring does not have the curve P-521.
static ALL: [Entry; 13] = [
    entry("HS256", Family::Secret, Library::HS256, 32),
    entry("HS384", Family::Secret, Library::HS384, 48),
    entry("HS512", Family::Secret, Library::HS512, 64),
    entry("RS256", Family::Rsa, Library::RS256, 32),
    entry("RS384", Family::Rsa, Library::RS384, 48),
    entry("RS512", Family::Rsa, Library::RS512, 64),
    entry("PS256", Family::Rsa, Library::PS256, 32),
    entry("PS384", Family::Rsa, Library::PS384, 48),
    entry("PS512", Family::Rsa, Library::PS512, 64),
    entry("ES256", Family::P256, Library::ES256, 32),
    entry("ES384", Family::P384, Library::ES384, 48),
    entry("EdDSA", Family::Ed25519, Library::EdDSA, 64),
    entry("Ed25519", Family::Ed25519, Library::EdDSA, 64),
];

impl Algorithm {
    /// Returns the algorithm with a name.
    pub(super) fn named(name: &str) -> Option<Self> {
        ALL.iter().find(|entry| entry.name == name).map(Self)
    }

    /// Returns the algorithms of secrets, or those of public keys.
    pub(super) fn all(is_of_secrets: bool) -> Vec<Self> {
        let fitting = ALL
            .iter()
            .filter(|entry| (entry.family == Family::Secret) == is_of_secrets);
        fitting.map(Self).collect()
    }

    pub(super) fn name(self) -> &'static str {
        self.0.name
    }

    pub(super) fn family(self) -> Family {
        self.0.family
    }

    pub(super) fn hash_bytes(self) -> usize {
        self.0.hash
    }

    pub(super) fn library(self) -> Library {
        self.0.library
    }
}
