//! Functions that JavaScript calls. `packages/server-native/src/addon.ts` declares their types.
//!
//! tidy: long because one table lists all functions

mod reservations;
mod socket;
mod stream;
mod upload;

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use kit_http::{Engine, ErrorBodies, Request, RequestId, Response, ResponseError};
use kit_router::RouteTree;

use reservations::Reservations;

use crate::node::{Env, Error, MAX_KEPT, Reference, Value, inherited_listener};
use crate::options::Options;
use crate::server::{Callbacks, Server, address_text};
use crate::tls::{TlsOptions, tls_error};

/// Data that the addon stores for each Node environment (the main thread, or a worker).
#[derive(Default)]
pub(crate) struct State {
    /// Servers by number. A number is never used again, so that a late call cannot reach another server.
    servers: RefCell<Vec<Option<Rc<Server>>>>,
    /// Buffer into which strings from JavaScript are copied.
    text: RefCell<Vec<u8>>,
    reservations: Reservations,
}

/// A native function that JavaScript can call.
pub(crate) struct Export {
    pub(crate) name: &'static str,
    /// Number of arguments. Arguments that JavaScript does not pass are `undefined`.
    pub(crate) arguments: usize,
    pub(crate) run: for<'scope> fn(Env<'scope>, &State, &[Value<'scope>]) -> Result<Value<'scope>, Error>,
}

/// All functions for JavaScript. Their first argument is the number of the server, except for `create`, `errors`,
/// `reserve` and `release`.
pub(crate) static EXPORTS: &[Export] = &[
    Export {
        name: "create",
        arguments: 8,
        run: create,
    },
    Export {
        name: "respond",
        arguments: 6,
        run: respond,
    },
    Export {
        name: "respondStream",
        arguments: 6,
        run: stream::respond_stream,
    },
    Export {
        name: "write",
        arguments: 3,
        run: stream::write,
    },
    Export {
        name: "end",
        arguments: 2,
        run: stream::end,
    },
    Export {
        name: "destroy",
        arguments: 2,
        run: stream::destroy,
    },
    Export {
        name: "method",
        arguments: 2,
        run: method,
    },
    Export {
        name: "header",
        arguments: 3,
        run: header,
    },
    Export {
        name: "headers",
        arguments: 2,
        run: headers,
    },
    Export {
        name: "bodyText",
        arguments: 2,
        run: body_text,
    },
    Export {
        name: "bodyBytes",
        arguments: 2,
        run: body_bytes,
    },
    Export {
        name: "readBody",
        arguments: 2,
        run: upload::read_body,
    },
    Export {
        name: "cancelBody",
        arguments: 2,
        run: upload::cancel_body,
    },
    Export {
        name: "acceptSocket",
        arguments: 7,
        run: socket::accept_socket,
    },
    Export {
        name: "sendSocket",
        arguments: 3,
        run: socket::send_socket,
    },
    Export {
        name: "closeSocket",
        arguments: 4,
        run: socket::close_socket,
    },
    Export {
        name: "terminateSocket",
        arguments: 2,
        run: socket::terminate_socket,
    },
    Export {
        name: "pauseSocket",
        arguments: 2,
        run: socket::pause_socket,
    },
    Export {
        name: "resumeSocket",
        arguments: 2,
        run: socket::resume_socket,
    },
    Export {
        name: "remoteAddress",
        arguments: 2,
        run: remote_address,
    },
    Export {
        name: "clientCertificate",
        arguments: 2,
        run: client_certificate,
    },
    Export {
        name: "close",
        arguments: 2,
        run: close,
    },
    Export {
        name: "connections",
        arguments: 1,
        run: connections,
    },
    Export {
        name: "reloadTls",
        arguments: 1,
        run: reload_tls,
    },
    Export {
        name: "forget",
        arguments: 1,
        run: forget,
    },
    Export {
        name: "errors",
        arguments: 0,
        run: errors,
    },
    Export {
        name: "reserve",
        arguments: 2,
        run: reservations::reserve,
    },
    Export {
        name: "release",
        arguments: 1,
        run: reservations::release,
    },
];

/// Value of the argument `contentType` for a response without a content type.
const NO_CONTENT_TYPE: u32 = 0;
/// Value of the argument `contentType` for `application/json`.
const JSON_CONTENT_TYPE: u32 = 1;

/// `errors(): string`. Returns the errors that a server sends without JavaScript, as JSON: a list of
/// `{"status", "code", "message"}`.
fn errors<'scope>(env: Env<'scope>, _state: &State, _args: &[Value<'scope>]) -> Result<Value<'scope>, Error> {
    let list: Vec<_> = ErrorBodies::errors()
        .map(|error| serde_json::json!({ "status": error.status, "code": error.code, "message": error.message }))
        .collect();
    env.string(&serde_json::Value::from(list).to_string())
}

/// `create(options: string, onRequest, onAbort, onClosed, onRefused, onStream, onBody): string`. Starts a server and
/// returns `{"server", "host", "port"}` as JSON. If the server listens on a Unix socket, `host` and `port`
/// are missing.
fn create<'scope>(env: Env<'scope>, state: &State, args: &[Value<'scope>]) -> Result<Value<'scope>, Error> {
    let invalid = |error: &dyn std::fmt::Display| Error::new("ERR_KIT_OPTIONS", error.to_string());
    let options: Options = serde_json::from_str(&env.to_text(args[0])?).map_err(|error| invalid(&error))?;
    let tree = RouteTree::from_compiled(&options.tree, &options.routes).map_err(|error| invalid(&error))?;
    let callbacks = Callbacks {
        request: Reference::new(env, args[1])?,
        abort: Reference::new(env, args[2])?,
        closed: Reference::new(env, args[3])?,
        refused: Reference::new(env, args[4])?,
        stream: Reference::new(env, args[5])?,
        body: Reference::new(env, args[6])?,
        socket: Reference::new(env, args[7])?,
    };
    let mut config = options.config(&tree).map_err(|error| invalid(&error))?;
    config.tls = options
        .tls
        .as_ref()
        .map(TlsOptions::load)
        .transpose()?
        .map(Arc::new);
    let certificates = config.tls.clone();
    let engine = match options.fd {
        Some(number) => inherited_listener(number).and_then(|socket| Engine::adopt(socket, config)),
        None => Engine::bind(config),
    }
    .map_err(|error| bind_error(&error))?;
    let address = engine.local_addr();
    let files = options.files().map_err(|error| invalid(&error))?;
    let server = Server::start(env, engine, tree.router(), files, certificates, callbacks)?;
    let mut servers = state.servers.borrow_mut();
    let text = serde_json::json!({
        "server": servers.len(),
        "host": address.map(|address| address.ip().to_string()),
        "port": address.map(|address| address.port()),
    });
    servers.push(Some(server));
    env.string(&text.to_string())
}

/// `reloadTls(server)`: reads the files of TLS again, for new connections. Fails if a file cannot be used; the server then
/// keeps its certificate. Does nothing without TLS.
fn reload_tls<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let (_, server) = server(env, state, args[0])?;
    if let Some(certificates) = &server.certificates {
        certificates.reload().map_err(|error| tls_error(&error))?;
    }
    env.undefined()
}

/// `respond(server, id, status, contentType: 0 | 1 | string, body: string | Uint8Array | null, headers: string[] |
/// null)`: responds to a request.
fn respond<'scope>(env: Env<'scope>, state: &State, args: &[Value<'scope>]) -> Result<Value<'scope>, Error> {
    let (number, server) = server(env, state, args[0])?;
    let id = id(env, args[1])?;
    let mut response = head(env, state, args[2], args[3], args[5])?;
    let mut text = state.text.borrow_mut();
    let body = if env.read_text(args[4], &mut text)? {
        if text.len() > MAX_KEPT {
            std::mem::take(&mut *text).into()
        } else {
            Bytes::copy_from_slice(&text)
        }
    } else if env.is_nothing(args[4])? {
        Bytes::new()
    } else {
        env.to_bytes(args[4])?.into()
    };
    drop(text);
    server.note_piece(body.len());
    response.set_body(body);
    server
        .engine
        .respond(id, response)
        .map_err(|error| refusal(&error))?;
    settle(state, number, &server);
    env.undefined()
}

/// Makes sure that the response is written soon. If the server is closed and this was its last response,
/// drops the server.
fn settle(state: &State, number: usize, server: &Server) {
    if server.is_released() {
        state.forget_if_done(number, server);
    } else if !server.is_turning() {
        // This response was given outside of a turn, for example after a timer, so another turn is needed to write it.
        server.wake();
    }
}

/// Creates a response without its body, from `status`, `contentType: 0 | 1 | string` and `headers: string | null`.
fn head<'scope>(
    env: Env<'scope>,
    state: &State,
    status: Value<'scope>,
    content_type: Value<'scope>,
    headers: Value<'scope>,
) -> Result<Response, Error> {
    let mut text = state.text.borrow_mut();
    let mut response = Response::new(env.to_u32(status)?).map_err(|error| refusal(&error))?;
    if env.read_text(content_type, &mut text)? {
        response
            .add_header("content-type", &latin1(&text))
            .map_err(|error| refusal(&error))?;
    } else {
        match env.to_u32(content_type)? {
            NO_CONTENT_TYPE => {}
            JSON_CONTENT_TYPE => response.set_json(),
            other => {
                return Err(Error::new(
                    "ERR_KIT_ADDON",
                    format!("no content type has the code {other}"),
                ));
            }
        }
    }
    drop(text);
    read_headers(env, state, headers, |name, value| {
        response.add_header(name, value)
    })?;
    Ok(response)
}

/// Calls a function with each header of `headers: string | null`, which has lines: the number of the other lines, then
/// name, value, name, value. Reading one string takes a fraction of the time of reading each name and value.
fn read_headers<'scope>(
    env: Env<'scope>,
    state: &State,
    headers: Value<'scope>,
    mut add: impl FnMut(&str, &[u8]) -> Result<(), ResponseError>,
) -> Result<(), Error> {
    let mut text = state.text.borrow_mut();
    if !env.read_text(headers, &mut text)? {
        return if env.is_nothing(headers)? {
            Ok(())
        } else {
            Err(Error::new(
                "ERR_INVALID_ARG_TYPE",
                "headers must be a string or null",
            ))
        };
    }
    let mut lines = text.split(|byte| *byte == b'\n');
    let count = lines
        .next()
        .and_then(|count| std::str::from_utf8(count).ok()?.parse::<usize>().ok());
    // A line break in a value would begin another header, which a client could have chosen.
    if count != Some(lines.clone().count()) {
        return Err(Error::new(
            "ERR_INVALID_CHAR",
            "headers must not contain line breaks",
        ));
    }
    while let (Some(name), Some(value)) = (lines.next(), lines.next()) {
        let name = std::str::from_utf8(name)
            .map_err(|_| Error::new("ERR_KIT_ADDON", "names of headers must be ASCII"))?;
        add(name, &latin1(value)).map_err(|error| refusal(&error))?;
    }
    Ok(())
}

fn method<'scope>(env: Env<'scope>, state: &State, args: &[Value<'scope>]) -> Result<Value<'scope>, Error> {
    env.string(request(env, state, args)?.method())
}

/// `header(server, id, name): string | undefined`: returns a header of a request.
fn header<'scope>(env: Env<'scope>, state: &State, args: &[Value<'scope>]) -> Result<Value<'scope>, Error> {
    let request = request(env, state, args)?;
    let mut name = state.text.borrow_mut();
    if !env.read_text(args[2], &mut name)? {
        return Err(Error::new(
            "ERR_INVALID_ARG_TYPE",
            "the name of a header must be a string",
        ));
    }
    let value = std::str::from_utf8(&name)
        .ok()
        .and_then(|name| request.header(name));
    value.map_or_else(|| env.undefined(), |value| env.latin1(&value))
}

/// `headers(server, id): string[]`: returns all headers of a request, as alternating names and values.
fn headers<'scope>(env: Env<'scope>, state: &State, args: &[Value<'scope>]) -> Result<Value<'scope>, Error> {
    let request = request(env, state, args)?;
    let mut values = Vec::with_capacity(32);
    for (name, value) in request.headers() {
        values.extend([env.latin1(name.as_bytes())?, env.latin1(&value)?]);
    }
    env.array(&values)
}

/// `bodyText(server, id): string | undefined`: returns the body of a request, or `undefined` if it is not UTF-8.
fn body_text<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let request = request(env, state, args)?;
    std::str::from_utf8(request.body()).map_or_else(|_| env.undefined(), |text| env.string(text))
}

fn body_bytes<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    env.buffer(request(env, state, args)?.body())
}

/// Returns the IP address of the client as text, or an empty text for a Unix socket. A client with an IPv4
/// address has this address on an IPv6 socket too.
fn remote_address<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    env.string(&address_text(request(env, state, args)?.remote_address()))
}

/// `clientCertificate(server, id): Uint8Array | undefined`: returns the certificate of the client in DER.
fn client_certificate<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let (_, server) = server(env, state, args[0])?;
    let certificate = server.engine.client_certificate(id(env, args[1])?);
    certificate.map_or_else(|| env.undefined(), |der| env.buffer(&der))
}

