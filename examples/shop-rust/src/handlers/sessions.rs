//! Handlers of `SessionRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::CurrentSession;
use crate::router::{DeleteSession, GetSession, SessionRoutes};

impl SessionRoutes for App {
    async fn get_session(&self, input: GetSession) -> Result<CurrentSession, Error> {
        let session = input.read_session.auth;
        Ok(CurrentSession {
            account: session.map(|session| session.data().clone()),
        })
    }

    async fn delete_session(&self, input: DeleteSession) -> Result<(), Error> {
        self.sessions.end(&input.context).await
    }
}
