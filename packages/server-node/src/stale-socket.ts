import { lstat, unlink } from "node:fs/promises";
import { connect } from "node:net";

/**
 * Removes the file of a Unix socket that nobody listens on any more, as a killed server leaves it. A file of another kind
 * and a socket that somebody listens on are not touched.
 */
export async function removeStaleSocket(path: string): Promise<void> {
  if ((await isSocket(path)) && (await isDeserted(path))) await unlink(path);
}

async function isSocket(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSocket();
  } catch {
    // Nothing is there, or nothing that may be looked at; listening says which.
    return false;
  }
}

/** Whether connecting is refused, which it is when nobody listens. */
function isDeserted(path: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(path, () => {
    socket.destroy();
    resolve(false);
  });
  socket.on("error", ({ code }: NodeJS.ErrnoException) => resolve(code === "ECONNREFUSED"));
  return promise;
}
