/** Rules that tell where a line ends. */
export interface LineEnds {
  /** Line ends: LF and CR LF, and in event streams also CR. */
  readonly end: RegExp;
  /** True if the text after the last line end is a line. In an event stream, this text is incomplete. */
  readonly takesRest: boolean;
}

/** Line ends of JSON Lines. */
export const JSON_LINES: LineEnds = { end: /\r?\n/, takesRest: true };

/** Line ends of event streams (WHATWG HTML, 9.2.5). */
export const EVENT_LINES: LineEnds = { end: /\r\n|\r|\n/, takesRest: false };

/** Yields the lines of a stream of UTF-8 text, without their line ends. Cancels the stream if the iteration ends early. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array>,
  { end, takesRest }: LineEnds,
): AsyncGenerator<string, void, undefined> {
  const reader = stream.getReader();
  // `TextDecoder` removes a byte order mark at the start.
  const decoder = new TextDecoder();
  let rest = "";
  let endedWithCr = false;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      let text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      // In an event stream, the CR of the chunk before has ended the line already.
      const isHalf = endedWithCr && text.startsWith("\n");
      if (isHalf) text = text.slice(1);
      if (isHalf || text !== "") endedWithCr = !takesRest && text.endsWith("\r");
      const lines = text.split(end);
      if (lines.length > 1) {
        const first = rest + lines.shift()!;
        // In JSON Lines, the CR before this LF may have arrived in the chunk before.
        yield takesRest && first.endsWith("\r") ? first.slice(0, -1) : first;
        rest = "";
      }
      rest += lines.pop()!;
      yield* lines;
      if (done) break;
    }
    if (takesRest && rest !== "") yield rest;
  } finally {
    await reader.cancel().catch(() => {});
  }
}
