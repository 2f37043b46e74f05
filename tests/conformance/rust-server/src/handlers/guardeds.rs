//! Handlers of `GuardedRoutes`.

use crate::app::App;
use crate::error::Error;
use crate::models::Numbered;
use crate::router::{GetGuardedById, GuardedRoutes};

impl GuardedRoutes for App {
    async fn get_guarded_by_id(&self, input: GetGuardedById) -> Result<Numbered, Error> {
        Ok(Numbered {
            number: input.params.id,
        })
    }
}
