//! Handlers of `TokenRoutes`.

use kit_runtime::jwt::JwtCaller;

use crate::app::App;
use crate::error::Error;
use crate::models::TokenCaller;
use crate::router::{GetTokenCaller, GetTokenOrders, TokenRoutes};

impl TokenRoutes for App {
    async fn get_token_caller(&self, input: GetTokenCaller) -> Result<TokenCaller, Error> {
        Ok(shown(&input.require_token.auth))
    }

    async fn get_token_orders(&self, input: GetTokenOrders) -> Result<TokenCaller, Error> {
        Ok(shown(&input.require_token.auth))
    }
}

fn shown(auth: &JwtCaller) -> TokenCaller {
    TokenCaller {
        subject: auth.subject().to_owned(),
        scopes: auth.scopes().to_vec(),
    }
}