/// `close(server, graceMs)`: shuts a server down within a grace period.
fn close<'scope>(env: Env<'scope>, state: &State, args: &[Value<'scope>]) -> Result<Value<'scope>, Error> {
    let grace = env.to_f64(args[1])?.max(0.0) / 1000.0;
    // A grace period that is too long for `Duration` means no limit.
    let grace = Duration::try_from_secs_f64(grace).unwrap_or(Duration::MAX);
    server(env, state, args[0])?.1.close(grace);
    env.undefined()
}

/// `connections(server): number`: returns the number of open connections.
fn connections<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let count = server(env, state, args[0])?.1.engine.connection_count();
    env.int(i32::try_from(count).unwrap_or(i32::MAX))
}

/// `forget(server)`: drops a closed server after its last response. The caller promises not to use the server for new
/// requests.
fn forget<'scope>(env: Env<'scope>, state: &State, args: &[Value<'scope>]) -> Result<Value<'scope>, Error> {
    let (number, server) = server(env, state, args[0])?;
    state.forget_if_done(number, &server);
    env.undefined()
}

impl State {
    /// Drops a closed server if no request waits for a response any more.
    fn forget_if_done(&self, number: usize, server: &Server) {
        if server.engine.pending_count() == 0
            && let Some(place) = self.servers.borrow_mut().get_mut(number)
        {
            *place = None;
        }
    }
}

fn server<'scope>(
    env: Env<'scope>,
    state: &State,
    value: Value<'scope>,
) -> Result<(usize, Rc<Server>), Error> {
    let number = env.to_u32(value)? as usize;
    let server = state.servers.borrow().get(number).cloned().flatten();
    server
        .map(|server| (number, server))
        .ok_or_else(|| Error::new("ERR_KIT_CLOSED", "the server is closed"))
}

