//! Request bodies that handlers read in chunks. If the body or its server no longer exists, `readBody` returns 0 and
//! `cancelBody` does nothing.

use super::{State, find, wake};
use crate::node::{Env, Error, Value};

/// `readBody(server, id): 0 | 1`: requests the next chunk, which the callback `onBody` receives. Returns 0 if
/// nothing is left to read.
pub(super) fn read_body<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let Some((server, id)) = find(env, state, args)? else {
        return env.int(0);
    };
    let is_there = server.engine.read_body(id);
    if is_there {
        wake(&server);
    }
    env.int(i32::from(is_there))
}

/// `cancelBody(server, id)`: ends reading.
pub(super) fn cancel_body<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    if let Some((server, id)) = find(env, state, args)? {
        server.engine.cancel_body(id);
        wake(&server);
    }
    env.undefined()
}
