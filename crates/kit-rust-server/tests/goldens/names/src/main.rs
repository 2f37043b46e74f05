//! The program. The variables `PORT`, `HOST` and `DATABASE_URL` set its address and its database.
//!
//! This file is yours: kit wrote it once and does not change it.

use std::process::ExitCode;

use names::app::App;
use names::router::router;

fn main() -> ExitCode {
    kit_runtime::run(async {
        let app = App::connect().await?;
        kit_runtime::serve(router(app)).await
    })
}
