//! Server for the cases of `conformance/http-raw.json`. It responds to each request with the request itself.

use std::process::ExitCode;

use kit_runtime::axum::Router;
use kit_runtime::axum::body::to_bytes;
use kit_runtime::axum::extract::Request;
use kit_runtime::axum::http::Uri;
use kit_runtime::axum::response::IntoResponse;
use kit_runtime::{StatusCode, header, value};

fn main() -> ExitCode {
    kit_runtime::run(kit_runtime::serve(Router::new().fallback(echo)))
}

async fn echo(request: Request) -> impl IntoResponse {
    let (parts, body) = request.into_parts();
    let Ok(body) = to_bytes(body, 1024 * 1024).await else {
        let said = value!({ "error": { "code": "BODY_NOT_READ" } });
        return (
            StatusCode::BAD_REQUEST,
            [(header::CONTENT_TYPE, "application/json")],
            said.to_string(),
        );
    };
    // Decodes the body as Latin-1.
    let body: String = body.iter().map(|byte| char::from(*byte)).collect();
    let said =
        value!({ "method": parts.method.as_str(), "target": target(&parts.uri), "body": body });
    (
        StatusCode::OK,
        [(header::CONTENT_TYPE, "application/json")],
        said.to_string(),
    )
}

/// Returns the path and query of a request target. Removes the scheme and host of an absolute target.
fn target(uri: &Uri) -> &str {
    uri.path_and_query().map_or("", |target| target.as_str())
}
