//! Handlers of `SharedRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::violated_constraint;

use crate::app::App;
use crate::db::country::{self, CountryFilter, NewCountry};
use crate::db::remark::{self, NewRemark};
use crate::db::task;
use crate::error::Error;
use crate::models::{
    Country, Draft, GetCountriesPagesResponse, GetCountriesResponse, GetDraftsResponse, Remark,
};
use crate::router::{
    GetCountries, GetCountriesPages, GetDrafts, GetDraftsById, PostCountries, PostDrafts,
    PostRemarks, SharedRoutes,
};

/// Error for a request whose country the database refuses.
fn country_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(country::PRIMARY_KEY) => Error::conflict("CONFLICT", "Another country has this code"),
        _ => error.into(),
    }
}

/// Refuses a task that does not exist or belongs to another user, both with the same error.
async fn check_task_id(app: &App, id: Option<&str>, owner: &str) -> Result<(), Error> {
    let Some(id) = id else {
        return Ok(());
    };
    let found = task::get(&app.pool, id, owner).await?;
    if found.is_none() {
        return Err(Error::conflict("CONFLICT", "Task not found"));
    }
    Ok(())
}

/// Error for a request whose remark the database refuses.
fn remark_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(remark::TASK_ID_REFERENCE) => Error::conflict("CONFLICT", "Task not found"),
        _ => error.into(),
    }
}

impl SharedRoutes for App {
    async fn post_drafts(&self, _input: PostDrafts) -> Result<Draft, Error> {
        Err(Error::not_specified(
            "POST /drafts",
            "put `@owner property = ctx.name` or `@owner none` on `Draft`",
        ))
    }

    async fn get_drafts(&self, _input: GetDrafts) -> Result<GetDraftsResponse, Error> {
        Err(Error::not_specified(
            "GET /drafts",
            "put `@owner property = ctx.name` or `@owner none` on `Draft`",
        ))
    }

    async fn get_drafts_by_id(&self, _input: GetDraftsById) -> Result<Draft, Error> {
        Err(Error::not_specified(
            "GET /drafts/:id",
            "put `@owner property = ctx.name` or `@owner none` on `Draft`",
        ))
    }

    async fn post_countries(&self, input: PostCountries) -> Result<Country, Error> {
        let body = input.body;
        let new = NewCountry {
            code: body.code,
            name: body.name,
        };
        country::insert(&self.pool, &new)
            .await
            .map_err(country_refused)
    }

    async fn get_countries(&self, _input: GetCountries) -> Result<GetCountriesResponse, Error> {
        let rows = country::list(&self.pool, &CountryFilter::default(), i64::MAX, 0).await?;
        Ok(GetCountriesResponse(rows))
    }

    async fn get_countries_pages(
        &self,
        input: GetCountriesPages,
    ) -> Result<GetCountriesPagesResponse, Error> {
        let page = country::KEYSET
            .filters()
            .filter("name", &input.query.name)
            .page(
                input.query.cursor.as_deref(),
                input.query.limit.unwrap_or(20),
            )?;
        let filter = CountryFilter {
            name: input.query.name,
        };
        let rows = country::page(&self.pool, &filter, &page).await?;
        let page = page.of(rows)?;
        Ok(GetCountriesPagesResponse {
            data: page.data,
            next: page.next,
            previous: page.previous,
        })
    }

    async fn post_remarks(&self, input: PostRemarks) -> Result<Remark, Error> {
        let body = input.body;
        check_task_id(
            self,
            Some(body.task_id.as_str()),
            &input.require_user.user_id,
        )
        .await?;
        let new = NewRemark {
            id: None,
            text: body.text,
            task_id: body.task_id,
        };
        remark::insert(&self.pool, &new)
            .await
            .map_err(remark_refused)
    }
}
