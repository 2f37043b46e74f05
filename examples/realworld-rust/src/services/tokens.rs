//! Access tokens: JSON Web Tokens that the server signs with the secret in `AUTH_SECRET`.

use std::env;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{EncodingKey, Header, encode};
use kit_runtime::Error;
use kit_runtime::jwt::{Jwt, JwtKeys, JwtOptions};
use serde::Serialize;

/// Name of this application in its tokens, as their issuer and their audience.
const CONDUIT: &str = "conduit";

/// Lifetime of a token.
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

#[derive(Serialize)]
struct Claims {
    iss: &'static str,
    aud: &'static str,
    sub: String,
    exp: u64,
}

/// The secret of `AUTH_SECRET`; in development and tests, without that variable, a new one for each process.
static SECRET: LazyLock<Option<Vec<u8>>> = LazyLock::new(|| {
    let given = env::var("AUTH_SECRET").unwrap_or_default().into_bytes();
    let mode = env::var("NODE_ENV").unwrap_or_default();
    if given.is_empty() && matches!(mode.as_str(), "development" | "test") {
        return Some(rand::random::<[u8; 32]>().to_vec());
    }
    Some(given).filter(|secret| secret.len() >= 32)
});

/// Returns the secret of the tokens.
pub fn secret() -> Result<&'static [u8], Error> {
    let message = "AUTH_SECRET needs at least 32 bytes: openssl rand -base64 48";
    SECRET.as_deref().ok_or_else(|| Error::internal(message))
}

/// Returns a token that names the account for a week.
pub fn token_for(account_id: String) -> Result<String, Error> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
    let claims = Claims {
        iss: CONDUIT,
        aud: CONDUIT,
        sub: account_id,
        exp: (now + LIFETIME).as_secs(),
    };
    Ok(encode(
        &Header::default(),
        &claims,
        &EncodingKey::from_secret(secret()?),
    )?)
}

/// Returns the verifier of the tokens.
pub fn verifier() -> Result<&'static Jwt, Error> {
    static VERIFIER: LazyLock<Result<Jwt, String>> = LazyLock::new(|| {
        let secret = secret().map_err(|error| error.to_string())?;
        JwtOptions::new(CONDUIT, CONDUIT, JwtKeys::secret(secret))
            .clock_tolerance(Duration::ZERO)
            // The RealWorld specification also has the scheme `Token`.
            .or_scheme("Token")
            .build()
            .map_err(|error| error.to_string())
    });
    VERIFIER.as_ref().map_err(Error::internal)
}
