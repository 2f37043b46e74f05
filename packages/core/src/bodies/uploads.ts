/** Multipart bodies with files that the handler reads while the files arrive: `Upload` and `Uploads`. */
import type {
  CompiledBody,
  CompiledFilePart,
  Upload,
  Uploads,
  ValidationFailure,
  UploadDestination,
} from "@kit/types";

import { memberPath } from "../codec/path.ts";
import { serialIterator } from "../serial-iterator.ts";
import type { BodyResult } from "./body-result.ts";
import { CollectedBytes } from "./collected-bytes.ts";
import {
  checkFile,
  checkNumber,
  isTooLarge,
  isUnchosen,
  pathOfFile,
  tooLarge,
  typeOf,
  uploadOf,
} from "./file-rules.ts";
import { greatestSignature } from "./file-signatures.ts";
import type { MediaType } from "./media-type.ts";
import { MultipartParser, type MultipartPart, type MultipartStep } from "./multipart.ts";
import { boundaryOf, brokenFraming, checkParts, setPart } from "./multipart-body.ts";
import type { MultipartMistake, PartHead } from "./part-head.ts";
import { pipeChunksTo } from "./pipe-to.ts";

/** Number of bytes that fields, and files without `@maxBytes`, may have together before the first upload. */
const fieldBytes: number = 1024 * 1024;

/** Errors for bodies that the client has sent. */
export interface UploadErrors {
  /** Creates the error for broken rules. */
  readonly refuse: (failures: readonly ValidationFailure[]) => Error;
  /** Creates the error for fields and files that are too large to wait in memory for the upload. */
  readonly partsTooLarge: (limit: number) => Error;
}

/**
 * Reads and checks all parts before the first upload. The handler then reads the upload and the rest of the body. All other
 * parts must come before, because the handler starts with their values.
 */
export async function readUploads(
  chunks: AsyncIterable<Uint8Array>,
  format: CompiledBody,
  type: MediaType,
  errors: UploadErrors,
): Promise<BodyResult> {
  const boundary = boundaryOf(type);
  if (typeof boundary !== "string") return { failures: [brokenFraming(boundary)] };
  const steps = new Steps(chunks, boundary);
  const rest = new RestOfBody(format, steps, errors.refuse);
  const parts: MultipartPart[] = [];
  const limit = greatestMemory(format);
  const failures: ValidationFailure[] = [];
  let length = 0;
  let first: StreamedUpload | undefined;
  for (;;) {
    const step = await steps.next();
    if (step.kind === "mistake") return { failures: [brokenFraming(step)] };
    if (step.kind === "end") break;
    // The end and the content of a part that the contract does not declare.
    if (step.kind !== "part") continue;
    if (step.head.name === rest.file.name) {
      first = await rest.begin(step.head, failures);
      if (first !== undefined) break;
    } else if (rest.declares(step.head.name)) {
      const part = await readPart(step.head, steps, limit - length);
      if (part === undefined) throw errors.partsTooLarge(limit);
      if ("kind" in part) return { failures: [brokenFraming(part)] };
      length += part.bytes.length + part.name.length + (part.fileName?.length ?? 0);
      parts.push(part);
    }
  }
  const missing = first === undefined && !rest.file.optional ? checkNumber(rest.file, 0) : undefined;
  if (missing !== undefined) failures.push(missing);
  const checked = checkParts(format, parts, failures);
  if ("failures" in checked) return checked;
  const upload = rest.file.many ? new StreamedUploads(rest, first) : first;
  if (first !== undefined || !rest.file.optional) setPart(checked.value, rest.file.name, upload);
  return checked;
}

/** Returns the number of bytes of fields and files that may wait in memory for the upload. */
function greatestMemory({ files = [] }: CompiledBody): number {
  const sizes = files.map(({ streamed, many, maxBytes, maxItems = 1 }) =>
    streamed === true || maxBytes === undefined ? 0 : maxBytes * (many ? maxItems : 1),
  );
  return sizes.reduce((sum, size) => sum + size, fieldBytes);
}

/** Reads the content of a part. Returns `undefined` if the part has more bytes than `limit`. */
async function readPart(
  head: PartHead,
  steps: Steps,
  limit: number,
): Promise<MultipartPart | MultipartMistake | undefined> {
  const content = new CollectedBytes();
  const names = head.name.length + (head.fileName?.length ?? 0);
  for (;;) {
    if (names + content.length > limit) return undefined;
    const step = await steps.next();
    if (step.kind === "mistake") return step;
    if (step.kind !== "content") return { ...head, bytes: content.take() };
    // A copy, because a view of few bytes would keep the whole chunk.
    content.add(Buffer.from(step.bytes));
  }
}

