//! WebSockets. If the socket or its server no longer exists, all functions except for `accept_socket` do nothing.

use std::time::Duration;

use kit_http::{RequestId, SocketMessage, SocketOptions, WriteResult};

use super::{State, find, id, read_headers, refusal, server, settle, wake};
use crate::node::{Env, Error, Value};
use crate::server::Server;

/// `acceptSocket(server, id, messageBytes, compression: 0 | 1, pingMs, protocol: string | null, headers: string[] | null):
/// 0 | 1`: accepts a request as a WebSocket. Returns 0 if the client has disconnected.
pub(super) fn accept_socket<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let (number, server) = server(env, state, args[0])?;
    let id = id(env, args[1])?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    // `@kit/core` passes only whole numbers.
    let message_bytes = env.to_f64(args[2])? as usize;
    // A time that is too long for `Duration` means no limit.
    let ping_after = Duration::try_from_secs_f64(env.to_f64(args[4])? / 1000.0).unwrap_or(Duration::MAX);
    let mut options = SocketOptions::new(message_bytes, ping_after);
    options.compression = env.to_u32(args[3])? == 1;
    if !env.is_nothing(args[5])? {
        options
            .set_protocol(&env.to_text(args[5])?)
            .map_err(|error| refusal(&error))?;
    }
    read_headers(env, state, args[6], |name, value| options.add_header(name, value))?;
    let is_there = server
        .engine
        .accept_socket(id, &options)
        .map_err(|error| refusal(&error))?;
    settle(state, number, &server);
    env.int(i32::from(is_there))
}

/// `sendSocket(server, id, data: string | Uint8Array): 0 | 1`: sends a message. Returns 0 if the sender should wait.
pub(super) fn send_socket<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let Some((server, id)) = find(env, state, args)? else {
        return env.int(1);
    };
    let mut text = state.text.borrow_mut();
    let sent = if env.read_text(args[2], &mut text)? {
        server.note_piece(text.len());
        // Node writes only valid UTF-8.
        let text = String::from_utf8_lossy(&text);
        server.engine.send_to_socket(id, &SocketMessage::Text(text))
    } else {
        let bytes = env.to_bytes(args[2])?;
        server.note_piece(bytes.len());
        server
            .engine
            .send_to_socket(id, &SocketMessage::Binary(bytes.into()))
    };
    wake(&server);
    env.int(i32::from(sent != WriteResult::Wait))
}

/// `closeSocket(server, id, code, reason)`: closes a WebSocket after its messages.
pub(super) fn close_socket<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let code = u16::try_from(env.to_u32(args[2])?)
        .map_err(|_| Error::new("ERR_OUT_OF_RANGE", "a close code is a number up to 4999"))?;
    let reason = env.to_text(args[3])?;
    change(env, state, args, |server, id| {
        server.engine.close_socket(id, code, &reason);
    })
}

/// `terminateSocket(server, id)`: ends the connection.
pub(super) fn terminate_socket<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    change(env, state, args, |server, id| server.engine.terminate_socket(id))
}

/// `pauseSocket(server, id)`: stops reading.
pub(super) fn pause_socket<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    change(env, state, args, |server, id| server.engine.pause_socket(id))
}

/// `resumeSocket(server, id)`: continues reading.
pub(super) fn resume_socket<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    change(env, state, args, |server, id| server.engine.resume_socket(id))
}

fn change<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
    run: impl FnOnce(&Server, RequestId),
) -> Result<Value<'scope>, Error> {
    if let Some((server, id)) = find(env, state, args)? {
        run(&server, id);
        wake(&server);
    }
    env.undefined()
}
