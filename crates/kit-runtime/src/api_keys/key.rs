//! Form of API keys: prefix, id, secret and checksum, such as `shop_9sQ2…_Zk31…`. The form is that of `createApiKey` of
//! `@kit/auth`.

use std::fmt;

use sha2_v10::{Digest as _, Sha256};

use crate::Error;
use crate::bytes::base64url;
use crate::option_error::OptionError;
use crate::random::random_bytes;

const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/// Length of the part by which a key is found: 71 bits, so that two keys are never found by the same text.
const ID_LENGTH: usize = 12;
/// Length of the secret part: 190 bits. Nobody can try so many keys, so that a fast hash is enough.
const SECRET_LENGTH: usize = 32;
/// Length of the checksum: all values of a CRC-32.
const CHECKSUM_LENGTH: usize = 6;

/// A new API key.
#[derive(Clone, PartialEq, Eq)]
pub struct NewApiKey {
    /// Key for its owner. Show the key once, and do not store it.
    pub key: String,
    /// Part of the key by which the application finds the key: `shop_9sQ2…`. Not secret.
    pub id: String,
    /// SHA-256 of the key in base64url, to store beside `id`.
    pub hash: String,
}

/// Contains only the id.
impl fmt::Debug for NewApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NewApiKey")
            .field("id", &self.id)
            .finish_non_exhaustive()
    }
}

/// Creates an API key. The prefix shows the purpose of the key, so that secret scanners and people recognize the key.
///
/// ```
/// use kit_runtime::api_keys::{create_api_key, hash_api_key};
///
/// let new = create_api_key("shop")?;
/// assert!(new.key.starts_with("shop_"));
/// assert_eq!(hash_api_key(&new.key), new.hash);
/// # Ok::<(), kit_runtime::Error>(())
/// ```
///
/// # Errors
///
/// 500 if the prefix does not have the form `shop` or `shop_test`.
pub fn create_api_key(prefix: &str) -> Result<NewApiKey, Error> {
    check_prefix(prefix)?;
    let id = format!("{prefix}_{}", random_text(ID_LENGTH)?);
    let secret = format!("{id}_{}", random_text(SECRET_LENGTH)?);
    let key = format!("{secret}{}", checksum_of(&secret));
    Ok(NewApiKey {
        hash: hash_api_key(&key),
        id,
        key,
    })
}

/// Returns the SHA-256 of an API key in base64url. The hash is fast, because a key has too many bits to try.
pub fn hash_api_key(key: &str) -> String {
    base64url(&Sha256::digest(key.as_bytes()))
}

/// Returns the id of a key, or `None` if the text is no key with this prefix. The checksum finds keys that were misspelt or
/// cut, so that they need no query.
pub(super) fn id_of<'k>(prefix: &str, key: &'k str) -> Option<&'k str> {
    let id_end = prefix.len() + 1 + ID_LENGTH;
    let secret_end = id_end + 1 + SECRET_LENGTH;
    if key.len() != secret_end + CHECKSUM_LENGTH || !key.is_ascii() {
        return None;
    }
    let (secret, checksum) = key.split_at(secret_end);
    let rest = secret.strip_prefix(prefix)?;
    let has_separators = rest.starts_with('_') && secret.as_bytes().get(id_end) == Some(&b'_');
    (has_separators && checksum_of(secret) == checksum).then(|| &key[..id_end])
}

/// Refuses a prefix from which a key could not be parsed.
pub(super) fn check_prefix(prefix: &str) -> Result<(), OptionError> {
    let is_lower = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let is_part = |part: &str| (1..=20).contains(&part.len()) && part.bytes().all(is_lower);
    let mut parts = prefix.split('_');
    let is_valid = prefix.starts_with(|first: char| first.is_ascii_lowercase())
        && parts.by_ref().take(2).all(is_part)
        && parts.next().is_none();
    if is_valid {
        return Ok(());
    }
    Err(OptionError::new(
        "API keys",
        format_args!(
            "the prefix must have lower-case letters and digits, and at most one underscore, such as shop_test, not \
             {prefix:?}"
        ),
    ))
}

