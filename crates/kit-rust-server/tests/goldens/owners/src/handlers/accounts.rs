//! Handlers of `AccountRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::is_value_error;
use kit_runtime::{BigInt, value};

use crate::app::App;
use crate::db::label::{self, NewLabel};
use crate::db::upload::{self, NewUpload, UploadChanges};
use crate::error::Error;
use crate::models::{
    Direction, GetLabelsResponse, GetLabelsSortedQuerySort, GetLabelsSortedResponse,
    GetUploadsResponse, Label, Upload,
};
use crate::router::{
    AccountRoutes, DeleteLabelsById, GetLabels, GetLabelsSorted, GetUploads, PostLabels,
    PostUploads, PutUploadsById,
};

/// Error for a request whose label would belong to another user.
fn other_owner_of_label() -> Error {
    Error::forbidden("FORBIDDEN", "The label would belong to another user")
}

/// Error for a request whose label does not exist.
fn label_not_found(id: i64) -> Error {
    Error::not_found("NOT_FOUND", "Label not found").with_details(value!({ "id": id }))
}

/// Error for a request whose upload would belong to another user.
fn other_owner_of_upload() -> Error {
    Error::forbidden("FORBIDDEN", "The upload would belong to another user")
}

/// Error for a request whose upload the database refuses.
fn upload_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    error.into()
}

/// Error for a request whose upload does not exist.
fn upload_not_found(id: &BigInt) -> Error {
    Error::not_found("NOT_FOUND", "Upload not found").with_details(value!({ "id": id }))
}

impl AccountRoutes for App {
    async fn post_labels(&self, input: PostLabels) -> Result<Label, Error> {
        let owner = input.require_account.account_id;
        let body = input.body;
        if body.account_id != owner {
            return Err(other_owner_of_label());
        }
        let new = NewLabel {
            account_id: owner,
            text: body.text,
        };
        Ok(label::insert(&self.pool, &new).await?)
    }

    async fn get_labels(&self, input: GetLabels) -> Result<GetLabelsResponse, Error> {
        let owner = input.require_account.account_id;
        let order = label::ListOrder {
            descending: input.query.order.map(|order| order == Direction::Desc),
            ..label::ListOrder::default()
        };
        let rows = label::list(&self.pool, owner, order, i64::MAX, 0).await?;
        Ok(GetLabelsResponse(rows))
    }

    async fn delete_labels_by_id(&self, input: DeleteLabelsById) -> Result<(), Error> {
        let id = input.params.id;
        let owner = input.require_account.account_id;
        let deleted = label::delete(&self.pool, id, owner).await?;
        if deleted {
            Ok(())
        } else {
            Err(label_not_found(id))
        }
    }

    async fn get_labels_sorted(
        &self,
        input: GetLabelsSorted,
    ) -> Result<GetLabelsSortedResponse, Error> {
        let owner = input.require_account.account_id;
        let order = label::ListOrder {
            by: Some(match input.query.sort {
                GetLabelsSortedQuerySort::Text => label::SortColumn::Text,
                GetLabelsSortedQuerySort::Id => label::SortColumn::Id,
            }),
            ..label::ListOrder::default()
        };
        let rows = label::list(&self.pool, owner, order, i64::MAX, 0).await?;
        Ok(GetLabelsSortedResponse(rows))
    }

    async fn post_uploads(&self, input: PostUploads) -> Result<Upload, Error> {
        let owner = &input.require_account.tenant_id;
        let body = input.body;
        if body.tenant_id.as_ref() != Some(owner) {
            return Err(other_owner_of_upload());
        }
        let new = NewUpload {
            tenant_id: Some(owner.clone()),
            name: body.name,
        };
        upload::insert(&self.pool, &new)
            .await
            .map_err(upload_refused)
    }

    async fn get_uploads(&self, input: GetUploads) -> Result<GetUploadsResponse, Error> {
        let owner = &input.require_account.tenant_id;
        let rows = upload::list(&self.pool, owner, i64::MAX, 0).await?;
        Ok(GetUploadsResponse(rows))
    }

    async fn put_uploads_by_id(&self, input: PutUploadsById) -> Result<Upload, Error> {
        let id = &input.params.id;
        let owner = &input.require_account.tenant_id;
        let body = input.body;
        if body
            .tenant_id
            .as_ref()
            .is_some_and(|given| given.as_ref() != Some(owner))
        {
            return Err(other_owner_of_upload());
        }
        let changes = UploadChanges { name: body.name };
        let updated = upload::update(&self.pool, id, owner, &changes).await?;
        updated.ok_or_else(|| upload_not_found(id))
    }
}
