import type { ContentCoding } from "../edge/accept-encoding.ts";
import type { CompressionOptions, ReadCompression } from "../edge/compression.ts";
import { suggestName } from "./suggestion.ts";

const known: Readonly<Record<keyof CompressionOptions, true>> = { encodings: true, minBytes: true };
const codings: readonly ContentCoding[] = ["br", "gzip"];
const defaultMinBytes = 1024;

/**
 * Reads the option `compression`. Returns `null` if the option is off.
 *
 * @throws {TypeError} If the option is invalid. The message names the problem.
 */
export function readCompression(given: boolean | CompressionOptions | undefined): ReadCompression | null {
  if (given === undefined || given === false) return null;
  if (given !== true && (typeof given !== "object" || given === null || Array.isArray(given))) {
    throw new TypeError(
      "createApp: `compression` must be true, false or an object such as { minBytes: 2048 }",
    );
  }
  const options = given === true ? {} : given;
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(known, name)) continue;
    throw new TypeError(
      `createApp: there is no option \`compression.${name}\`${suggestName(name, Object.keys(known))}`,
    );
  }
  const { encodings = codings, minBytes = defaultMinBytes } = options;
  if (!Number.isSafeInteger(minBytes) || minBytes < 0) {
    throw new TypeError("createApp: `compression.minBytes` must be a whole number of bytes");
  }
  return { encodings: readEncodings(encodings), minBytes };
}

function readEncodings(encodings: unknown): readonly ContentCoding[] {
  if (!Array.isArray(encodings) || encodings.length === 0) {
    throw new TypeError('createApp: `compression.encodings` must be a list such as ["br", "gzip"]');
  }
  for (const [index, coding] of (encodings as readonly unknown[]).entries()) {
    if (!codings.includes(coding as ContentCoding)) {
      throw new TypeError(
        `createApp: \`compression.encodings\` has ${JSON.stringify(coding)}; kit can use "br" and "gzip"`,
      );
    }
    if (encodings.indexOf(coding) !== index) {
      throw new TypeError(`createApp: \`compression.encodings\` has "${String(coding)}" twice`);
    }
  }
  return [...(encodings as readonly ContentCoding[])];
}