/** Steps of the parser, which wait for the chunks of the body. */
class Steps {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #parser: MultipartParser;

  constructor(chunks: AsyncIterable<Uint8Array>, boundary: string) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#parser = new MultipartParser(boundary);
  }

  async next(): Promise<Exclude<MultipartStep, { kind: "more" }>> {
    for (;;) {
      const step = this.#parser.next();
      if (step.kind !== "more") return step;
      const { done, value } = await this.#chunks.next();
      if (done === true) this.#parser.end();
      else this.#parser.push(value);
    }
  }

  /** Ends reading: the rest of the body is not received. */
  cancel(): void {
    void this.#chunks.return?.();
  }
}

/** File that arrives. */
interface ArrivingFile {
  readonly head: PartHead;
  readonly path: string;
  /** Bytes that were received before the handler has asked for them. */
  readonly first: Uint8Array[];
  /** Number of received bytes. */
  received: number;
  /** True if the server has received the whole file. */
  isComplete: boolean;
  /** True if the handler has asked for the next part of the body before the end of the file. */
  isSkipped: boolean;
}

/** Body from its first upload on. */
class RestOfBody {
  readonly file: CompiledFilePart;
  readonly #names: ReadonlySet<string>;
  readonly #steps: Steps;
  readonly #refuse: (failures: readonly ValidationFailure[]) => Error;
  /** Upload whose content has not been read completely. */
  #current: ArrivingFile | undefined;
  /** Number of uploads that have begun. */
  #count = 0;
  /** Last step of the handler's reading. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(format: CompiledBody, steps: Steps, refuse: (failures: readonly ValidationFailure[]) => Error) {
    this.file = uploadOf(format)!;
    this.#names = namesOf(format);
    this.#steps = steps;
    this.#refuse = refuse;
  }

  /** Returns true if the contract declares a part, which is not the upload. */
  declares(name: string): boolean {
    return this.#names.has(name);
  }

  /**
   * Begins an upload, whose head was read. Reads the first bytes, which show the type of the file. Adds the broken rules to
   * `failures`. Returns `undefined` for the empty part that browsers send if no file was chosen.
   */
  async begin(head: PartHead, failures: ValidationFailure[]): Promise<StreamedUpload | undefined> {
    const { file } = this;
    const path = pathOfFile(file, this.#count);
    const upload = {
      head,
      path,
      first: [] as Uint8Array[],
      received: 0,
      isComplete: false,
      isSkipped: false,
    };
    this.#current = upload;
    const needed = file.mediaTypes === undefined ? 1 : greatestSignature;
    while (upload.received < needed) {
      const bytes = await this.#receive(upload);
      if (bytes === undefined) break;
      upload.first.push(bytes);
    }
    if (isUnchosen(head, upload.received)) return undefined;
    this.#count += 1;
    const greatestCount = file.many ? (file.maxItems ?? Infinity) : 1;
    if (this.#count > greatestCount) failures.push(checkNumber(file, this.#count)!);
    if (isTooLarge(file, upload.received)) failures.push(tooLarge(file, upload.path, "a larger file"));
    checkFile(file, head, Buffer.concat(upload.first), upload.path, failures);
    return new StreamedUpload(this, upload);
  }

  /** Returns the next bytes of an upload, or `undefined` at its end. */
  async read(upload: ArrivingFile): Promise<Uint8Array | undefined> {
    return this.#inOrder(async () => {
      if (upload.isSkipped)
        throw new TypeError(
          "The upload can no longer be read, because the handler has already asked for the next part of the body",
        );
      const first = upload.first.shift();
      if (first !== undefined) return first;
      const bytes = await this.#receive(upload);
      if (bytes !== undefined && isTooLarge(this.file, upload.received))
        throw this.#refuse([tooLarge(this.file, upload.path, "a larger file")]);
      // The end of the only file tells the handler that the whole body was valid.
      if (bytes === undefined && !this.file.many) await this.#readToNext();
      return bytes;
    });
  }

