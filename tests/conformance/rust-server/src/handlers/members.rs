//! Handlers of `MemberRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::SessionText;
use crate::router::{GetSessionsPrivate, GetSessionsUnread, MemberRoutes};

impl MemberRoutes for App {
    async fn get_sessions_private(&self, input: GetSessionsPrivate) -> Result<SessionText, Error> {
        let text = input.require_session.auth.subject().to_owned();
        Ok(SessionText { text })
    }

    async fn get_sessions_unread(&self, input: GetSessionsUnread) -> Result<SessionText, Error> {
        let text = input.require_session.auth.subject().to_owned();
        Ok(SessionText { text })
    }
}
