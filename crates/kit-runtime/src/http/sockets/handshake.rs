//! The handshake of a WebSocket.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};
use kit_websocket::connection::SharedSession;
use kit_websocket::{Compression, Session, accept_key, choose_subprotocol};

use super::super::route_list::Subprotocols;
use super::super::{Context, Cors, Error, Response};
use super::opening::{OpenSocket, Opening};
use super::{Socket, SocketMessage};
use crate::debug::StreamKind;
use crate::settings::settings;

/// Options of the WebSockets of a route.
#[derive(Debug, Clone, Copy)]
pub struct SocketOptions {
    /// Maximum size of a message of the client in bytes. `None` for the limit of request bodies.
    pub message_bytes: Option<usize>,
    /// True if messages may be compressed.
    pub compression: bool,
    /// Time without bytes of the client after which the server sends a ping, and after which it then closes the connection.
    pub ping_after: Duration,
}

/// Options from `SOCKET_PING_MS` (default 30,000) and `SOCKET_COMPRESSION` (default false).
impl Default for SocketOptions {
    fn default() -> Self {
        let settings = settings();
        Self {
            message_bytes: None,
            compression: settings.socket_compression,
            ping_after: settings.socket_ping,
        }
    }
}

impl Response {
    /// Accepts a request as a WebSocket. The server sends the response 101, unless a wrapper replaces it, and runs `handler`.
    /// When the handler returns, the socket closes with the code 1000, or with 1011 after an error, which is logged. After
    /// the client has left, the handler may run for 10 more seconds. If the handler returns an error with the status 501
    /// before it waits for anything, this error is the response.
    ///
    /// ```
    /// use kit_runtime::{Contract, Error, Request, Response, Socket, SocketOptions};
    ///
    /// fn chat<T: Contract + Send + Sync + 'static>(request: Request) -> Result<Response, Error> {
    ///     let context = request.into_context()?;
    ///     Response::socket(&context, SocketOptions::default(), async |socket: Socket<T, T>| {
    ///         while let Some(message) = socket.recv().await {
    ///             socket.send(&message).await?;
    ///         }
    ///         Ok(())
    ///     })
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// 500 if the route does not have a reference such as `WS /rooms/:id`, or if [`Context::set_status`] was called. The
    /// router has already checked the handshake of such a route.
    pub fn socket<In, Out, F, W>(context: &Context, options: SocketOptions, handler: F) -> Result<Self, Error>
    where
        In: SocketMessage,
        Out: SocketMessage,
        F: FnOnce(Socket<In, Out>) -> W,
        W: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let route = context.route().unwrap_or_default();
        if !route.starts_with("WS ") {
            let message =
                format!("`{route}` accepts no WebSockets, because its key does not begin with `WS`");
            return Err(Error::internal(message));
        }
        if context.status().is_some() {
            let message = format!("`{route}` accepts a WebSocket, so `set_status` cannot change its status");
            return Err(Error::internal(message));
        }
        let upgrade = context.upgrade().take();
        let upgrade = upgrade.ok_or_else(|| Error::internal("The request has opened a WebSocket already"))?;
        let offers = context
            .header("sec-websocket-extensions")
            .filter(|_| options.compression);
        let compression = offers.map_or(Compression::None, |offers| {
            Compression::negotiate(offers.as_bytes())
        });
        let message_bytes = options.message_bytes.unwrap_or(settings().body_bytes);
        let shared = Arc::new(SharedSession::new(Session::new(message_bytes, compression)));
        let protocol = context.subprotocol().get().copied();
        let stream = context.recorded().stream(StreamKind::Socket, protocol);
        let work = handler(Socket::new(Arc::clone(&shared), context.clone(), stream.clone()));
        let opening = Opening::new(OpenSocket {
            upgrade,
            shared,
            ping_after: options.ping_after,
            context: context.clone(),
            stream,
            work: Box::pin(work),
        });

        let mut response = axum::response::Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let own = std::mem::take(&mut *context.answer_headers());
        let headers = response.headers_mut();
        *headers = own;
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        let key = context.header("sec-websocket-key").unwrap_or_default();
        // The text is base64.
        let accept = HeaderValue::from_str(&accept_key(key.as_bytes()))
            .map_err(|error| Error::internal(error.to_string()))?;
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
        if compression == Compression::Deflate {
            let value = HeaderValue::from_static(Compression::RESPONSE);
            headers.insert(header::SEC_WEBSOCKET_EXTENSIONS, value);
        }
        if let Some(chosen) = context.subprotocol().get() {
            let value = HeaderValue::from_static(chosen);
            headers.insert(header::SEC_WEBSOCKET_PROTOCOL, value);
        }
        response.extensions_mut().insert(opening);
        Ok(Self(response))
    }
}

