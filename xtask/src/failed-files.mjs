/** A reporter of node:test: the path of each file in which a test failed, a line each. */
export default async function* failedFiles(events) {
  for await (const { type, data } of events) {
    // The summary of all files has none.
    if (type === "test:summary" && data.file !== undefined && !data.success) yield `${data.file}\n`;
  }
}
