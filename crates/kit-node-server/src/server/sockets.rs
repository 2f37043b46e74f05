//! Passes the events of WebSockets to JavaScript. `packages/server-native/src/socket.ts` receives them.

use kit_http::{RequestId, SocketMessage};

use super::{TurnHandler, number, report};
use crate::node::{Env, Error, Value};

/// In place of a message: the socket accepts more messages. All other codes are the codes of its end.
const DRAINED: i32 = 0;

impl<'scope> TurnHandler<'scope, '_> {
    pub(super) fn tell_of_message(&mut self, id: RequestId, message: &SocketMessage<'_>) {
        self.server.note_piece(match message {
            SocketMessage::Text(text) => text.len(),
            SocketMessage::Binary(bytes) => bytes.len(),
        });
        self.tell_of_socket(id, |env, arguments| {
            arguments.push(match message {
                SocketMessage::Text(text) => env.string(text)?,
                SocketMessage::Binary(bytes) => env.buffer(bytes)?,
            });
            Ok(())
        });
    }

    pub(super) fn tell_of_room(&mut self, id: RequestId) {
        self.tell_of_socket(id, |env, arguments| {
            arguments.push(env.int(DRAINED)?);
            Ok(())
        });
    }

    pub(super) fn tell_of_end(&mut self, id: RequestId, code: u16, reason: &str) {
        self.tell_of_socket(id, |env, arguments| {
            arguments.extend([env.int(code.into())?, env.string(reason)?]);
            Ok(())
        });
    }

    fn tell_of_socket(
        &mut self,
        id: RequestId,
        add: impl FnOnce(Env<'scope>, &mut Vec<Value<'scope>>) -> Result<(), Error>,
    ) {
        let tell = |calls: &mut Self| {
            calls.enter()?;
            let env = calls.env;
            calls.arguments.clear();
            calls.arguments.push(number(env, id)?);
            add(env, &mut calls.arguments)?;
            env.call(calls.live.callbacks.socket.get(env)?, &calls.arguments)
        };
        if let Err(error) = tell(self) {
            report(self.env, &error);
        }
    }
}
