/**
 * Downloads and compiles a WebAssembly module that is compressed with gzip. The file is compressed at build time, because not every server
 * of static files compresses WebAssembly.
 *
 * @param bytes - Number of bytes of the file.
 * @param progress - Receives the loaded part of the file, from 0 to 1.
 * @throws {Error} If the file cannot be loaded or compiled. The message says what to do.
 */
export async function loadModule(
  url: URL,
  bytes: number,
  progress: (part: number) => void,
): Promise<WebAssembly.Module> {
  if (typeof WebAssembly !== "object" || typeof DecompressionStream !== "function") {
    throw new Error(
      "This browser cannot run the compiler. Use a browser of 2024 or newer, with WebAssembly.",
    );
  }
  const response = await fetch(url).catch((error: unknown) => {
    throw new Error(`The compiler could not be loaded: ${messageOf(error)}. Check the connection.`);
  });
  if (!response.ok || response.body === null) {
    throw new Error(
      `The compiler could not be loaded: ${url.pathname} answered with status ${response.status}. Reload the page, since the site may be new.`,
    );
  }
  let loaded = 0;
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform(chunk, controller) {
      loaded += chunk.byteLength;
      progress(Math.min(1, loaded / bytes));
      controller.enqueue(chunk);
    },
  });
  const stream = response.body.pipeThrough(count).pipeThrough(new DecompressionStream("gzip"));
  const program = new Response(stream, { headers: { "content-type": "application/wasm" } });
  return WebAssembly.compileStreaming(program).catch((error: unknown) => {
    throw new Error(`The compiler was not loaded completely: ${messageOf(error)}. Reload the page.`);
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
