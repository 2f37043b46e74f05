//! Listens on a Unix socket, and keeps its file in order.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Socket, Type};

/// A listening Unix socket, whose file goes with it.
#[derive(Debug)]
pub(crate) struct UnixListener {
    pub(crate) listener: mio::net::UnixListener,
    path: PathBuf,
    /// Device and inode of the file that this listener made.
    file: (u64, u64),
}

impl UnixListener {
    /// Binds a path. A socket file that nobody listens on any more, as a killed server leaves it, is replaced; a file of
    /// another kind and a socket that somebody listens on are not touched.
    pub(crate) fn bind(path: &Path, backlog: u32) -> io::Result<Self> {
        let socket = Socket::new(Domain::UNIX, Type::STREAM, None)?;
        socket.set_nonblocking(true)?;
        let address = SockAddr::unix(path)?;
        match socket.bind(&address) {
            Err(error) if error.kind() == io::ErrorKind::AddrInUse && is_stale(path) => {
                remove(path)?;
                socket.bind(&address)?;
            }
            other => other?,
        }
        socket.listen(i32::try_from(backlog).unwrap_or(i32::MAX))?;
        let listener = mio::net::UnixListener::from_std(socket.into());
        Ok(Self {
            file: identity(path)?,
            path: path.to_owned(),
            listener,
        })
    }
}

impl Drop for UnixListener {
    fn drop(&mut self) {
        // Whoever took the path meanwhile keeps it.
        if identity(&self.path).is_ok_and(|file| file == self.file) {
            // Where it cannot be removed, the next server finds it stale.
            let _ = remove(&self.path);
        }
    }
}

/// Whether the file is a socket on which connecting is refused, which it is when nobody listens.
fn is_stale(path: &Path) -> bool {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket());
    is_socket
        && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

#[allow(clippy::disallowed_methods)] // the file is the socket's name, which only whoever bound it can take back
fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}
