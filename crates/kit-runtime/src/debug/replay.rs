//! Sends a recorded request to the application again, with its original method, and only to the application's own port. Hidden
//! values are not sent: the page must supply values in their place.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::time::{Duration, Instant};

use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::BodyExt as _;
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

use super::answer::{Refusal, truncate};
use super::record_json::milliseconds;
use super::recording::Recording;
use super::state::State;
use crate::dev_link;
use crate::http::{header_text, random_span_id, random_trace_id};
use crate::redact::REDACTED;

/// Path of the endpoint that sends a request again.
pub(super) const PATH: &str = "/_debug/replay";
/// Maximum size in bytes of the request body that the dashboard sends to that endpoint.
pub(super) const GREATEST_REQUEST: usize = 256 * 1024;

const GREATEST_RESPONSE: usize = 256 * 1024;
const TIMEOUT: Duration = Duration::from_secs(30);

/// Headers that belong to one connection, to the encoding of one message, or to the trace of the original request. They are not
/// copied to the new request.
const OF_THE_CONNECTION: [&str; 14] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "traceparent",
    "tracestate",
];

/// Request that is sent again.
struct ReplayedRequest {
    method: Method,
    path: String,
    headers: BTreeMap<String, String>,
    body: Option<String>,
}

/// Answers a request of the dashboard's page. `peer` is the address of its browser.
pub(super) async fn replay(state: &State, text: &[u8], peer: IpAddr) -> Result<Value, Refusal> {
    // An application that only this machine can reach stays unreachable for other machines.
    if state.address.ip().is_loopback() && !peer.to_canonical().is_loopback() {
        return Err(Refusal::forbidden(&format!(
            "the application listens on {}, so only a browser on the same machine may resend requests",
            state.address.ip()
        )));
    }
    if state.has_tls {
        return Err(Refusal::forbidden(
            "requests cannot be sent again to a server with TLS; start the server without TLS_CERT and TLS_KEY to send them",
        ));
    }
    let asked = read(text)?;
    let id = asked["requestId"].as_str().unwrap_or_default();
    let recording = state.history.find(id).ok_or_else(|| {
        Refusal::not_found(format!(
            "there is no request {}; the sidecar keeps only the last requests",
            truncate(id)
        ))
    })?;
    let record = recording.json(&state.redaction);
    let request = request_of(&asked, &record, &recording)?;
    let trace_id = random_trace_id();
    let trace_parent = format!("00-{trace_id}-{:016x}-01", random_span_id());
    let begun = Instant::now();
    let sent = tokio::time::timeout(TIMEOUT, send(state.address, request, &trace_parent)).await;
    let response = sent
        .unwrap_or_else(|_| Err(format!("no answer within {} s", TIMEOUT.as_secs())))
        .map_err(|reason| {
            let message = format!("the application did not respond: {reason}");
            Refusal::new(StatusCode::BAD_GATEWAY, "NO_ANSWER", message)
        })?;
    let again = state.history.finished(50, |other| other.trace_id == trace_id);
    let mut answer = response;
    answer["durationMs"] = milliseconds(begun.elapsed()).into();
    answer["traceId"] = trace_id.into();
    answer["requestId"] = json!(again.first().map(|recording| &recording.request_id));
    Ok(answer)
}