  /** Skips the rest of the current upload. Returns the next upload, or `undefined` at the end of the body. */
  async skipToNext(): Promise<StreamedUpload | undefined> {
    return this.#inOrder(() => this.#readToNext());
  }

  /** Ends reading: the rest of the body is not received. */
  cancel(): void {
    this.#steps.cancel();
  }

  async #readToNext(): Promise<StreamedUpload | undefined> {
    const current = this.#current;
    if (current !== undefined) current.isSkipped = !current.isComplete || current.first.length > 0;
    this.#current = undefined;
    for (;;) {
      const step = await this.#steps.next();
      if (step.kind === "mistake") throw this.#refuse([brokenFraming(step)]);
      if (step.kind === "end") break;
      if (step.kind !== "part") continue;
      if (this.declares(step.head.name)) throw this.#refuse([late(step.head.name, this.file.name)]);
      if (step.head.name !== this.file.name) continue;
      const failures: ValidationFailure[] = [];
      const upload = await this.begin(step.head, failures);
      if (failures.length > 0) throw this.#refuse(failures);
      if (upload !== undefined) return upload;
    }
    const tooFew = this.file.many ? checkNumber(this.file, this.#count) : undefined;
    if (tooFew !== undefined) throw this.#refuse([tooFew]);
    return undefined;
  }

  /** Returns the bytes of the content that arrive next, or `undefined` at its end. */
  async #receive(upload: ArrivingFile): Promise<Uint8Array | undefined> {
    if (upload.isComplete) return undefined;
    const step = await this.#steps.next();
    if (step.kind === "mistake") throw this.#refuse([brokenFraming(step)]);
    if (step.kind !== "content") {
      upload.isComplete = true;
      return undefined;
    }
    upload.received += step.bytes.length;
    return step.bytes;
  }

  /** Runs a step of the handler's reading after the earlier ones. After an error, every later step fails with the same error. */
  #inOrder<T>(run: () => Promise<T>): Promise<T> {
    const result = this.#last.then(run);
    this.#last = result;
    return result;
  }
}

/** Names of the declared parts of each body, without the upload. */
const names = new WeakMap<CompiledBody, ReadonlySet<string>>();

function namesOf(format: CompiledBody): ReadonlySet<string> {
  const known = names.get(format);
  if (known !== undefined) return known;
  const files = (format.files ?? []).filter(({ streamed }) => streamed !== true);
  const found = new Set(files.map(({ name }) => name));
  format.multipart?.((name) => {
    found.add(name);
    return undefined;
  });
  names.set(format, found);
  return found;
}

function late(name: string, upload: string): ValidationFailure {
  return {
    path: memberPath("$", name),
    expected: `a part before ${upload}`,
    received: `a part after ${upload}`,
    rule: "multipart",
    suggestion: `Send ${upload} as the last part`,
  };
}

/** Upload that arrives while the handler reads. */
class StreamedUpload implements Upload {
  readonly #body: RestOfBody;
  readonly #arriving: ArrivingFile;
  #isIterated = false;

  constructor(body: RestOfBody, arriving: ArrivingFile) {
    this.#body = body;
    this.#arriving = arriving;
  }

  get name(): string {
    return this.#arriving.head.fileName ?? "";
  }

  get type(): string {
    return typeOf(this.#arriving.head);
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array, undefined, undefined> {
    if (this.#isIterated) throw new TypeError("An upload can be read only once");
    this.#isIterated = true;
    return serialIterator(
      () => this.#body.read(this.#arriving),
      () => {
        // A handler that leaves one of several files may read the next.
        if (!this.#body.file.many) this.#body.cancel();
      },
    );
  }

  pipeTo(destination: UploadDestination): Promise<void> {
    return pipeChunksTo(this, destination);
  }
}

/** Uploads with one name, in the order of the client. */
class StreamedUploads implements Uploads {
  readonly #body: RestOfBody;
  #first: Upload | undefined;
  #isIterated = false;

  constructor(body: RestOfBody, first: Upload | undefined) {
    this.#body = body;
    this.#first = first;
  }

  [Symbol.asyncIterator](): AsyncIterator<Upload, undefined, undefined> {
    if (this.#isIterated) throw new TypeError("Uploads can be read only once");
    this.#isIterated = true;
    return serialIterator<Upload>(
      async () => {
        const first = this.#first;
        this.#first = undefined;
        return first ?? this.#body.skipToNext();
      },
      () => this.#body.cancel(),
    );
  }
}
