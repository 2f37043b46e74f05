//! Contract tests: requests that the contracts accept, and requests that they refuse. `cargo test` runs them.

#[path = "../.kit/contract_tests.rs"]
mod generated;

use std::process::ExitCode;

use kit_runtime::testing::{Fixture, TestClient, TestSetup, unique_id};
use kit_runtime::{Error, Value, value};
use realworld_rust::app::App;
use realworld_rust::router::router;

const PASSWORD: &str = "correct horse battery staple";

/// Routes of an article that exists.
const OF_AN_ARTICLE: [&str; 7] = [
    "GET /api/articles/:slug",
    "PUT /api/articles/:slug",
    "DELETE /api/articles/:slug",
    "GET /api/articles/:slug/comments",
    "POST /api/articles/:slug/comments",
    "POST /api/articles/:slug/favorite",
    "DELETE /api/articles/:slug/favorite",
];

/// Routes of the profile of another user.
const OF_A_PROFILE: [&str; 3] = [
    "GET /api/profiles/:username",
    "POST /api/profiles/:username/follow",
    "DELETE /api/profiles/:username/follow",
];

fn main() -> ExitCode {
    generated::contract_tests()
        .variable("AUTH_SECRET", "a secret that is used by tests only")
        .run(async || {
            let app = App::connect().await?;
            let mut setup = TestSetup::new(router(app));
            let user = register(setup.client()).await?;
            let token = user["token"].as_str().unwrap_or_default();
            setup = setup
                .header("authorization", format!("Bearer {token}"))
                .fixture("POST /api/users", new_user)
                .fixture("PUT /api/user", new_user)
                .fixture("POST /api/users/login", login)
                .fixture("DELETE /api/articles/:slug/comments/:id", comment);
            for route in OF_AN_ARTICLE {
                setup = setup.fixture(route, article);
            }
            for route in OF_A_PROFILE {
                setup = setup.fixture(route, profile);
            }
            Ok(setup)
        })
}

/// Returns the properties of a user who does not exist yet.
fn unknown_user() -> Value {
    let username = unique_id();
    value!({ "username": username, "email": format!("{username}@example.com"), "password": PASSWORD })
}

/// Creates an account. Returns its name, its address and its token.
async fn register(client: &TestClient) -> Result<Value, Error> {
    let body = value!({ "user": unknown_user() });
    let answer = client.request("POST", "/api/users").json(&body).send().await?;
    Ok(answer.json()["user"].clone())
}

/// Creates an article. Returns its slug.
async fn add_article(client: &TestClient) -> Result<Value, Error> {
    let article = value!({
        "title": "How to train your dragon",
        "description": "Ever wonder how?",
        "body": "With food.",
    });
    let body = value!({ "article": article });
    let answer = client.request("POST", "/api/articles").json(&body).send().await?;
    Ok(answer.json()["article"]["slug"].clone())
}

async fn new_user(_client: TestClient) -> Result<Fixture, Error> {
    Ok(Fixture::new().body(&value!({ "user": unknown_user() })))
}

async fn login(client: TestClient) -> Result<Fixture, Error> {
    let user = register(&client).await?;
    let body = value!({ "user": { "email": user["email"], "password": PASSWORD } });
    Ok(Fixture::new().body(&body))
}

async fn profile(client: TestClient) -> Result<Fixture, Error> {
    let user = register(&client).await?;
    Ok(Fixture::new().param("username", &user["username"]))
}

async fn article(client: TestClient) -> Result<Fixture, Error> {
    Ok(Fixture::new().param("slug", add_article(&client).await?))
}

async fn comment(client: TestClient) -> Result<Fixture, Error> {
    let slug = add_article(&client).await?;
    let path = format!("/api/articles/{}/comments", slug.as_str().unwrap_or_default());
    let body = value!({ "comment": { "body": "Thank you!" } });
    let answer = client.request("POST", &path).json(&body).send().await?;
    let id = &answer.json()["comment"]["id"];
    Ok(Fixture::new().param("slug", &slug).param("id", id))
}
