//! Handlers of `FollowRoutes`. This file is yours: kit wrote it once and does not change it.

use crate::app::App;
use crate::db::follow;
use crate::error::Error;
use crate::models::ProfileResponse;
use crate::router::{
    DeleteApiProfilesByUsernameFollow, FollowRoutes, PostApiProfilesByUsernameFollow,
};
use crate::services::profiles;

const FOLLOW: &str = "INSERT INTO follows (follower_id, followed_id) VALUES ($1::uuid, $2::uuid) ON CONFLICT DO NOTHING";

impl FollowRoutes for App {
    async fn post_api_profiles_by_username_follow(
        &self,
        input: PostApiProfilesByUsernameFollow,
    ) -> Result<ProfileResponse, Error> {
        let user_id = input.require_member.user_id();
        let (id, mut profile) =
            profiles::get(&self.pool, Some(user_id), &input.params.username).await?;
        let insert = sqlx::query(FOLLOW).bind(user_id).bind(id);
        insert.execute(&self.pool).await?;
        profile.following = true;
        Ok(ProfileResponse { profile })
    }

    async fn delete_api_profiles_by_username_follow(
        &self,
        input: DeleteApiProfilesByUsernameFollow,
    ) -> Result<ProfileResponse, Error> {
        let user_id = input.require_member.user_id();
        let (id, mut profile) =
            profiles::get(&self.pool, Some(user_id), &input.params.username).await?;
        follow::delete(&self.pool, user_id, &id).await?;
        profile.following = false;
        Ok(ProfileResponse { profile })
    }
}
