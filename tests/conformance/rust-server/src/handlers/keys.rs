//! Handlers of `KeyRoutes`.

use kit_runtime::api_keys::create_api_key;

use crate::app::App;
use crate::error::Error;
use crate::models::IssuedKey;
use crate::router::{KeyRoutes, PostKeys};

impl KeyRoutes for App {
    async fn post_keys(&self, _input: PostKeys) -> Result<IssuedKey, Error> {
        let new = create_api_key("shop")?;
        Ok(IssuedKey {
            key: new.key,
            id: new.id,
            hash: new.hash,
        })
    }
}
