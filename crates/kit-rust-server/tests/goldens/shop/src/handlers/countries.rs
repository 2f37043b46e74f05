//! Handlers of `CountryRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::{is_value_error, violated_constraint};
use kit_runtime::value;

use crate::app::App;
use crate::db::country::{self, CountryChanges, NewCountry};
use crate::db::stock;
use crate::error::{AppError, Error};
use crate::models::Country;
use crate::router::{
    CountryRoutes, DeleteCountriesByCode, PostCountries, PostCountriesByCodeClose,
    PutCountriesByCode,
};

/// Error for a request whose country the database refuses.
fn country_refused(error: sqlx::Error) -> Error {
    if is_value_error(&error) {
        return Error::bad_request(
            "VALIDATION_ERROR",
            "A value of the request does not fit its column",
        );
    }
    match violated_constraint(&error) {
        Some(country::PRIMARY_KEY) => Error::conflict("CONFLICT", "Another country has this code"),
        _ => error.into(),
    }
}

/// Error for a request whose country does not exist.
fn country_not_found(id: &str) -> Error {
    Error::not_found("NOT_FOUND", "Country not found").with_details(value!({ "code": id }))
}

/// Error for a request that deletes a country to which other rows refer.
fn country_in_use(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(stock::COUNTRY_CODE_REFERENCE) => {
            AppError::CountryInUse.with("Something stands there")
        }
        _ => error.into(),
    }
}

impl CountryRoutes for App {
    async fn post_countries(&self, input: PostCountries) -> Result<Country, Error> {
        let body = input.body;
        let new = NewCountry {
            code: body.code,
            name: body.name,
            vat: Some(body.vat),
        };
        country::insert(&self.pool, &new)
            .await
            .map_err(country_refused)
    }

    async fn put_countries_by_code(&self, input: PutCountriesByCode) -> Result<Country, Error> {
        let id = &input.params.code;
        let body = input.body;
        let changes = CountryChanges {
            name: Some(body.name),
            vat: Some(body.vat),
        };
        let updated = country::update(&self.pool, id, &changes).await?;
        updated.ok_or_else(|| country_not_found(id))
    }

    async fn delete_countries_by_code(&self, input: DeleteCountriesByCode) -> Result<(), Error> {
        let id = &input.params.code;
        let deleted = country::delete(&self.pool, id)
            .await
            .map_err(country_in_use)?;
        if deleted {
            Ok(())
        } else {
            Err(country_not_found(id))
        }
    }

    async fn post_countries_by_code_close(
        &self,
        _input: PostCountriesByCodeClose,
    ) -> Result<Country, Error> {
        Err(Error::not_implemented(
            "POST /countries/:code/close",
            "src/handlers/countries.rs",
        ))
    }
}
