import { lstat, unlink } from "node:fs/promises";
import { connect } from "node:net";

/**
 * Removes the file of a Unix socket if no process listens on the socket. A killed server leaves such a file.
 * Other files, and sockets with a listening process, are not changed.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  if ((await isSocket(path)) && (await isDeserted(path))) await unlink(path);
}

async function isSocket(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSocket();
  } catch {
    // The file does not exist or cannot be read. `listen` then reports the reason.
    return false;
  }
}

/** Returns true if a connection to the socket is refused, which means that no process listens. */
function isDeserted(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path, () => {
    socket.destroy();
    resolve(false);
  });
  socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED"));
  return promise;
}
