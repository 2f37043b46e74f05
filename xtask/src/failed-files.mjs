/** Reporter for node:test that prints the path of each file with a failed test, one per line. */
export default async function* failedFiles(events) {
  for await (const { type, data } of events) {
    // The summary of all files has no file.
    if (type === "test:summary" && data.file !== undefined && !data.success) yield `${data.file}\n`;
  }
}
