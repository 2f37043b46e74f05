//! Access tokens: Project Wycheproof's vectors of JSON Web Signature and JSON Web Key, and the claims and keys of tokens.

// Vectors are files, a helper of a test may fail the test, and its arguments are literals.
#![allow(
    clippy::disallowed_methods,
    clippy::needless_pass_by_value,
    clippy::unwrap_used
)]

use std::time::{Duration, SystemTime};

use kit_runtime::jwt::{Jwt, JwtError, JwtKeys, JwtOptions};
use kit_runtime::{Caller as _, Value, value};

/// Vectors whose result is not as they say, with the reason. The list is that of `packages/auth/test/wycheproof.test.ts`.
const EXCEPTIONS: [(&str, u64, &str); 8] = [
    (
        SIGNATURES,
        346,
        "the `alg` of the key is PS256, and the token has PS384",
    ),
    (
        SIGNATURES,
        347,
        "the `alg` of the key is ES521, which does not exist",
    ),
    (SIGNATURES, 350, "as 346"),
    (SIGNATURES, 351, "as 347"),
    (
        SIGNATURES,
        367,
        "the text is that of a valid vector: the padding is missing",
    ),
    (SIGNATURES, 370, "as 367"),
    (
        SIGNATURES,
        372,
        "the character ? is not of base64url (RFC 7515, section 2)",
    ),
    (SIGNATURES, 373, "as 372"),
];

const SIGNATURES: &str = "json_web_signature_test.json";

/// Reason for which a token with a valid signature is refused, because its payload has no claims.
const NO_CLAIMS: &str = "The claims are not a JSON object";

fn groups(file: &str) -> Vec<Value> {
    let path = format!(
        "{}/../../conformance/wycheproof/{file}",
        env!("CARGO_MANIFEST_DIR")
    );
    let text = std::fs::read_to_string(path).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    file["testGroups"].as_array().unwrap().clone()
}

/// Returns the verifier for the keys of a group. Secrets are passed as bytes, without `kid`. A set with two secrets of one
/// `kid` stays a set, because bytes cannot express it.
fn verifier(group: &Value) -> Result<Jwt, String> {
    let given = group.get("public").or_else(|| group.get("private")).unwrap();
    let keys = given
        .get("keys")
        .map_or_else(|| vec![given.clone()], |keys| keys.as_array().unwrap().clone());
    let mut ids: Vec<_> = keys
        .iter()
        .map(|key| key.get("kid").map(Value::to_string))
        .collect();
    ids.sort();
    ids.dedup();
    let is_of_secrets = keys.iter().all(|key| key["kty"] == "oct") && ids.len() == keys.len();
    let options = if is_of_secrets {
        let secrets: Vec<_> = keys.iter().map(|key| bytes(key["k"].as_str().unwrap())).collect();
        let options = JwtOptions::new("i", "a", JwtKeys::secrets(secrets));
        match keys[0]["alg"].as_str() {
            Some(algorithm) => options.algorithms([algorithm]),
            None => options,
        }
    } else {
        JwtOptions::new("i", "a", JwtKeys::set(value!({ "keys": keys }).to_string()))
    };
    options.build().map_err(|error| error.to_string())
}

fn bytes(base64url: &str) -> Vec<u8> {
    let mut bits = 0_u32;
    let mut count = 0;
    let mut found = Vec::new();
    for character in base64url.bytes() {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let digit = alphabet.iter().position(|known| *known == character).unwrap();
        bits = bits << 6 | u32::try_from(digit).unwrap();
        count += 6;
        if count >= 8 {
            count -= 8;
            found.push(u8::try_from(bits >> count & 0xff).unwrap());
        }
    }
    found
}

/// Returns `accepted` if the signature is right, else the reason of the refusal.
async fn verdict(group: &Value, vector: &Value) -> String {
    let jwt = match verifier(group) {
        Ok(jwt) => jwt,
        Err(error) => return format!("keys refused: {error}"),
    };
    let token = match &vector["jws"] {
        Value::String(token) => token.clone(),
        other => other.to_string(),
    };
    match jwt.verify(&token).await {
        Ok(_) => "accepted".to_owned(),
        Err(JwtError::Invalid(reason)) if reason == NO_CLAIMS => "accepted".to_owned(),
        Err(error) => error.to_string(),
    }
}

