//! The program. The variables `PORT`, `HOST` and `DATABASE_URL` set its address and its database.
//!
//! This file is yours: kit wrote it once and does not change it.

use std::process::ExitCode;

use wrappers::app::App;
use wrappers::router::router;

fn main() -> ExitCode {
    kit_runtime::run(async {
        let app = App::new();
        kit_runtime::serve(router(app)).await
    })
}
