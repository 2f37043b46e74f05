/** Logs that applications write while `kit test` runs their tests. */
import { open, readdir } from "node:fs/promises";
import { join } from "node:path";

import type { ProgramLog } from "@kit/transform-native";

/** Maximum number of bytes that are read from the end of one log, and of all logs. */
const MOST_OF_ONE = 1024 * 1024;
const MOST_OF_ALL = 16 * 1024 * 1024;

/** Maximum number of bytes of the first line, which names the program. */
const FIRST_LINE = 8192;

/** Reads the last part of each log in a directory. */
export async function logsIn(directory: string): Promise<ProgramLog[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith(".log")).toSorted();
  const most = Math.min(MOST_OF_ONE, Math.floor(MOST_OF_ALL / Math.max(1, names.length)));
  const logs: ProgramLog[] = [];
  for (const name of names) {
    // oxlint-disable-next-line no-await-in-loop -- a run may have more logs than a process may open files
    logs.push(await logOf(join(directory, name), most));
  }
  return logs;
}

async function logOf(path: string, most: number): Promise<ProgramLog> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const read = async (length: number, position: number): Promise<string> => {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position);
      return buffer.toString("utf8", 0, bytesRead);
    };
    const [first = ""] = (await read(Math.min(FIRST_LINE, size), 0)).split("\n");
    const start = Math.max(0, size - most);
    const text = await read(size - start, start);
    // The first line of a part is possibly cut.
    return { program: programOf(first), text: start === 0 ? text : text.slice(text.indexOf("\n") + 1) };
  } finally {
    await file.close();
  }
}

function programOf(line: string): string {
  try {
    const { program } = JSON.parse(line) as { readonly program?: unknown };
    return typeof program === "string" ? program : "";
  } catch {
    return "";
  }
}