#[tokio::test]
async fn accepts_and_refuses_the_vectors_of_wycheproof_as_they_say() {
    for (file, count) in [(SIGNATURES, 401), ("json_web_key_test.json", 26)] {
        let mut wrong = Vec::new();
        let mut found_count = 0;
        for group in groups(file) {
            for vector in group["tests"].as_array().unwrap() {
                found_count += 1;
                let found = verdict(&group, vector).await;
                let is_accepted = found == "accepted";
                let id = vector["tcId"].as_u64().unwrap();
                let is_exception = EXCEPTIONS
                    .iter()
                    .any(|(name, known, _)| *name == file && *known == id);
                let is_as_said = is_accepted == (vector["result"] == "valid");
                if is_as_said != is_exception {
                    continue;
                }
                wrong.push(format!(
                    "{} {id} {}: {}, but {found}",
                    group["comment"], vector["comment"], vector["result"]
                ));
            }
        }
        assert_eq!(wrong, Vec::<String>::new());
        assert_eq!(found_count, count);
    }
}

#[tokio::test]
async fn refuses_the_encrypted_tokens_of_wycheproof_because_kit_does_not_decrypt_tokens() {
    let jwt = JwtOptions::new("i", "a", JwtKeys::secrets([SECRET.to_vec()]))
        .build()
        .unwrap();
    let mut refused = 0;
    for group in groups("json_web_encryption_test.json") {
        for vector in group["tests"].as_array().unwrap() {
            let verified = jwt.verify(vector["jwe"].as_str().unwrap()).await;
            assert!(
                matches!(verified, Err(JwtError::Invalid(_))),
                "{}",
                vector["tcId"]
            );
            refused += 1;
        }
    }
    assert_eq!(refused, 139);
}

const SECRET: &[u8; 64] = b"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn now() -> u64 {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

/// Returns a token with valid claims, changed by `claims`; `null` removes a claim.
fn signed(claims: Value, header: Value) -> String {
    let mut all = value!({ "iss": "https://id.example/", "aud": "shop", "sub": "ada", "exp": now() + 60 });
    for (name, claim) in claims.as_object().unwrap() {
        if claim.is_null() {
            all.as_object_mut().unwrap().remove(name);
        } else {
            all[name] = claim.clone();
        }
    }
    let message = format!("{}.{}", text(&header), text(&all));
    let key = jsonwebtoken::EncodingKey::from_secret(SECRET);
    let signature =
        jsonwebtoken::crypto::sign(message.as_bytes(), &key, jsonwebtoken::Algorithm::HS256).unwrap();
    format!("{message}.{signature}")
}

fn text(part: &Value) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let bytes = part.to_string().into_bytes();
    let mut found = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk
            .iter()
            .fold(0_usize, |number, byte| number << 8 | usize::from(*byte))
            << (8 * (3 - chunk.len()));
        for digit in 0..=chunk.len() {
            found.push(char::from(alphabet[number >> (18 - 6 * digit) & 63]));
        }
    }
    found
}

fn options() -> JwtOptions {
    JwtOptions::new("https://id.example/", "shop", JwtKeys::secret(*SECRET))
}

#[tokio::test]
async fn refuses_tokens_whose_claims_or_header_are_wrong() {
    let plain = || value!({ "alg": "HS256" });
    let now = now();
    let jwt = options().build().unwrap();
    let good = signed(value!({}), plain());
    assert_eq!(jwt.verify(&good).await.unwrap().subject(), "ada");
    for (claims, header) in [
        (
            value!({ "aud": ["other", "shop"], "exp": now - 2, "nbf": now + 2, "iat": 1.5 }),
            plain(),
        ),
        (
            value!({}),
            value!({ "alg": "HS256", "typ": "application/AT+JWT" }),
        ),
        (
            value!({}),
            value!({ "alg": "HS256", "crit": ["b64"], "b64": true }),
        ),
    ] {
        let token = signed(claims.clone(), header);
        assert!(jwt.verify(&token).await.is_ok(), "{claims}");
    }
    for (claims, header) in [
        (value!({ "iss": "https://other.example/" }), plain()),
        (value!({ "iss": ["https://id.example/"] }), plain()),
        (value!({ "aud": ["other"] }), plain()),
        (value!({ "aud": null }), plain()),
        (value!({ "exp": now - 6 }), plain()),
        (value!({ "exp": null }), plain()),
        (value!({ "exp": "4102444800" }), plain()),
        (value!({ "nbf": now + 60 }), plain()),
        (value!({ "nbf": "0" }), plain()),
        (value!({ "iat": "0" }), plain()),
        (value!({ "sub": "" }), plain()),
        (value!({ "sub": null }), plain()),
        (value!({ "sub": 7 }), plain()),
        (value!({ "sub": "a".repeat(256) }), plain()),
        (value!({ "text": "a".repeat(8200) }), plain()),
        (value!({}), value!({ "alg": "HS256", "typ": "logout+jwt" })),
        (value!({}), value!({ "alg": "HS256", "crit": ["x"], "x": 1 })),
        (value!({}), value!({ "alg": "HS256", "crit": [] })),
        (
            value!({}),
            value!({ "alg": "HS256", "crit": ["b64"], "b64": false }),
        ),
        (value!({}), value!({ "alg": "HS512" })),
        (value!({}), value!({ "alg": "none" })),
        (value!({}), value!({ "alg": ["HS256"] })),
        (value!({}), value!({})),
    ] {
        let token = signed(claims.clone(), header.clone());
        assert!(jwt.verify(&token).await.is_err(), "{claims} {header}");
    }
    let (message, _) = good.rsplit_once('.').unwrap();
    for token in [
        "",
        ".",
        "..",
        "...",
        &format!("{good}.a"),
        &format!("{message}."),
        message,
        &format!("{good}="),
    ] {
        assert!(jwt.verify(token).await.is_err(), "{token}");
    }
    let strict = options()
        .token_type("at+jwt")
        .clock_tolerance(Duration::ZERO)
        .build()
        .unwrap();
    assert!(strict.verify(&good).await.is_err());
    assert!(
        strict
            .verify(&signed(value!({}), value!({ "alg": "HS256", "typ": "at+jwt" })))
            .await
            .is_ok()
    );
}

