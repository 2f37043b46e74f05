//! Access tokens: JSON Web Tokens that the server signs with the secret in `AUTH_SECRET`.

use std::env;
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

/// Access tokens of the application.
pub struct Tokens {
    key: EncodingKey,
    verifier: Jwt,
}

impl Tokens {
    /// Reads the secret from `AUTH_SECRET`. In development and tests, without that variable, each process has a new secret.
    pub fn from_environment() -> Result<Self, Error> {
        let given = env::var("AUTH_SECRET").unwrap_or_default().into_bytes();
        let mode = env::var("NODE_ENV").unwrap_or_default();
        let is_local = matches!(mode.as_str(), "development" | "test");
        let secret = if given.is_empty() && is_local {
            rand::random::<[u8; 32]>().to_vec()
        } else {
            given
        };
        if secret.len() < 32 {
            let message = "AUTH_SECRET needs at least 32 bytes: openssl rand -base64 48";
            return Err(Error::internal(message));
        }
        let verifier = JwtOptions::new(CONDUIT, CONDUIT, JwtKeys::secret(secret.as_slice()))
            .clock_tolerance(Duration::ZERO)
            // The RealWorld specification also has the scheme `Token`.
            .or_scheme("Token")
            .build()?;
        Ok(Self {
            key: EncodingKey::from_secret(&secret),
            verifier,
        })
    }

    /// Returns a token that names the account for a week.
    pub fn token_for(&self, account_id: String) -> Result<String, Error> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        let claims = Claims {
            iss: CONDUIT,
            aud: CONDUIT,
            sub: account_id,
            exp: (now + LIFETIME).as_secs(),
        };
        Ok(encode(&Header::default(), &claims, &self.key)?)
    }

    /// Returns the verifier of the tokens.
    pub fn verifier(&self) -> &Jwt {
        &self.verifier
    }
}
