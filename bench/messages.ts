import type { ChildProcess } from "node:child_process";
import { once } from "node:events";

/**
 * Returns the next message that a process sends.
 *
 * @throws {Error} if the process exits instead.
 */
export async function nextMessage<Message>(name: string, child: ChildProcess): Promise<Message> {
  const controller = new AbortController();
  const { signal } = controller;
  try {
    const [message] = (await Promise.race([
      once(child, "message", { signal }),
      once(child, "exit", { signal }).then(([code]) => {
        throw new Error(`${name} exited with ${String(code)}`);
      }),
    ])) as [Message];
    return message;
  } finally {
    controller.abort();
  }
}
