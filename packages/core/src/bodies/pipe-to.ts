import type { UploadDestination } from "@kit/types";

/** Writes chunks to a stream of the web platform and closes the stream. An error aborts the stream. */
export async function pipeChunksTo(
  chunks: AsyncIterable<Uint8Array>,
  destination: UploadDestination,
): Promise<void> {
  const writer = destination.getWriter();
  try {
    for await (const bytes of chunks) await writer.write(bytes);
    await writer.close();
  } catch (error) {
    await writer.abort(error).catch(() => undefined);
    throw error;
  } finally {
    writer.releaseLock();
  }
}
