//! Handlers of `SessionRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::CurrentSession;
use crate::router::{DeleteSession, GetSession, SessionRoutes};
use crate::services::accounts;

impl SessionRoutes for App {
    async fn get_session(&self, input: GetSession) -> Result<CurrentSession, Error> {
        let account = match input.read_session.auth {
            Some(session) => accounts::read_view(&self.pool, session.subject()).await?,
            None => None,
        };
        Ok(CurrentSession { account })
    }

    async fn delete_session(&self, input: DeleteSession) -> Result<(), Error> {
        self.sessions.end(&input.context).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kit_runtime::axum::http::Request;
    use kit_runtime::idempotency::IdempotencyOptions;
    use kit_runtime::passwords::PasswordOptions;
    use kit_runtime::{Context, Error};
    use sqlx::PgPool;

    use crate::app::App;
    use crate::middleware::read_session::ReadSession;
    use crate::models::AppEnv;
    use crate::router::{GetSession, SessionRoutes};
    use crate::services::limits::Limits;
    use crate::services::sessions::sessions;

    /// Returns an application whose pool connects only if a query runs.
    fn app() -> Result<App, Error> {
        let env = AppEnv {
            port: 0,
            host: None,
            web_origins: Vec::new(),
            kit_cookie_keys: None,
            logins_per_minute: 10,
            writes_per_minute: 60,
        };
        let pool = PgPool::connect_lazy("postgres://localhost/no-database")?;
        Ok(App {
            sessions: Arc::new(sessions(&pool)?),
            passwords: Arc::new(PasswordOptions::default().build()?),
            idempotency: Arc::new(IdempotencyOptions::new().build()?),
            limits: Arc::new(Limits::new(&env)?),
            env: Arc::new(env),
            pool,
        })
    }

    #[tokio::test]
    async fn a_visitor_who_is_not_logged_in_has_no_account() -> Result<(), Error> {
        let context = Context::for_test(Request::get("/session").body(())?);
        let read_session = ReadSession { auth: None };
        let input = GetSession {
            read_session,
            context,
        };
        let answer = app()?.get_session(input).await?;
        assert!(answer.account.is_none());
        Ok(())
    }
}
