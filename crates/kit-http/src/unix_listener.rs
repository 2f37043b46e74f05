//! Listens on a Unix socket, and creates and removes its file.

use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use socket2::{Domain, SockAddr, Socket, Type};

/// A listening Unix socket. When it is dropped, its file is removed.
#[derive(Debug)]
pub(crate) struct UnixListener {
    pub(crate) listener: mio::net::UnixListener,
    path: PathBuf,
    /// Device and inode number of the file, to recognize it later.
    file: (u64, u64),
}

impl UnixListener {
    /// Listens on a path. If a killed server has left a socket file there, replaces it. Fails if the path is another
    /// file, or a socket on which a process listens.
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
        // If another process listens on the path now, its file must stay.
        if identity(&self.path).is_ok_and(|file| file == self.file) {
            // If this fails, the next server on this path replaces the file.
            let _ = remove(&self.path);
        }
    }
}

/// Returns true if the file is a socket on which no process listens, because it refuses connections.
fn is_stale(path: &Path) -> bool {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|metadata| metadata.file_type().is_socket());
    is_socket
        && UnixStream::connect(path).is_err_and(|error| error.kind() == io::ErrorKind::ConnectionRefused)
}

fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = fs::symlink_metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

#[allow(clippy::disallowed_methods)] // the process that bound the socket must remove its file
fn remove(path: &Path) -> io::Result<()> {
    fs::remove_file(path)
}
