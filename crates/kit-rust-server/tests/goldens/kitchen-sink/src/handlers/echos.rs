//! Handlers of `EchoRoutes`. This file is yours: kit wrote it once and does not change it.

use kit_runtime::sql::violated_constraint;

use crate::app::App;
use crate::db::user_account::{self, NewUserAccount};
use crate::error::Error;
use crate::models::{
    Choices, Circle, Containers, Date, Defaults, Email, Entangled, Figure, GetFilesByPathParams,
    GetOpenQuery, GetSearchQuery, Json, Matrix, Numbers, OddNames, OddOptional, Pair, Person,
    Scalars, Strings, Team, Tree, Unions, UserAccount,
};
use crate::router::{
    EchoRoutes, PostEchoChoices, PostEchoCircle, PostEchoContainers, PostEchoDate,
    PostEchoDefaults, PostEchoEmail, PostEchoEntangled, PostEchoFigure,
    PostEchoGetFilesByPathParams, PostEchoGetOpenQuery, PostEchoGetSearchQuery, PostEchoJson,
    PostEchoMatrix, PostEchoNumbers, PostEchoOddNames, PostEchoOddOptional, PostEchoPair,
    PostEchoPerson, PostEchoScalars, PostEchoStrings, PostEchoTeam, PostEchoTree, PostEchoUnions,
    PostEchoUserAccount,
};

/// Error for a request whose user account the database refuses.
fn user_account_refused(error: sqlx::Error) -> Error {
    match violated_constraint(&error) {
        Some(user_account::EMAIL_UNIQUE) => {
            Error::conflict("CONFLICT", "Another user account has this email")
        }
        _ => error.into(),
    }
}

impl EchoRoutes for App {
    async fn post_echo_scalars(&self, _input: PostEchoScalars) -> Result<Scalars, Error> {
        Err(Error::not_implemented(
            "POST /echo/Scalars",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_numbers(&self, _input: PostEchoNumbers) -> Result<Numbers, Error> {
        Err(Error::not_implemented(
            "POST /echo/Numbers",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_strings(&self, _input: PostEchoStrings) -> Result<Strings, Error> {
        Err(Error::not_implemented(
            "POST /echo/Strings",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_email(&self, _input: PostEchoEmail) -> Result<Email, Error> {
        Err(Error::not_implemented(
            "POST /echo/Email",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_date(&self, _input: PostEchoDate) -> Result<Date, Error> {
        Err(Error::not_implemented(
            "POST /echo/Date",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_containers(&self, _input: PostEchoContainers) -> Result<Containers, Error> {
        Err(Error::not_implemented(
            "POST /echo/Containers",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_matrix(&self, _input: PostEchoMatrix) -> Result<Matrix, Error> {
        Err(Error::not_implemented(
            "POST /echo/Matrix",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_odd_names(&self, _input: PostEchoOddNames) -> Result<OddNames, Error> {
        Err(Error::not_implemented(
            "POST /echo/OddNames",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_odd_optional(
        &self,
        _input: PostEchoOddOptional,
    ) -> Result<OddOptional, Error> {
        Err(Error::not_implemented(
            "POST /echo/OddOptional",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_circle(&self, _input: PostEchoCircle) -> Result<Circle, Error> {
        Err(Error::not_implemented(
            "POST /echo/Circle",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_figure(&self, _input: PostEchoFigure) -> Result<Figure, Error> {
        Err(Error::not_implemented(
            "POST /echo/Figure",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_unions(&self, _input: PostEchoUnions) -> Result<Unions, Error> {
        Err(Error::not_implemented(
            "POST /echo/Unions",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_choices(&self, _input: PostEchoChoices) -> Result<Choices, Error> {
        Err(Error::not_implemented(
            "POST /echo/Choices",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_tree(&self, _input: PostEchoTree) -> Result<Tree, Error> {
        Err(Error::not_implemented(
            "POST /echo/Tree",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_json(&self, _input: PostEchoJson) -> Result<Json, Error> {
        Err(Error::not_implemented(
            "POST /echo/Json",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_person(&self, _input: PostEchoPerson) -> Result<Person, Error> {
        Err(Error::not_implemented(
            "POST /echo/Person",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_team(&self, _input: PostEchoTeam) -> Result<Team, Error> {
        Err(Error::not_implemented(
            "POST /echo/Team",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_entangled(&self, _input: PostEchoEntangled) -> Result<Entangled, Error> {
        Err(Error::not_implemented(
            "POST /echo/Entangled",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_defaults(&self, _input: PostEchoDefaults) -> Result<Defaults, Error> {
        Err(Error::not_implemented(
            "POST /echo/Defaults",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_user_account(
        &self,
        input: PostEchoUserAccount,
    ) -> Result<UserAccount, Error> {
        let body = input.body;
        let new = NewUserAccount {
            id: body.id,
            email: body.email,
            status: Some(body.status),
        };
        user_account::insert(&self.pool, &new)
            .await
            .map_err(user_account_refused)
    }

    async fn post_echo_get_search_query(
        &self,
        _input: PostEchoGetSearchQuery,
    ) -> Result<GetSearchQuery, Error> {
        Err(Error::not_implemented(
            "POST /echo/GetSearchQuery",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_get_open_query(
        &self,
        _input: PostEchoGetOpenQuery,
    ) -> Result<GetOpenQuery, Error> {
        Err(Error::not_implemented(
            "POST /echo/GetOpenQuery",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_pair(&self, _input: PostEchoPair) -> Result<Pair, Error> {
        Err(Error::not_implemented(
            "POST /echo/Pair",
            "src/handlers/echos.rs",
        ))
    }

    async fn post_echo_get_files_by_path_params(
        &self,
        _input: PostEchoGetFilesByPathParams,
    ) -> Result<GetFilesByPathParams, Error> {
        Err(Error::not_implemented(
            "POST /echo/GetFilesByPathParams",
            "src/handlers/echos.rs",
        ))
    }
}
