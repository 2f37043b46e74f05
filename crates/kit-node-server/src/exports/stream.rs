//! Responses that are written in chunks. If the stream or its server no longer exists, all functions except for
//! `respond_stream` do nothing.

use kit_http::WriteResult;

use super::{State, find, head, id, refusal, server, settle, wake};
use crate::node::{Env, Error, Value};

/// `respondStream(server, id, status, contentType: 0 | 1 | string, length: number | null, headers: string[] | null): 0 | 1`:
/// starts a response whose body follows in chunks. Returns 0 if the client has disconnected.
pub(super) fn respond_stream<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let (number, server) = server(env, state, args[0])?;
    let id = id(env, args[1])?;
    let length = if env.is_nothing(args[4])? {
        None
    } else {
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        // `@kit/core` passes only whole numbers.
        Some(env.to_f64(args[4])? as u64)
    };
    let head = head(env, state, args[2], args[3], args[5])?;
    let is_there = server
        .engine
        .respond_stream(id, head, length)
        .map_err(|error| refusal(&error))?;
    settle(state, number, &server);
    env.int(i32::from(is_there))
}

/// `write(server, id, piece: Uint8Array): 0 | 1`: writes a chunk of the body. Returns 1 if the writer may
/// continue, and 0 if the writer should wait.
pub(super) fn write<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let Some((server, id)) = find(env, state, args)? else {
        return env.int(0);
    };
    let piece = env.to_bytes(args[2])?;
    server.note_piece(piece.len());
    let written = server
        .engine
        .write(id, piece.into())
        .map_err(|error| refusal(&error))?;
    wake(&server);
    env.int(i32::from(written == WriteResult::Ready))
}

/// `end(server, id)`: ends the body.
pub(super) fn end<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    if let Some((server, id)) = find(env, state, args)? {
        let ended = server.engine.end(id);
        wake(&server);
        ended.map_err(|error| refusal(&error))?;
    }
    env.undefined()
}

/// `destroy(server, id)`: aborts the response.
pub(super) fn destroy<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    if let Some((server, id)) = find(env, state, args)? {
        server.engine.destroy(id);
        wake(&server);
    }
    env.undefined()
}
