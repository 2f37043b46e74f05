//! Handlers of `Routes2`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::value;

use crate::app::App;
use crate::db::option_model;
use crate::error::Error;
use crate::models::{ErrorModel, GetOptionsResponse, OddName, OptionModel, Tree, Value};
use crate::router::{
    DeleteOptionsById, GetOptions, GetOptionsById, PostErrors, PostForest, PostOdd, PostOptions,
    PostStrings, Routes2,
};

/// Error for a request whose option model does not exist.
fn option_model_not_found(id: &kit_runtime::BigInt) -> Error {
    Error::not_found("NOT_FOUND", "Option model not found").with_details(value!({ "id": id }))
}

impl Routes2 for App {
    async fn post_options(&self, _input: PostOptions) -> Result<OptionModel, Error> {
        Err(Error::not_implemented(
            "POST /options",
            "src/handlers/routes.rs",
        ))
    }

    async fn get_options(&self, _input: GetOptions) -> Result<GetOptionsResponse, Error> {
        Err(Error::not_implemented(
            "GET /options",
            "src/handlers/routes.rs",
        ))
    }

    async fn get_options_by_id(&self, input: GetOptionsById) -> Result<OptionModel, Error> {
        let id = &input.params.id;
        let found = option_model::get(&self.pool, id).await?;
        found.ok_or_else(|| option_model_not_found(id))
    }

    async fn delete_options_by_id(&self, input: DeleteOptionsById) -> Result<(), Error> {
        let id = &input.params.id;
        let deleted = option_model::delete(&self.pool, id).await?;
        if deleted {
            Ok(())
        } else {
            Err(option_model_not_found(id))
        }
    }

    async fn post_strings(&self, _input: PostStrings) -> Result<Value, Error> {
        Err(Error::not_implemented(
            "POST /strings",
            "src/handlers/routes.rs",
        ))
    }

    async fn post_errors(&self, _input: PostErrors) -> Result<ErrorModel, Error> {
        Err(Error::not_implemented(
            "POST /errors",
            "src/handlers/routes.rs",
        ))
    }

    async fn post_odd(&self, _input: PostOdd) -> Result<OddName, Error> {
        Err(Error::not_implemented(
            "POST /odd",
            "src/handlers/routes.rs",
        ))
    }

    async fn post_forest(&self, _input: PostForest) -> Result<Tree, Error> {
        Err(Error::not_implemented(
            "POST /forest",
            "src/handlers/routes.rs",
        ))
    }
}
