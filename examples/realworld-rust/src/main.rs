//! The program. The variables `PORT`, `HOST` and `DATABASE_URL` set its address and its database, `AUTH_SECRET` the
//! secret of its tokens.

use std::process::ExitCode;

use realworld_rust::app::App;
use realworld_rust::router::router;

fn main() -> ExitCode {
    kit_runtime::run(async {
        let app = App::connect().await?;
        kit_runtime::serve(router(app)).await
    })
}