fn id<'scope>(env: Env<'scope>, value: Value<'scope>) -> Result<RequestId, Error> {
    let number = env.to_f64(value)?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // No request has a number that is out of range as its id.
    RequestId::from_number(number as u64).ok_or_else(|| refusal(&ResponseError::UnknownRequest))
}

fn request<'scope>(env: Env<'scope>, state: &State, args: &[Value<'scope>]) -> Result<Rc<Request>, Error> {
    let (_, server) = server(env, state, args[0])?;
    server
        .engine
        .request(id(env, args[1])?)
        .ok_or_else(|| refusal(&ResponseError::UnknownRequest))
}

fn refusal(error: &ResponseError) -> Error {
    let code = match error {
        ResponseError::UnknownRequest => "ERR_KIT_ANSWERED",
        ResponseError::NoHandshake => "ERR_KIT_NO_HANDSHAKE",
        ResponseError::Status(_) => "ERR_HTTP_INVALID_STATUS_CODE",
        ResponseError::HeaderName(_) | ResponseError::Reserved(_) => "ERR_INVALID_HTTP_TOKEN",
        ResponseError::HeaderValue(_) => "ERR_INVALID_CHAR",
        ResponseError::Length { .. } => "ERR_HTTP_CONTENT_LENGTH_MISMATCH",
    };
    Error::new(code, error.to_string())
}

