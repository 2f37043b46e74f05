//! Contract tests: requests that the contracts accept, and requests that they refuse. `cargo test` runs them.

#[path = "../.kit/contract_tests.rs"]
mod generated;

use std::process::ExitCode;

use kit_runtime::testing::{Fixture, TestClient, TestSetup};
use kit_runtime::{Error, value};
use notes_rust::app::App;
use notes_rust::router::router;

fn main() -> ExitCode {
    generated::contract_tests().run(async || {
        let app = App::connect().await?;
        Ok(TestSetup::new(router(app))
            .header("authorization", "Bearer tester:user")
            .fixture("GET /notes/:id", note)
            .fixture("PUT /notes/:id", note)
            .fixture("DELETE /notes/:id", note))
    })
}

/// Creates a note, because contracts cannot specify which ids exist.
async fn note(client: TestClient) -> Result<Fixture, Error> {
    let note = value!({ "title": "Groceries", "content": "Milk" });
    let created = client.request("POST", "/notes").json(&note).send().await?;
    Ok(Fixture::new().param("id", &created.json()["id"]))
}
