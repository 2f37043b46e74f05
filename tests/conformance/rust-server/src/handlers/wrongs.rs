//! Handlers of `WrongRoutes`. Their responses break the contract. In development, each of them is reported; in
//production, the server cannot detect the first one.

use crate::app::App;
use crate::error::Error;
use crate::models::{Numbered, Short};
use crate::router::{GetInfinite, GetWrong, WrongRoutes};

impl WrongRoutes for App {
    async fn get_wrong(&self, _input: GetWrong) -> Result<Short, Error> {
        Ok(Short {
            text: "long".to_owned(),
        })
    }

    async fn get_infinite(&self, _input: GetInfinite) -> Result<Numbered, Error> {
        Ok(Numbered {
            number: f64::INFINITY,
        })
    }
}