/// Returns random characters of the alphabet, each with the same probability.
fn random_text(length: usize) -> Result<String, Error> {
    let mut text = String::with_capacity(length);
    while text.len() < length {
        for byte in random_bytes::<32>()? {
            // Values beyond the alphabet are dropped, because a remainder would prefer some characters.
            let character = ALPHABET.get(usize::from(byte & 63));
            if let Some(character) = character.filter(|_| text.len() < length) {
                text.push(char::from(*character));
            }
        }
    }
    Ok(text)
}

fn checksum_of(text: &str) -> String {
    let mut value = crc32(text.as_bytes());
    let mut digits = [b'0'; CHECKSUM_LENGTH];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[(value % 62) as usize];
        value /= 62;
    }
    digits.iter().copied().map(char::from).collect()
}

/// Returns the CRC-32 of zlib and PNG.
fn crc32(bytes: &[u8]) -> u32 {
    let remainder = bytes.iter().fold(u32::MAX, |remainder, byte| {
        (0..8).fold(remainder ^ u32::from(*byte), |bits, _| {
            (bits >> 1) ^ if bits & 1 == 1 { 0xEDB8_8320 } else { 0 }
        })
    });
    !remainder
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::{check_prefix, crc32, create_api_key, hash_api_key, id_of};

    #[test]
    fn creates_different_keys_with_prefix_id_and_checksum() {
        let keys: Vec<_> = (0..100)
            .filter_map(|_| create_api_key("shop_test").ok())
            .collect();
        let ids: HashSet<_> = keys.iter().map(|key| &key.id).collect();
        assert_eq!(ids.len(), 100);
        for new in &keys {
            assert_eq!(new.key.len(), "shop_test_".len() + 12 + 1 + 38);
            assert_eq!(id_of("shop_test", &new.key), Some(new.id.as_str()));
            assert_eq!(new.hash, hash_api_key(&new.key));
        }
    }

    #[test]
    fn uses_each_character_of_the_alphabet_about_equally_often() {
        let mut counts = HashMap::new();
        for _ in 0..2000 {
            let key = create_api_key("a").map(|new| new.key).unwrap_or_default();
            for character in key.chars().skip(2).take(12) {
                *counts.entry(character).or_insert(0_u32) += 1;
            }
        }
        assert_eq!(counts.len(), 62);
        // 24,000 characters, 387 of each expected: eight standard deviations are 157.
        for (character, count) in counts {
            assert!(count.abs_diff(387) < 157, "{character}: {count}");
        }
    }

    #[test]
    fn reads_the_ids_of_keys_that_node_has_created() {
        // From `createApiKey` of `@kit/auth`.
        let key = "shop_DWEBeeSKgahI_UTkqNCw9hXxhBuJqIi9W3B5ESw5vl6NG2X5abc";
        assert_eq!(id_of("shop", key), Some("shop_DWEBeeSKgahI"));
        assert_eq!(hash_api_key(key), "8hg7rKwmLr1J1c-QjcNRfOUC4ePZrlKItfDgjK4UhC8");
        assert_eq!(id_of("other", key), None);
    }

    #[test]
    fn refuses_keys_whose_prefix_length_or_checksum_is_wrong() {
        let key = create_api_key("shop").map(|new| new.key).unwrap_or_default();
        let last = if key.ends_with('a') { "b" } else { "a" };
        let misspelt = format!("{}{last}", &key[..key.len() - 1]);
        for text in [
            "",
            "shop",
            "shop_",
            "é",
            &key[1..],
            &key[..key.len() - 1],
            &misspelt,
            &format!("{key}a"),
        ] {
            assert_eq!(id_of("shop", text), None, "{text}");
        }
    }

    #[test]
    fn refuses_a_prefix_from_which_a_key_could_not_be_parsed() {
        for prefix in [
            "",
            "Shop",
            "1shop",
            "shop_",
            "_shop",
            "a_b_c",
            "shop key",
            &"a".repeat(21),
        ] {
            assert!(check_prefix(prefix).is_err(), "{prefix}");
        }
        assert_eq!(check_prefix("shop_1test"), Ok(()));
    }

    #[test]
    fn computes_the_checksum_of_zlib() {
        assert_eq!(crc32(b"123456789"), 0xCBF4_3926);
    }
}
