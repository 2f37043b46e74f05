//! Stored hashes of passwords, in the form of the PHC: `$argon2id$v=19$m=19456,t=2,p=1$salt$hash`.

use crate::bytes::{base64_without_padding, from_base64_without_padding};

/// Highest cost of a stored hash that is verified: a hash of somebody else must not stop the server.
pub(super) const MOST_MEMORY_KIB: u32 = 1024 * 1024;
pub(super) const MOST_PASSES: u32 = 64;
pub(super) const MOST_PARALLELISM: u32 = 16;

/// Cost of a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Cost {
    /// Memory in KiB.
    pub(super) memory_kib: u32,
    /// Number of passes over the memory.
    pub(super) passes: u32,
    /// Number of lanes.
    pub(super) parallelism: u32,
}

/// Stored hash with its parts.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct StoredHash {
    pub(super) cost: Cost,
    pub(super) salt: Vec<u8>,
    pub(super) hash: Vec<u8>,
}

impl StoredHash {
    /// Returns the text to store.
    pub(super) fn text(&self) -> String {
        let Cost {
            memory_kib,
            passes,
            parallelism,
        } = self.cost;
        let (salt, hash) = (
            base64_without_padding(&self.salt),
            base64_without_padding(&self.hash),
        );
        format!("$argon2id$v=19$m={memory_kib},t={passes},p={parallelism}${salt}${hash}")
    }

    /// Reads a stored hash. Returns `None` if the text is not Argon2id of version 19, or costs too much.
    pub(super) fn read(text: &str) -> Option<Self> {
        let mut parts = text.strip_prefix("$argon2id$v=19$")?.split('$');
        let (cost, salt, hash) = (parts.next()?, parts.next()?, parts.next()?);
        let mut numbers = cost.splitn(3, ',');
        let mut number = |name: &str, most: u32| {
            let digits = numbers.next()?.strip_prefix(name)?.strip_prefix('=')?;
            let is_plain = !digits.starts_with(['0', '+']);
            let number: u32 = digits.parse().ok().filter(|_| is_plain)?;
            (number <= most).then_some(number)
        };
        let cost = Cost {
            memory_kib: number("m", MOST_MEMORY_KIB)?,
            passes: number("t", MOST_PASSES)?,
            parallelism: number("p", MOST_PARALLELISM)?,
        };
        let has_lengths = (11..=86).contains(&salt.len()) && (16..=86).contains(&hash.len());
        let is_valid = parts.next().is_none() && has_lengths && cost.memory_kib >= 8 * cost.parallelism;
        let [salt, hash] = [salt, hash].map(from_base64_without_padding);
        is_valid.then_some(Self {
            cost,
            salt: salt?,
            hash: hash?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::StoredHash;

    #[test]
    fn reads_and_writes_the_same_text() {
        let text = "$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8";
        assert_eq!(
            StoredHash::read(text).map(|hash| hash.text()).as_deref(),
            Some(text)
        );
    }

    #[test]
    fn refuses_other_forms_and_hashes_that_cost_too_much() {
        let (salt, hash) = (
            "c29tZXNhbHRzb21lc2FsdA",
            "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8",
        );
        for text in [
            String::new(),
            "password".to_owned(),
            format!("$argon2i$v=19$m=19456,t=2,p=1${salt}${hash}"),
            format!("$argon2id$v=16$m=19456,t=2,p=1${salt}${hash}"),
            format!("$argon2id$v=19$m=1048577,t=2,p=1${salt}${hash}"),
            format!("$argon2id$v=19$m=19456,t=65,p=1${salt}${hash}"),
            format!("$argon2id$v=19$m=19456,t=2,p=17${salt}${hash}"),
            format!("$argon2id$v=19$m=7,t=2,p=1${salt}${hash}"),
            format!("$argon2id$v=19$m=019456,t=2,p=1${salt}${hash}"),
            format!("$argon2id$v=19$m=+19456,t=2,p=1${salt}${hash}"),
            format!("$argon2id$v=19$m=19456,t=2,p=0${salt}${hash}"),
            format!("$argon2id$v=19$m=19456,t=2${salt}${hash}"),
            format!("$argon2id$v=19$m=19456,t=2,p=1,x=1${salt}${hash}"),
            format!("$argon2id$v=19$m=19456,t=2,p=1${salt}"),
            format!("$argon2id$v=19$m=19456,t=2,p=1${salt}${hash}$"),
            format!("$argon2id$v=19$m=19456,t=2,p=1$c2FsdA${hash}"),
            format!("$argon2id$v=19$m=19456,t=2,p=1${salt}$AAEC"),
            format!("$argon2id$v=19$m=19456,t=2,p=1${salt}=${hash}"),
            format!("$argon2id$v=19$m=19456,t=2,p=1${salt}$é{hash}"),
        ] {
            assert!(StoredHash::read(&text).is_none(), "{text}");
        }
    }
}
