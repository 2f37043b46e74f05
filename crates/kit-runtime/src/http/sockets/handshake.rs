//! The handshake of a WebSocket.

use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use kit_websocket::{Compression, Session, accept_key};

use super::super::cors::is_allowed;
use super::super::csrf::is_origin_of;
use super::super::{Context, Error, Response};
use super::Socket;
use super::driver;
use super::shared::Shared;
use crate::Contract;
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
    /// Origins of web pages that may open a socket, besides the origin of the server. `None` allows every origin.
    /// `https://*.example.com` matches all subdomains of `example.com`.
    pub origins: Option<&'static [&'static str]>,
}

impl Default for SocketOptions {
    fn default() -> Self {
        Self {
            message_bytes: None,
            compression: false,
            ping_after: Duration::from_secs(30),
            origins: Some(&[]),
        }
    }
}

impl Response {
    /// Accepts a request as a WebSocket, and runs `handler` with it after the response. When the handler returns, the socket
    /// closes with the code 1000, or with 1011 after an error, which is logged. After the client has left, the handler may
    /// run for 10 more seconds.
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
    /// 426 if the request does not ask for a WebSocket of version 13, 400 if its key is invalid, 403 if a web page of another
    /// origin has sent it.
    pub fn socket<In, Out, F, W>(context: &Context, options: SocketOptions, handler: F) -> Result<Self, Error>
    where
        In: Contract,
        Out: Contract,
        F: FnOnce(Socket<In, Out>) -> W,
        W: Future<Output = Result<(), Error>> + Send + 'static,
    {
        let headers = context.headers();
        let upgrade = context.take_upgrade().filter(|_| {
            has_token(headers, &header::UPGRADE, "websocket")
                && has_token(headers, &header::CONNECTION, "upgrade")
        });
        let Some(upgrade) = upgrade else {
            let message = "This path accepts only WebSockets. Send a handshake with `upgrade: websocket`";
            return Err(upgrade_required(message, header::UPGRADE, "websocket"));
        };
        if context.header("sec-websocket-version").as_deref() != Some("13") {
            let message = "This server supports version 13 of the WebSocket protocol";
            return Err(upgrade_required(message, header::SEC_WEBSOCKET_VERSION, "13"));
        }
        let key = context.header("sec-websocket-key").filter(|key| is_key(key));
        let Some(key) = key else {
            let message = "The header sec-websocket-key must be 16 bytes in Base64";
            return Err(Error::bad_request("BAD_REQUEST", message));
        };
        check_origin(context, options.origins)?;
        let offers = context
            .header("sec-websocket-extensions")
            .filter(|_| options.compression);
        let compression = offers.map_or(Compression::None, |offers| {
            Compression::negotiate(offers.as_bytes())
        });
        let message_bytes = options.message_bytes.unwrap_or(settings().body_bytes);
        let shared = std::sync::Arc::new(Shared::new(Session::new(message_bytes, compression)));
        let socket = Socket::new(std::sync::Arc::clone(&shared), context.clone());
        let work = handler(socket);
        tokio::spawn(driver::run(
            upgrade,
            shared,
            options.ping_after,
            context.clone(),
            work,
        ));

        let mut response = axum::response::Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let own = std::mem::take(&mut *context.answer_headers());
        let headers = response.headers_mut();
        *headers = own;
        headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        // The text is base64.
        let accept = HeaderValue::from_str(&accept_key(key.as_bytes()))
            .map_err(|error| Error::internal(error.to_string()))?;
        headers.insert(header::SEC_WEBSOCKET_ACCEPT, accept);
        if compression == Compression::Deflate {
            let value = HeaderValue::from_static(Compression::RESPONSE);
            headers.insert(header::SEC_WEBSOCKET_EXTENSIONS, value);
        }
        Ok(Self(response))
    }
}

fn upgrade_required(message: &str, name: HeaderName, value: &'static str) -> Error {
    Error::new(StatusCode::UPGRADE_REQUIRED, "UPGRADE_REQUIRED", message)
        .with_header(name, HeaderValue::from_static(value))
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
fn check_origin(context: &Context, origins: Option<&'static [&'static str]>) -> Result<(), Error> {
    let (Some(origin), Some(origins)) = (context.header("origin"), origins) else {
        return Ok(());
    };
    let site = context.header("sec-fetch-site");
    let is_other_site = site.is_some_and(|site| site != "same-origin" && site != "none");
    let is_own = !is_other_site && is_origin_of(&origin, context.header("host").as_deref());
    if is_own || origins.iter().any(|allowed| is_allowed(allowed, &origin)) {
        return Ok(());
    }
    let message = "The WebSocket comes from a web page of an origin that may not open it";
    Err(Error::forbidden("CROSS_SITE_REQUEST", message))
}
