//! Public keys of JSON Web Key sets (RFC 7517), and the choice of the keys that may have signed a token.

use std::collections::HashSet;

use jsonwebtoken::DecodingKey;

use super::algorithm::{Algorithm, Family};
use super::weak_rsa::weakness_of_rsa;
use crate::bytes::from_base64url;
use crate::json::{Json, parse};

/// Maximum number of keys that fit one token. Tokens without `kid` are tried with each key, and each try costs a
/// verification.
pub(super) const MOST_CANDIDATES: usize = 10;

/// Maximum number of keys in a JWK set.
const MOST_KEYS: usize = 100;

/// Members of a JWK that only private and secret keys have (RFC 7518, sections 6.2.2, 6.3.2 and 6.4.1; RFC 9964).
const SECRET_MEMBERS: [&str; 9] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k", "priv"];

/// Public keys of a JWK set.
pub(super) struct KeySet(Vec<PublicKey>);

struct PublicKey {
    family: Family,
    /// Values of `kid` and `alg`. `None` if the key does not have the member.
    id: Option<Json>,
    algorithm: Option<Json>,
    /// `None` if the numbers of the key are no public key of its family.
    key: Option<DecodingKey>,
}

impl KeySet {
    /// Reads a JWK set from JSON.
    ///
    /// # Errors
    ///
    /// If the text is not a JWK set, has too many keys, has two keys with the same id and type, or has a private, secret or
    /// unsafe key.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let set = parse(text).map_err(|error| format!("the JWK set is not JSON: {error:?}"))?;
        let Some(Json::Array(keys)) = set.get("keys") else {
            return Err("a JWK set must be an object with the list `keys`".to_owned());
        };
        if keys.len() > MOST_KEYS {
            return Err(format!(
                "the JWK set has {} keys, and at most {MOST_KEYS} are allowed",
                keys.len()
            ));
        }
        let mut ids = Vec::new();
        let mut public = Vec::new();
        for (index, key) in keys.iter().enumerate() {
            let Some(kind) = key.get("kty").and_then(text_of) else {
                return Err(format!("key {index} of the JWK set has no `kty`"));
            };
            if let Some(secret) = SECRET_MEMBERS.iter().find(|member| key.get(member).is_some()) {
                return Err(format!(
                    "key {index} of the JWK set is a private or secret key, because it has the member `{secret}`; \
                     use public keys only"
                ));
            }
            if kind == "RSA" {
                if let Some(weakness) = weakness_of_rsa(numbers(key, "n"), numbers(key, "e")) {
                    return Err(format!("key {index} of the JWK set is not safe: {weakness}"));
                }
            }
            if let Some(id) = key.get("kid") {
                let name = (kind, id, key.get("alg"));
                if ids.contains(&name) {
                    let id = text_of(id).unwrap_or_default();
                    return Err(format!("the JWK set has two keys with the `kid` {id:?}"));
                }
                ids.push(name);
            }
            public.extend(read_key(kind, key));
        }
        Ok(Self(public))
    }

    /// Returns the keys that fit the header of a token. A key that fits, but cannot be used, is `None`.
    pub(super) fn find(&self, algorithm: Algorithm, id: Option<&Json>) -> Vec<&DecodingKey> {
        let fits = |key: &&PublicKey| {
            key.family == algorithm.family()
                && id.is_none_or(|id| matches!(id, Json::String(_)) && key.id.as_ref() == Some(id))
                && key
                    .algorithm
                    .as_ref()
                    .is_none_or(|own| text_of(own) == Some(algorithm.name()))
        };
        let fitting = self.0.iter().filter(fits);
        fitting
            .filter_map(|key| key.key.as_ref())
            .take(MOST_CANDIDATES)
            .collect()
    }
}

/// Reads a public key. Returns `None` for keys that verify no signatures, such as keys for encryption.
fn read_key(kind: &str, key: &Json) -> Option<PublicKey> {
    let curve = key.get("crv").and_then(text_of);
    let family = match (kind, curve) {
        ("RSA", _) => Family::Rsa,
        ("EC", Some("P-256")) => Family::P256,
        ("EC", Some("P-384")) => Family::P384,
        ("OKP", Some("Ed25519")) => Family::Ed25519,
        _ => return None,
    };
    let is_for_signatures = key.get("use").is_none_or(|own| text_of(own) == Some("sig"))
        && key.get("ext").is_none_or(|own| matches!(own, Json::Bool(_)))
        && key.get("key_ops").is_none_or(may_verify);
    if !is_for_signatures {
        return None;
    }
    Some(PublicKey {
        family,
        id: key.get("kid").cloned(),
        algorithm: key.get("alg").cloned(),
        key: decoding_key(family, key),
    })
}

/// Returns true if the operations of a key include `verify`, and no operation twice (RFC 7517, section 4.3).
fn may_verify(operations: &Json) -> bool {
    let Json::Array(operations) = operations else {
        return false;
    };
    let texts: Option<Vec<&str>> = operations.iter().map(text_of).collect();
    texts.is_some_and(|texts| {
        let distinct: HashSet<_> = texts.iter().collect();
        distinct.len() == texts.len() && texts.contains(&"verify")
    })
}

fn decoding_key(family: Family, key: &Json) -> Option<DecodingKey> {
    let exactly = |name: &str, length: usize| numbers(key, name).filter(|bytes| bytes.len() == length);
    let point = |length| {
        let (x, y) = (exactly("x", length)?, exactly("y", length)?);
        Some(DecodingKey::from_ec_der(
            &[&[4], x.as_slice(), y.as_slice()].concat(),
        ))
    };
    match family {
        Family::Rsa => {
            let (n, e) = (numbers(key, "n")?, numbers(key, "e")?);
            Some(DecodingKey::from_rsa_raw_components(
                without_zeros(&n),
                without_zeros(&e),
            ))
        }
        Family::P256 => point(32),
        Family::P384 => point(48),
        Family::Ed25519 => Some(DecodingKey::from_ed_der(&exactly("x", 32)?)),
        Family::Secret => None,
    }
}

/// Returns the bytes of a member in base64url.
fn numbers(key: &Json, name: &str) -> Option<Vec<u8>> {
    from_base64url(text_of(key.get(name)?)?)
}

fn without_zeros(number: &[u8]) -> &[u8] {
    let first = number.iter().position(|byte| *byte != 0);
    &number[first.unwrap_or(number.len())..]
}

pub(super) fn text_of(value: &Json) -> Option<&str> {
    match value {
        Json::String(text) => Some(text),
        _ => None,
    }
}
