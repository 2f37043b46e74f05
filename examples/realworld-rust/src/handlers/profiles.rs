//! Handlers of `ProfileRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::error::Error;
use crate::models::ProfileResponse;
use crate::router::{GetApiProfilesByUsername, ProfileRoutes};
use crate::services::profiles;

impl ProfileRoutes for App {
    async fn get_api_profiles_by_username(
        &self,
        input: GetApiProfilesByUsername,
    ) -> Result<ProfileResponse, Error> {
        let reader_id = input.read_member.reader_id();
        let (_, profile) = profiles::get(&self.pool, reader_id, &input.params.username).await?;
        Ok(ProfileResponse { profile })
    }
}
