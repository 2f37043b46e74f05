//! The handlers of `CountryRoutes`. This file is yours: kit made it once and leaves it alone.

use crate::app::App;
use crate::db::country::{self, CountryChanges, NewCountry};
use crate::error::Error;
use crate::models::Country;
use crate::router::{
    CountryRoutes, DeleteCountriesByCode, PostCountries, PostCountriesByCodeClose,
    PutCountriesByCode,
};

impl CountryRoutes for App {
    async fn post_countries(&self, input: PostCountries) -> Result<Country, Error> {
        let body = input.body;
        let new = NewCountry {
            code: body.code,
            name: body.name,
            vat: Some(body.vat),
        };
        Ok(country::insert(&self.pool, &new).await?)
    }

    async fn put_countries_by_code(&self, input: PutCountriesByCode) -> Result<Country, Error> {
        let body = input.body;
        let changes = CountryChanges {
            name: Some(body.name),
            vat: Some(body.vat),
        };
        let found = country::update(&self.pool, &input.params.code, &changes).await?;
        found.ok_or_else(|| Error::not_found("NOT_FOUND", "Country not found"))
    }

    async fn delete_countries_by_code(&self, input: DeleteCountriesByCode) -> Result<(), Error> {
        if country::delete(&self.pool, &input.params.code).await? {
            Ok(())
        } else {
            Err(Error::not_found("NOT_FOUND", "Country not found"))
        }
    }

    async fn post_countries_by_code_close(
        &self,
        _input: PostCountriesByCodeClose,
    ) -> Result<Country, Error> {
        Err(Error::not_written(
            "POST /countries/:code/close",
            "src/handlers/countries.rs",
        ))
    }
}
