//! HTTP/2, which the client offers over TLS because this program turns on the feature `http2` of `reqwest`.

use reqwest::Version;
use rust_server_client::models::NewSession;
use rust_server_client::routes::photos::PostSessions;
use rust_server_client::{Client, Error};

/// Checks the version that the server chooses. `Client` does not tell the version, and creates its connections in the same way.
pub async fn check(url: &str) {
    let http = reqwest::Client::new();
    let response = http.get(url).send().await.expect("a response");
    assert_eq!(response.version(), Version::HTTP_2);
}

pub async fn check_untrusted(client: Client) {
    let body = NewSession {
        email: "ada@example.com".to_owned(),
        count: 3,
        remember: None,
        topics: None,
    };
    let failed = client.photos().post_sessions(PostSessions { body }).await;
    let error = failed.expect_err("an error");
    assert!(matches!(error, Error::Transport(_)), "{error:?}");
    assert!(format!("{error:?}").contains("InvalidCertificate"), "{error:?}");
}
