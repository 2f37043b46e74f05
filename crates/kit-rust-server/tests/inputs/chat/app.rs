//! State of the page of the guide about sockets.

use kit_runtime::{Application, Error};
use tokio::sync::broadcast;

use crate::models::Message;

#[derive(Debug, Clone)]
pub struct App {
    /// Messages of all rooms, with the names of the rooms.
    pub messages: broadcast::Sender<(String, Message)>,
}

impl App {
    pub fn new() -> Self {
        Self {
            messages: broadcast::Sender::new(100),
        }
    }
}

impl Default for App {
    fn default() -> Self {
        Self::new()
    }
}

impl Application for App {
    async fn ready(&self) -> Result<(), Error> {
        Ok(())
    }
}
