/** Peer: `Bun.serve` with a stream for each reader. */
const readers = new Set();
const encoder = new TextEncoder();

Bun.serve({
  port: Number(process.env.PORT),
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    if (request.method === "POST") {
      const message = await request.json();
      const bytes = encoder.encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      for (const reader of readers) reader.enqueue(bytes);
      return new Response(null, { status: 204 });
    }
    let reader;
    const body = new ReadableStream({
      start(controller) {
        reader = controller;
        readers.add(reader);
        // Bun sends the head of a response together with its first bytes.
        controller.enqueue(encoder.encode(":\n\n"));
      },
      cancel: () => void readers.delete(reader),
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  },
});
process.stdin.resume().on("end", () => process.exit());
