//! Access tokens: JSON Web Tokens that the server signs with the secret in `AUTH_SECRET`.

use std::env;
use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, decode, encode};
use kit_runtime::Error;
use serde::{Deserialize, Serialize};

use crate::error::AppError;

/// Lifetime of a token.
const LIFETIME: Duration = Duration::from_secs(7 * 24 * 60 * 60);

#[derive(Serialize, Deserialize)]
struct Claims {
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
        sub: account_id,
        exp: (now + LIFETIME).as_secs(),
    };
    Ok(encode(
        &Header::default(),
        &claims,
        &EncodingKey::from_secret(secret()?),
    )?)
}

/// Returns the id of the account that the header `authorization` names.
pub fn account_of(header: &str) -> Result<String, Error> {
    let mut parts = header.split(' ');
    let scheme = parts.next().unwrap_or_default();
    // The RealWorld specification also has the scheme `Token`.
    if !["bearer", "token"].contains(&scheme.to_ascii_lowercase().as_str()) {
        return Err(AppError::TokenMissing.with("is missing"));
    }
    let mut rules = Validation::new(Algorithm::HS256);
    rules.leeway = 0;
    rules.set_required_spec_claims(&["exp", "sub"]);
    let key = DecodingKey::from_secret(secret()?);
    let token = decode::<Claims>(parts.next().unwrap_or_default(), &key, &rules);
    let token = token.map_err(|_| AppError::TokenInvalid.with("is invalid"))?;
    Ok(token.claims.sub)
}
