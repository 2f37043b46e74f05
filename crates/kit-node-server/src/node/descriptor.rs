//! File descriptors that the process inherited.

use std::io;
use std::net::TcpListener;
use std::os::fd::BorrowedFd;

/// Returns the listening socket that this process inherited as the file descriptor with this number. The original
/// descriptor stays open.
pub(crate) fn inherited_listener(number: i32) -> io::Result<TcpListener> {
    // 0 to 2 are the standard streams. Negative numbers are not descriptors.
    if number < 3 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: the number is not -1. The descriptor is borrowed only for the call that duplicates it. That call fails if
    // the number is not open, and nothing here closes the original.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    let socket = TcpListener::from(descriptor.try_clone_to_owned()?);
    // Fails if the descriptor is not a socket.
    socket.local_addr()?;
    Ok(socket)
}