#[tokio::test]
async fn grants_only_scopes_that_the_application_knows() {
    let jwt = options().scopes(["orders:read", "orders:write"]).build().unwrap();
    let scope = value!({ "scope": "orders:write admin orders:read orders:write" });
    let caller = jwt
        .verify(&signed(scope, value!({ "alg": "HS256" })))
        .await
        .unwrap();
    assert_eq!(caller.scopes(), ["orders:write", "orders:read"]);
    assert!(caller.has("orders:read") && !caller.has("admin"));
}

#[tokio::test]
async fn accepts_old_and_new_secrets_while_one_replaces_the_other() {
    let token = signed(value!({}), value!({ "alg": "HS256" }));
    let keys =
        |secrets: Vec<Vec<u8>>| JwtOptions::new("https://id.example/", "shop", JwtKeys::secrets(secrets));
    let both = keys(vec![vec![7; 32], SECRET.to_vec()]).build().unwrap();
    assert!(both.verify(&token).await.is_ok());
    let other = keys(vec![vec![7; 32]]).build().unwrap();
    assert!(other.verify(&token).await.is_err());
}

#[test]
fn refuses_options_that_would_make_tokens_unsafe() {
    let message = |options: JwtOptions| options.build().unwrap_err().to_string();
    let with = |keys| JwtOptions::new("i", "a", keys);
    for (options, expected) in [
        (
            with(JwtKeys::secret("short")),
            "the secret has 5 bytes, and HS256 needs at least 32",
        ),
        (with(JwtKeys::secrets(Vec::<Vec<u8>>::new())), "1 to 10 secrets"),
        (
            with(JwtKeys::url("http://id.example/keys")),
            "must begin with https:",
        ),
        (with(JwtKeys::url("https://a:b@id.example/keys")), "no password"),
        (with(JwtKeys::set("{}")), "the list `keys`"),
        (with(JwtKeys::set("[")), "not JSON"),
        (
            with(JwtKeys::set(r#"{"keys":[{"kty":"oct","k":"AA"}]}"#)),
            "private or secret key",
        ),
        (
            with(JwtKeys::set(r#"{"keys":[{"kty":"RSA","n":"AQAB","e":"AQ"}]}"#)),
            "exponent",
        ),
        (
            options().algorithms(["none"]),
            "`algorithms` must be of HS256, HS384, HS512",
        ),
        (options().algorithms(["RS256"]), "because the keys are secrets"),
        (options().algorithms([]), "`algorithms`"),
        (
            with(JwtKeys::set(r#"{"keys":[]}"#)).algorithms(["HS256"]),
            "because the keys are public keys",
        ),
        (
            with(JwtKeys::set(r#"{"keys":[]}"#)).algorithms(["ES512"]),
            "RS256",
        ),
        (options().scopes(["a b"]), "`scopes`"),
        (options().realm("a\"b"), "`realm`"),
        (
            options().clock_tolerance(Duration::from_secs(301)),
            "`clock_tolerance`",
        ),
        (options().max_token_length(1), "`max_token_length`"),
        (
            options().key_cache(kit_runtime::jwt::KeyCache::default()),
            "needs a URL",
        ),
        (options().or_audience(""), "`audience`"),
        (options().or_issuer(""), "`issuer`"),
    ] {
        let found = message(options);
        assert!(found.starts_with("jwt: ") && found.contains(expected), "{found}");
    }
}
