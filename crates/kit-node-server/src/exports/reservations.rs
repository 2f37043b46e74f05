//! Reserves ports on which several worker processes will listen.

use std::cell::RefCell;

use kit_http::Reservation;

use super::{State, bind_error};
use crate::node::{Env, Error, Value};

/// Reservations of ports, by number. A reservation ends when it is released, or when its environment ends.
#[derive(Default)]
pub(crate) struct Reservations(RefCell<Vec<Option<Reservation>>>);

/// `reserve(host: string | null, port: number): string`: reserves a port and returns `{"reservation", "host",
/// "port"}` as JSON.
pub(crate) fn reserve<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let host = if env.is_nothing(args[0])? {
        None
    } else {
        Some(env.to_text(args[0])?)
    };
    let port = u16::try_from(env.to_u32(args[1])?)
        .map_err(|_| Error::new("ERR_KIT_OPTIONS", "a port is a number up to 65535"))?;
    let reservation = Reservation::new(host.as_deref(), port).map_err(|error| bind_error(&error))?;
    let address = reservation.local_addr();
    let mut reservations = state.reservations.0.borrow_mut();
    let text = serde_json::json!({
        "reservation": reservations.len(),
        "host": address.ip().to_string(),
        "port": address.port(),
    });
    reservations.push(Some(reservation));
    env.string(&text.to_string())
}

/// `release(reservation)`: ends a reservation. Does nothing if the reservation has already ended.
pub(crate) fn release<'scope>(
    env: Env<'scope>,
    state: &State,
    args: &[Value<'scope>],
) -> Result<Value<'scope>, Error> {
    let number = env.to_u32(args[0])? as usize;
    if let Some(place) = state.reservations.0.borrow_mut().get_mut(number) {
        *place = None;
    }
    env.undefined()
}
