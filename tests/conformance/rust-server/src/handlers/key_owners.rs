//! Handlers of `KeyOwnerRoutes`.

use kit_runtime::api_keys::ApiKeyCaller;

use crate::app::App;
use crate::error::Error;
use crate::models::TokenCaller;
use crate::router::{GetKeysCaller, GetKeysOrders, KeyOwnerRoutes};

impl KeyOwnerRoutes for App {
    async fn get_keys_caller(&self, input: GetKeysCaller) -> Result<TokenCaller, Error> {
        Ok(shown(&input.require_key.auth))
    }

    async fn get_keys_orders(&self, input: GetKeysOrders) -> Result<TokenCaller, Error> {
        Ok(shown(&input.require_key.auth))
    }
}

fn shown(auth: &ApiKeyCaller) -> TokenCaller {
    TokenCaller {
        subject: auth.subject().to_owned(),
        scopes: auth.scopes().to_vec(),
    }
}
