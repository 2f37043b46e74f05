//! Descriptors that this process was started with.

use std::io;
use std::net::TcpListener;
use std::os::fd::BorrowedFd;

/// A socket that listens, by the number under which this process inherited it. The descriptor itself stays open: who passed
/// it on decides about it.
pub(crate) fn inherited_listener(number: i32) -> io::Result<TcpListener> {
    // 0 to 2 are the standard streams, and a negative one is none.
    if number < 3 {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    // SAFETY: the number is not -1. It is borrowed only for the call that duplicates it, which fails where no descriptor
    // has that number; nothing here closes it.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    let socket = TcpListener::from(descriptor.try_clone_to_owned()?);
    // Of anything but a socket this fails.
    socket.local_addr()?;
    Ok(socket)
}