/// Checks the handshake of a WebSocket (RFC 6455, 4.2.1) before any middleware runs. Only web pages of the server's
/// own origin and of the origins in `cors` may open a WebSocket. Chooses the subprotocol.
pub(in super::super) fn check_handshake(
    context: &Context,
    cors: Option<Cors>,
    subprotocols: Subprotocols,
) -> Result<(), Error> {
    let headers = context.headers();
    let asks = context.method() == Method::GET
        && context.upgrade().is_some()
        && has_token(headers, &header::UPGRADE, "websocket")
        && has_token(headers, &header::CONNECTION, "upgrade");
    if !asks {
        let message = "This path accepts only WebSockets. Send a handshake with `upgrade: websocket`";
        let headers = [(header::UPGRADE, "websocket"), (header::CONNECTION, "upgrade")];
        return Err(upgrade_required(context, message, headers));
    }
    let version = context.header("sec-websocket-version");
    if version.is_none_or(|version| version.trim() != "13") {
        let message = "This server supports version 13 of the WebSocket protocol";
        let headers = [
            (header::SEC_WEBSOCKET_VERSION, "13"),
            (header::UPGRADE, "websocket"),
            (header::CONNECTION, "upgrade, close"),
        ];
        return Err(upgrade_required(context, message, headers));
    }
    if !context
        .header("sec-websocket-key")
        .is_some_and(|key| is_key(&key))
    {
        let message = "The header sec-websocket-key must be 16 bytes in Base64";
        return Err(Error::bad_request("BAD_REQUEST", message));
    }
    check_origin(context, cors)?;
    choose(context, subprotocols)
}

/// Chooses the subprotocol of a WebSocket. Refuses a client that offers none of the subprotocols of the route.
fn choose(context: &Context, subprotocols: Subprotocols) -> Result<(), Error> {
    let Subprotocols { names, is_required } = subprotocols;
    let offer = context.header("sec-websocket-protocol");
    let chosen = match &offer {
        Some(offer) => choose_subprotocol(offer, names)
            .map_err(|error| Error::bad_request("BAD_REQUEST", error.to_string()))?,
        None => None,
    };
    if let Some(chosen) = chosen {
        // The handshake is checked once.
        let _ = context.subprotocol().set(chosen);
    } else if !names.is_empty() && (is_required || offer.is_some()) {
        let message = format!(
            "The header sec-websocket-protocol must offer a subprotocol of this path: {}",
            names.join(", ")
        );
        return Err(Error::bad_request("UNSUPPORTED_SUBPROTOCOL", message));
    }
    Ok(())
}

fn upgrade_required<const N: usize>(
    context: &Context,
    message: &str,
    headers: [(HeaderName, &'static str); N],
) -> Error {
    let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
    // `Context::set_header` refuses them, because they belong to the connection.
    context.answer_headers().extend(headers);
    Error::new(StatusCode::UPGRADE_REQUIRED, "UPGRADE_REQUIRED", message)
}

/// Returns true if a list of tokens in a header contains a token.
fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    headers.get_all(name).iter().any(|value| {
        let mut items = value.as_bytes().split(|byte| *byte == b',');
        items.any(|item| item.trim_ascii().eq_ignore_ascii_case(token.as_bytes()))
    })
}

/// Returns true for 16 bytes in Base64. The last character before the padding has only two significant bits.
fn is_key(key: &str) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    match key.as_bytes() {
        [digits @ .., b'A' | b'Q' | b'g' | b'w', b'=', b'='] => {
            digits.len() == 21 && digits.iter().all(is_digit)
        }
        _ => false,
    }
}

/// Refuses web pages of other origins: browsers send cookies with the handshake of any page.
fn check_origin(context: &Context, cors: Option<Cors>) -> Result<(), Error> {
    let Some(origin) = context.header("origin") else {
        return Ok(());
    };
    let site = context.header("sec-fetch-site");
    let is_other_site = site.is_some_and(|site| site != "same-origin" && site != "none");
    let is_own = !is_other_site && context.is_own_origin(&origin);
    let has_cookies = || context.headers().contains_key(header::COOKIE);
    if is_own || cors.is_some_and(|cors| cors.allows_socket(&origin, has_cookies())) {
        return Ok(());
    }
    let message = "The WebSocket comes from a web page of an origin that may not open it";
    Err(Error::forbidden("CROSS_SITE_REQUEST", message))
}
