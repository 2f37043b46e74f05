//! The program. The variables `PORT`, `HOST` and `DATABASE_URL` set its address and its database, `KIT_COOKIE_KEYS` the keys
//! of its cookies. `.env.example` lists the variables of the shop, and `server.env.example` those of every Rust server of kit.

use std::process::ExitCode;

use shop_rust::app::App;
use shop_rust::router::router;
use shop_rust::services::sessions;

fn main() -> ExitCode {
    kit_runtime::run(async {
        let app = App::connect().await?;
        tokio::spawn(sessions::remove_ended(app.pool.clone()));
        kit_runtime::serve(router(app)).await
    })
}
