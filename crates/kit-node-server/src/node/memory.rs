//! Memory of the process.

/// Returns the free memory of `malloc` to the system. glibc keeps freed blocks for later allocations, between blocks that
/// are in use, and never returns these by itself. Takes some milliseconds. Other C libraries return memory by
/// themselves, so the function does nothing there.
pub(crate) fn return_free_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: the function has no preconditions. It takes the locks of `malloc` itself, so any thread may call it.
    unsafe {
        libc::malloc_trim(0);
    }
}
