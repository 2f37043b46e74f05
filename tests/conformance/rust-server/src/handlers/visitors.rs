//! Handlers of `VisitorRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::SessionText;
use crate::router::{
    GetSessionsMe, PostSessionsEverywhereByUser, PostSessionsLoginByUser, PostSessionsLogout,
    PostSessionsOthersByUser, PostSessionsRename, PostSessionsRenewedAndOthersByUser, PostSessionsRotate,
    VisitorRoutes,
};
use crate::services::sessions::{SessionData, sessions};

impl VisitorRoutes for App {
    async fn get_sessions_me(&self, input: GetSessionsMe) -> Result<SessionText, Error> {
        let session = input.read_session.session;
        let text = session.map_or_else(
            || "nobody".to_owned(),
            |session| {
                let scopes = session.scopes().join(",");
                format!("{} {} {scopes}", session.subject(), session.data().name)
            },
        );
        Ok(SessionText { text })
    }

    async fn post_sessions_login_by_user(
        &self,
        input: PostSessionsLoginByUser,
    ) -> Result<SessionText, Error> {
        let user = input.params.user;
        let data = SessionData {
            name: format!("name of {user}"),
        };
        sessions()?.start(&input.context, &user, &data).await?;
        Ok(SessionText { text: user })
    }

    async fn post_sessions_rename(&self, input: PostSessionsRename) -> Result<SessionText, Error> {
        let data = SessionData {
            name: "new name".to_owned(),
        };
        let has_session = sessions()?.update(&input.context, &data).await?;
        Ok(SessionText {
            text: has_session.to_string(),
        })
    }

    async fn post_sessions_rotate(&self, input: PostSessionsRotate) -> Result<SessionText, Error> {
        let has_session = sessions()?.rotate(&input.context).await?;
        Ok(SessionText {
            text: has_session.to_string(),
        })
    }

    async fn post_sessions_logout(&self, input: PostSessionsLogout) -> Result<SessionText, Error> {
        sessions()?.end(&input.context).await?;
        Ok(SessionText { text: String::new() })
    }

    async fn post_sessions_everywhere_by_user(
        &self,
        input: PostSessionsEverywhereByUser,
    ) -> Result<SessionText, Error> {
        sessions()?.end_all(&input.params.user, None).await?;
        Ok(SessionText { text: String::new() })
    }

    async fn post_sessions_renewed_and_others_by_user(
        &self,
        input: PostSessionsRenewedAndOthersByUser,
    ) -> Result<SessionText, Error> {
        let sessions = sessions()?;
        sessions.rotate(&input.context).await?;
        sessions.end_all(&input.params.user, Some(&input.context)).await?;
        let session = sessions.read(&input.context).await?;
        Ok(SessionText {
            text: session
                .map(|session| session.subject().to_owned())
                .unwrap_or_default(),
        })
    }

    async fn post_sessions_others_by_user(
        &self,
        input: PostSessionsOthersByUser,
    ) -> Result<SessionText, Error> {
        let user = &input.params.user;
        sessions()?.end_all(user, Some(&input.context)).await?;
        Ok(SessionText { text: String::new() })
    }
}
