/** Reporter of node:test that writes a line for each file: `passed` or `failed`, the duration in milliseconds and the path, with tabs between them. */
export default async function* fileResults(events) {
  for await (const { type, data } of events) {
    // The summary of the whole run has no file.
    if (type === "test:summary" && data.file !== undefined)
      yield `${data.success ? "passed" : "failed"}\t${data.duration_ms}\t${data.file}\n`;
  }
}
