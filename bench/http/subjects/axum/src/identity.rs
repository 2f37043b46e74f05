//! Scenarios with an identity or a rate limit: jsonwebtoken, tower-sessions and tower_governor.

use std::sync::{Arc, Mutex, PoisonError};

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use axum::routing::{get, post};
use axum::{Json, Router};
use jsonwebtoken::{Algorithm, DecodingKey, Validation, decode};
use serde::{Deserialize, Serialize};
use tower_governor::GovernorLayer;
use tower_governor::governor::GovernorConfigBuilder;
use tower_sessions::cookie::Key;
use tower_sessions::{MemoryStore, Session, SessionManagerLayer};
use uuid::Uuid;

use crate::errors::AppError;
use crate::notes::Note;
use crate::store::Store;

const KNOWN: Uuid = Uuid::from_u128(0x6f1c_2f0e_9f5d_4a3b_8e0a_3d7b_1c5e_2a10);
const SECRET: &[u8; 32] = b"secretsecretsecretsecretsecretse";
const COOKIE_KEY: &str = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
const UNAUTHORIZED: AppError =
    AppError::new(StatusCode::UNAUTHORIZED, "UNAUTHORIZED", "Send valid credentials");

/// Caller of a request.
#[derive(Clone, Serialize, Deserialize)]
struct Caller {
    name: String,
}

#[derive(Deserialize)]
struct Claims {
    sub: String,
}

/// Key and rules of access tokens.
struct Verifier {
    key: DecodingKey,
    validation: Validation,
}

impl Verifier {
    fn new(algorithm: Algorithm, key: DecodingKey) -> Arc<Self> {
        let mut validation = Validation::new(algorithm);
        validation.set_issuer(&["https://id.example/"]);
        validation.set_audience(&["https://api.example/"]);
        validation.set_required_spec_claims(&["exp", "sub", "iss", "aud"]);
        Arc::new(Self { key, validation })
    }
}

/// Returns the application with the feature that the benchmark has chosen. Returns `None` for other features.
pub fn router(feature: &str) -> Option<Router> {
    let store: Arc<Mutex<Store>> = Arc::default();
    let app = Router::new().route("/note", get(note)).with_state(store);
    let authenticated = |verifier| {
        app.clone()
            .layer(axum::middleware::from_fn_with_state(verifier, authenticate))
    };
    match feature {
        "jwt-secret" => Some(authenticated(Verifier::new(
            Algorithm::HS256,
            DecodingKey::from_secret(SECRET),
        ))),
        "jwt-rsa" => {
            let pem = std::env::var("BENCH_JWT_KEY").expect("BENCH_JWT_KEY is set");
            let key = DecodingKey::from_rsa_pem(pem.as_bytes()).expect("a public key");
            Some(authenticated(Verifier::new(Algorithm::RS256, key)))
        }
        "session" => {
            let sessions = SessionManagerLayer::new(MemoryStore::default())
                .with_signed(Key::from(COOKIE_KEY.as_bytes()));
            Some(
                app.layer(axum::middleware::from_fn(read_session))
                    .route("/login", post(login))
                    .layer(sessions),
            )
        }
        "limit" => {
            let config = GovernorConfigBuilder::default()
                .per_millisecond(1)
                .burst_size(1_000_000_000)
                .use_headers()
                .finish()
                .expect("a limit");
            Some(app.layer(GovernorLayer::new(config)))
        }
        _ => None,
    }
}

async fn note(State(store): State<Arc<Mutex<Store>>>) -> Result<Json<Note>, AppError> {
    let store = store.lock().unwrap_or_else(PoisonError::into_inner);
    store.find(KNOWN).cloned().map(Json).ok_or(UNAUTHORIZED)
}

async fn authenticate(
    State(verifier): State<Arc<Verifier>>,
    headers: HeaderMap,
    mut request: Request,
    next: Next,
) -> Result<Response, AppError> {
    let token = headers
        .get(AUTHORIZATION)
        .and_then(|header| header.to_str().ok())
        .and_then(|header| header.strip_prefix("Bearer "))
        .ok_or(UNAUTHORIZED)?;
    let claims: Claims = decode(token, &verifier.key, &verifier.validation)
        .map_err(|_| UNAUTHORIZED)?
        .claims;
    request.extensions_mut().insert(Caller { name: claims.sub });
    Ok(next.run(request).await)
}

async fn login(session: Session) -> Result<StatusCode, AppError> {
    let caller = Caller {
        name: "Ada".to_owned(),
    };
    session.insert("caller", caller).await.map_err(|_| UNAUTHORIZED)?;
    Ok(StatusCode::NO_CONTENT)
}

async fn read_session(session: Session, mut request: Request, next: Next) -> Result<Response, AppError> {
    let caller: Option<Caller> = session.get("caller").await.map_err(|_| UNAUTHORIZED)?;
    request.extensions_mut().insert(caller.ok_or(UNAUTHORIZED)?);
    Ok(next.run(request).await)
}
