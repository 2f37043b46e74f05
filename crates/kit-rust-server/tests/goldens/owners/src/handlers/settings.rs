//! Handlers of `SettingRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::{is_value_error, violated_constraint};
use kit_runtime::value;

use crate::app::App;
use crate::db::setting::{self, NewSetting, SettingChanges};
use crate::error::Error;
use crate::models::Setting;
use crate::router::{
    DeleteSettingsByUserIdByName, GetSettingsByUserIdByName, PostSettingsByUserId,
    PutSettingsByUserIdByName, SettingRoutes,
};

/// Error for a request whose setting would belong to another user.
fn other_owner_of_setting() -> Error {
    Error::forbidden("FORBIDDEN", "The setting would belong to another user")
}

/// Error for a request whose setting the database refuses.
fn setting_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    match violated_constraint(&error) {
        Some(setting::PRIMARY_KEY) => {
            Error::conflict("CONFLICT", "Another setting has this user id and name")
        }
        _ => error.into(),
    }
}

/// Error for a request whose setting does not exist.
fn setting_not_found(user_id: &str, name: &str) -> Error {
    Error::not_found("NOT_FOUND", "Setting not found")
        .with_details(value!({ "userId": user_id, "name": name }))
}

impl SettingRoutes for App {
    async fn post_settings_by_user_id(
        &self,
        input: PostSettingsByUserId,
    ) -> Result<Setting, Error> {
        let owner = &input.require_user.user_id;
        let body = input.body;
        if input.params.user_id != *owner {
            return Err(other_owner_of_setting());
        }
        let new = NewSetting {
            user_id: owner.clone(),
            name: body.name,
            value: body.value,
        };
        setting::insert(&self.pool, &new)
            .await
            .map_err(setting_refused)
    }

    async fn get_settings_by_user_id_by_name(
        &self,
        input: GetSettingsByUserIdByName,
    ) -> Result<Setting, Error> {
        let user_id = &input.params.user_id;
        let name = &input.params.name;
        let owner = &input.require_user.user_id;
        let found = setting::get(&self.pool, user_id, name, owner).await?;
        found.ok_or_else(|| setting_not_found(user_id, name))
    }

    async fn put_settings_by_user_id_by_name(
        &self,
        input: PutSettingsByUserIdByName,
    ) -> Result<Setting, Error> {
        let user_id = &input.params.user_id;
        let name = &input.params.name;
        let owner = &input.require_user.user_id;
        let body = input.body;
        let changes = SettingChanges {
            value: Some(body.value),
        };
        let updated = setting::update(&self.pool, user_id, name, owner, &changes).await?;
        updated.ok_or_else(|| setting_not_found(user_id, name))
    }

    async fn delete_settings_by_user_id_by_name(
        &self,
        input: DeleteSettingsByUserIdByName,
    ) -> Result<(), Error> {
        let user_id = &input.params.user_id;
        let name = &input.params.name;
        let owner = &input.require_user.user_id;
        let deleted = setting::delete(&self.pool, user_id, name, owner).await?;
        if deleted {
            Ok(())
        } else {
            Err(setting_not_found(user_id, name))
        }
    }
}