/// Parses and checks the request of the page.
fn read(text: &[u8]) -> Result<Value, Refusal> {
    let Ok(value) = serde_json::from_slice::<Value>(text) else {
        return Err(Refusal::invalid("the body must be JSON"));
    };
    let Some(members) = value.as_object() else {
        return Err(Refusal::invalid("the body must be an object"));
    };
    let is_known = |name: &&String| matches!(name.as_str(), "requestId" | "target" | "headers" | "body");
    if let Some(name) = members.keys().find(|name| !is_known(name)) {
        return Err(Refusal::invalid(format!(
            "there is no property `{}`",
            truncate(name)
        )));
    }
    if !value["requestId"].is_string() {
        return Err(Refusal::invalid("`requestId` must be a string"));
    }
    // A target must begin with `/`. With a scheme, some servers would treat it as a request for another server.
    let is_target = |text: &str| text.starts_with('/') && text.bytes().all(|byte| byte.is_ascii_graphic());
    if !members
        .get("target")
        .is_none_or(|target| target.as_str().is_some_and(is_target))
    {
        return Err(Refusal::invalid(
            "`target` must be a path that begins with `/`, with a query or without, percent-encoded",
        ));
    }
    let are_texts = |headers: &Value| {
        headers
            .as_object()
            .is_some_and(|headers| headers.values().all(Value::is_string))
    };
    if !members.get("headers").is_none_or(are_texts) {
        return Err(Refusal::invalid("`headers` must be an object of strings"));
    }
    if !members
        .get("body")
        .is_none_or(|body| body.is_null() || body.is_string())
    {
        return Err(Refusal::invalid("`body` must be a string or null"));
    }
    Ok(value)
}

/// Returns the request to send. Each part comes from the page, or if the page leaves it out, from the record. Refuses a request
/// if `record`, which is the recording with hidden values replaced, differs from the recording in a part that it must supply.
fn request_of(asked: &Value, record: &Value, recording: &Recording) -> Result<ReplayedRequest, Refusal> {
    let received = &record["received"];
    if received.is_null() {
        return Err(Refusal::new(
            StatusCode::CONFLICT,
            "NOT_RECORDED",
            "the content of this request was not recorded, so the request cannot be resent",
        ));
    }
    let mut missing = Vec::new();
    let path = asked["target"].as_str().unwrap_or(&recording.target);
    if path.contains(REDACTED) || (asked["target"].is_null() && record["target"] != recording.target) {
        missing.push("the target".to_owned());
    }
    let headers = asked.get("headers").unwrap_or(&received["headers"]);
    let headers = headers
        .as_object()
        .into_iter()
        .flatten()
        .filter_map(|(name, value)| {
            let name = name.to_ascii_lowercase();
            let is_copied = !OF_THE_CONNECTION.contains(&name.as_str());
            is_copied.then(|| (name, value.as_str().unwrap_or_default().to_owned()))
        });
    let headers: BTreeMap<_, _> = headers.collect();
    let is_hidden = |(name, value): &(&String, &String)| {
        let original = || header_text(recording.headers.as_ref()?, name.as_str());
        *value == REDACTED
            || (asked.get("headers").is_none() && original().as_deref() != Some(value.as_str()))
    };
    missing.extend(headers.iter().filter(is_hidden).map(|(name, _)| name.clone()));
    let body = match asked.get("body") {
        Some(body) => body.as_str().map(str::to_owned),
        None => received_body(recording, received["body"].as_str()),
    };
    let is_unknown = asked.get("body").is_none() && body.is_none() && received["bodyLength"] != 0;
    if is_unknown
        || body
            .as_ref()
            .is_some_and(|body| body.contains(&format!("\"{REDACTED}\"")))
    {
        missing.push("the body".to_owned());
    }
    if !missing.is_empty() {
        return Err(Refusal::new(
            StatusCode::CONFLICT,
            "REDACTED",
            format!(
                "{}: the recorded value is hidden or incomplete, so the request cannot be resent; fill in the missing parts",
                missing.join(", ")
            ),
        ));
    }
    let method = record["method"].as_str().and_then(|method| method.parse().ok());
    Ok(ReplayedRequest {
        method: method.unwrap_or(Method::GET),
        path: path.to_owned(),
        headers,
        body,
    })
}

/// Returns the body as received. Returns `None` if there was none, or if `shown` lacks values of it.
fn received_body(recording: &Recording, shown: Option<&str>) -> Option<String> {
    let bytes = recording.progress().body.bytes.clone()?;
    let shown: Value = serde_json::from_str(shown?).ok()?;
    let received: Value = serde_json::from_slice(&bytes).ok()?;
    (received == shown).then(|| String::from_utf8(bytes).ok())?
}

