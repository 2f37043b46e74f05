//! A port that `kit dev` keeps open while it restarts the application's process.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, TcpListener};

use napi::{Error, Result};
use napi_derive::napi;

/// A listening socket that accepts no connections. Connections wait in its queue until a process that shares
/// the socket accepts them.
#[napi]
pub struct SharedListener {
    listener: Option<TcpListener>,
}

#[napi]
impl SharedListener {
    /// Listens on a port of a host. If `host` is absent, listens on all addresses.
    #[napi(constructor)]
    #[allow(clippy::needless_pass_by_value)] // Reason: Node-API passes an owned string.
    pub fn new(host: Option<String>, port: u16) -> Result<Self> {
        let listener = bind(host.as_deref(), port).map_err(|error| failure(&error))?;
        Ok(Self {
            listener: Some(listener),
        })
    }

    /// Returns the file descriptor of the socket, which another process can inherit.
    #[napi(getter)]
    pub fn fd(&self) -> Result<i32> {
        self.listener()
            .and_then(descriptor)
            .map_err(|error| failure(&error))
    }

    /// Returns the port number. If port 0 was requested, this is the port that the operating system has
    /// chosen.
    #[napi(getter)]
    pub fn port(&self) -> Result<u16> {
        let address = self.listener().and_then(TcpListener::local_addr);
        address
            .map(|address| address.port())
            .map_err(|error| failure(&error))
    }

    /// Closes the socket in this process. Processes that inherited it keep it open.
    #[napi]
    pub fn release(&mut self) {
        self.listener = None;
    }

    fn listener(&self) -> io::Result<&TcpListener> {
        self.listener
            .as_ref()
            .ok_or_else(|| io::Error::other("the port was released"))
    }
}

fn bind(host: Option<&str>, port: u16) -> io::Result<TcpListener> {
    if cfg!(windows) {
        return Err(io::ErrorKind::Unsupported.into());
    }
    match host {
        Some(host) => TcpListener::bind((host, port)),
        // The IPv6 wildcard address also accepts IPv4 connections. If the machine has no IPv6, listen on IPv4.
        None => TcpListener::bind((Ipv6Addr::UNSPECIFIED, port)).or_else(|error| match error.kind() {
            io::ErrorKind::AddrInUse | io::ErrorKind::PermissionDenied => Err(error),
            _ => TcpListener::bind((Ipv4Addr::UNSPECIFIED, port)),
        }),
    }
}

#[cfg(unix)]
#[allow(clippy::unnecessary_wraps)] // Reason: platforms without file descriptors return an error.
fn descriptor(listener: &TcpListener) -> io::Result<i32> {
    Ok(std::os::fd::AsRawFd::as_raw_fd(listener))
}

#[cfg(not(unix))]
fn descriptor(_listener: &TcpListener) -> io::Result<i32> {
    Err(io::ErrorKind::Unsupported.into())
}

fn failure(error: &io::Error) -> Error {
    Error::from_reason(error.to_string())
}
