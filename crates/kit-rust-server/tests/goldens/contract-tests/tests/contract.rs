//! Contract tests: requests that the contracts accept, and requests that they refuse. `cargo test` runs them.
//!
//! This file is yours: kit wrote it once and does not change it. Requests that need existing rows or a caller get
//! them with `fixture` and `header` of the setup.

#[path = "../.kit/contract_tests.rs"]
mod generated;

use std::process::ExitCode;

use contracts::app::App;
use contracts::router::router;
use kit_runtime::testing::TestSetup;

fn main() -> ExitCode {
    generated::contract_tests().run(async || {
        let app = App::new();
        Ok(TestSetup::new(router(app)))
    })
}