/// Sends the request. Returns the response in the form of `ReplayAnswer` in `packages/plugin-debug/src/responses/shapes.ts`.
async fn send(address: SocketAddr, replayed: ReplayedRequest, trace_parent: &str) -> Result<Value, String> {
    let mut to = address;
    if to.ip().is_unspecified() {
        to.set_ip(Ipv4Addr::LOCALHOST.into());
    }
    let request = request(replayed, to, trace_parent)?;
    let mut stream = TcpStream::connect(to).await.map_err(|error| error.to_string())?;
    let own = stream.local_addr().map_err(|error| error.to_string())?;
    if let Some(line) = dev_link::first_line(own) {
        let sent = stream.write_all(line.as_bytes()).await;
        sent.map_err(|error| error.to_string())?;
    }
    let handshake = http1::handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(|error| error.to_string())?;
    tokio::spawn(connection);
    let response = sender
        .send_request(request)
        .await
        .map_err(|error| error.to_string())?;
    described(response).await
}

fn request(replayed: ReplayedRequest, to: SocketAddr, trace_parent: &str) -> Result<Request<Body>, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in replayed.headers {
        let name = HeaderName::try_from(&name)
            .map_err(|_| format!("`{}` is not the name of a header", truncate(&name)))?;
        let bytes: Option<Vec<u8>> = value.chars().map(|letter| u8::try_from(letter).ok()).collect();
        let value = bytes.and_then(|bytes| HeaderValue::from_bytes(&bytes).ok());
        headers.insert(
            name.clone(),
            value.ok_or_else(|| format!("the value of `{name}` is not valid"))?,
        );
    }
    let own = [
        (header::HOST, to.to_string()),
        (header::CONNECTION, "close".to_owned()),
        (header::ACCEPT_ENCODING, "identity".to_owned()),
        (HeaderName::from_static("traceparent"), trace_parent.to_owned()),
    ];
    for (name, value) in own {
        headers.insert(
            name,
            value.parse().map_err(|_| "a header is not valid".to_owned())?,
        );
    }
    let mut request = Request::new(replayed.body.map_or_else(Body::empty, Body::from));
    *request.method_mut() = replayed.method;
    *request.uri_mut() = replayed
        .path
        .parse()
        .map_err(|_| "the target is not valid".to_owned())?;
    *request.headers_mut() = headers;
    Ok(request)
}

/// Returns the beginning of a response. Does not wait for the rest of a long body.
async fn described(response: Response<Incoming>) -> Result<Value, String> {
    let (parts, mut body) = response.into_parts();
    let mut bytes = Vec::new();
    while bytes.len() <= GREATEST_RESPONSE {
        match body.frame().await {
            Some(Ok(frame)) => bytes.extend_from_slice(frame.data_ref().unwrap_or(&Bytes::new())),
            Some(Err(error)) => return Err(error.to_string()),
            None => break,
        }
    }
    let length = bytes.len();
    let is_cut = length > GREATEST_RESPONSE;
    bytes.truncate(GREATEST_RESPONSE);
    let text = match std::str::from_utf8(&bytes) {
        Ok(text) => Some(text),
        // The bytes of a truncated body may end within a character.
        Err(error) if is_cut && error.error_len().is_none() => {
            std::str::from_utf8(&bytes[..error.valid_up_to()]).ok()
        }
        Err(_) => None,
    };
    let headers = parts.headers.iter().map(|(name, value)| {
        let value: String = value.as_bytes().iter().copied().map(char::from).collect();
        json!([name.as_str(), value])
    });
    Ok(json!({
        "status": parts.status.as_u16(),
        "headers": headers.collect::<Vec<_>>(),
        "body": text,
        "bodyLength": length,
        "isCut": is_cut,
    }))
}