/// Returns an error for a failure to listen. Its code is the code that Node uses for the same failure, such
/// as `EADDRINUSE`.
pub(crate) fn bind_error(error: &io::Error) -> Error {
    let code = match error.kind() {
        io::ErrorKind::AddrInUse => "EADDRINUSE",
        io::ErrorKind::AddrNotAvailable => "EADDRNOTAVAIL",
        io::ErrorKind::PermissionDenied => "EACCES",
        io::ErrorKind::NotFound => "ENOENT",
        // The path is too long for a Unix socket.
        io::ErrorKind::InvalidInput => "ERR_KIT_LISTEN",
        _ if error.raw_os_error().is_none() => "ENOTFOUND",
        _ => "ERR_KIT_LISTEN",
    };
    Error::new(code, error.to_string())
}

/// Encodes a JavaScript string as the bytes of a header: one byte for each character, as Node does. A string
/// with characters above U+00FF is encoded as UTF-8, which recipients of non-ASCII headers expect.
fn latin1(text: &[u8]) -> Cow<'_, [u8]> {
    if text.is_ascii() {
        return Cow::Borrowed(text);
    }
    let Ok(characters) = std::str::from_utf8(text) else {
        return Cow::Borrowed(text);
    };
    let bytes: Option<Vec<u8>> = characters
        .chars()
        .map(|character| u8::try_from(character).ok())
        .collect();
    bytes.map_or(Cow::Borrowed(text), Cow::Owned)
}

/// Returns the server and the id of a request. Returns `None` if the server no longer exists. Such a server
/// has no streams either.
fn find<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Option<(Rc<Server>, RequestId)>, Error> {
    let number = env.to_u32(args[0])? as usize;
    let server = state.servers.borrow().get(number).cloned().flatten();
    server.map(|server| Ok((server, id(env, args[1])?))).transpose()
}

fn wake(server: &Server) {
    if !server.is_released() && !server.is_turning() {
        server.wake();
    }
}
