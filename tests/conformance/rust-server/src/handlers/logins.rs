//! Handlers of `LoginRoutes`. The provider is in `OIDC_ISSUER`.

use kit_runtime::oidc::{OidcStart, OidcTokens};
use kit_runtime::value;

use crate::app::App;
use crate::error::Error;
use crate::models::LoginText;
use crate::router::{GetOidcCallback, GetOidcLoggedOut, GetOidcLogout, GetOidcRefresh, GetOidcStart, LoginRoutes};
use crate::services::logins::oidc;

impl LoginRoutes for App {
    async fn get_oidc_start(&self, input: GetOidcStart) -> Result<LoginText, Error> {
        let start = OidcStart::to(input.query.return_to).parameter("prompt", "consent");
        let text = oidc()?.start(&input.context, start).await?;
        Ok(LoginText { text })
    }

    async fn get_oidc_callback(&self, input: GetOidcCallback) -> Result<LoginText, Error> {
        let login = oidc()?.finish(&input.context).await?;
        let mut shown = shown(login.tokens());
        shown["subject"] = login.subject().into();
        shown["returnTo"] = login.return_to().into();
        Ok(LoginText {
            text: shown.to_string(),
        })
    }

    async fn get_oidc_refresh(&self, input: GetOidcRefresh) -> Result<LoginText, Error> {
        let tokens = oidc()?.refresh(&input.query.token, &input.query.subject).await?;
        Ok(LoginText {
            text: shown(&tokens).to_string(),
        })
    }

    async fn get_oidc_logout(&self, input: GetOidcLogout) -> Result<LoginText, Error> {
        let url = oidc()?
            .logout_url(&input.query.token, "http://127.0.0.1:1/bye")
            .await?;
        Ok(LoginText {
            text: url.unwrap_or_default(),
        })
    }

    async fn get_oidc_logged_out(&self, input: GetOidcLoggedOut) -> Result<LoginText, Error> {
        let logout = oidc()?.verify_logout(&input.query.token).await?;
        let shown = value!({ "subject": logout.subject(), "sessionId": logout.session_id() });
        Ok(LoginText {
            text: shown.to_string(),
        })
    }
}

fn shown(tokens: &OidcTokens) -> kit_runtime::Value {
    value!({
        "accessToken": tokens.access_token(),
        "idToken": tokens.id_token(),
        "refreshToken": tokens.refresh_token(),
        "expiresAt": tokens.expires_at().map(|time| time.to_string()),
    })
}
