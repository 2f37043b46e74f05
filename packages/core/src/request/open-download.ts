import { NotFoundError } from "@kit/errors";
import type { CompiledRoute } from "@kit/types";

import { endContent } from "../bodies/content.ts";
import { tagOf } from "../edge/entity-tag.ts";
import { withoutStack } from "../errors/without-stack.ts";
import { DownloadDirectories } from "../files/download-directories.ts";
import { namesInDirectory } from "../files/file-path.ts";
import { OpenDescriptor } from "../files/open-descriptor.ts";
import { openFile } from "../files/open-file.ts";
import { type FileValidators, lastModifiedOf, validatorsOf } from "../files/validators.ts";
import { isThenable } from "../thenable.ts";
import { type DownloadFile, DownloadResponse, type DownloadSource } from "./download.ts";
import { RawResponse } from "./raw-response.ts";

/** Download whose size is known and whose file is open. It must be sent or closed. */
export class OpenDownload {
  readonly size: number;
  readonly validators: FileValidators;
  readonly body: OpenDescriptor | Uint8Array | DownloadSource;
  readonly #options: DownloadResponse | null;

  constructor(
    body: OpenDownload["body"],
    size: number,
    validators: FileValidators,
    options: DownloadResponse | null,
  ) {
    this.body = body;
    this.size = size;
    this.validators = validators;
    this.#options = options;
  }

  /** Value of the header `content-disposition`. `null` if there is none. */
  get disposition(): string | null {
    return this.#options?.disposition ?? null;
  }

  /** Value of the header `cache-control`. `null` if the handler has chosen none for the download. */
  get cacheControl(): string | null {
    return this.#options?.cacheControl ?? null;
  }

  /** Closes the file of a download that is not sent. */
  close(): void {
    if (this.body instanceof OpenDescriptor) this.body.close();
  }
}

type CallHandler<TInput> = (input: TInput) => unknown;

/** Returns the handler of a route with `Download`, so that its result is an {@link OpenDownload}. Returns other handlers unchanged. */
export function openingDownloads<TInput>(
  { ref, responseFormat }: CompiledRoute,
  handler: CallHandler<TInput>,
  projectRoot: string,
): CallHandler<TInput> {
  if (responseFormat?.format !== "download") return handler;
  const directories = new DownloadDirectories(projectRoot);
  const open = (result: unknown): unknown => openResult(ref, result, directories);
  return (input) => {
    const result = handler(input);
    return isThenable(result) ? result.then(open) : open(result);
  };
}

function openResult(ref: string, result: unknown, directories: DownloadDirectories): unknown {
  if (result instanceof RawResponse) return result;
  if (result instanceof Uint8Array) return openBytes(result, null);
  if (!(result instanceof DownloadResponse)) {
    endContent(result);
    throw notADownload(ref, result);
  }
  const { source } = result;
  if (source instanceof Uint8Array) return openBytes(source, result);
  if ("dir" in source) return openNamed(source, result, directories);
  const { size, etag, lastModified } = source;
  const validators = {
    tag: etag ?? null,
    lastModified: lastModified === undefined ? null : lastModifiedOf(lastModified.getTime()),
  };
  return new OpenDownload(source, size, validators, result);
}

/** Returns bytes in memory with a strong entity tag, so that clients can continue the download. */
function openBytes(bytes: Uint8Array, options: DownloadResponse | null): OpenDownload {
  const tag = tagOf(bytes).slice("W/".length);
  return new OpenDownload(bytes, bytes.length, { tag, lastModified: null }, options);
}

/** @throws {NotFoundError} If there is no such file in the directory. */
async function openNamed(
  { dir, name }: DownloadFile,
  options: DownloadResponse,
  directories: DownloadDirectories,
): Promise<OpenDownload> {
  const root = directories.known(dir) ?? (await directories.find(dir));
  const names = namesInDirectory(name);
  const opened = names === null ? null : await openFile({ root, followSymlinks: false }, names);
  if (opened === null || opened === "directory") throw noFile();
  const { file, size, modified } = opened;
  return new OpenDownload(file, size, validatorsOf({ size, modified, coding: null }), options);
}

function noFile(): NotFoundError {
  return withoutStack(() => new NotFoundError("NOT_FOUND", "The file does not exist"));
}

function notADownload(ref: string, result: unknown): TypeError {
  const found =
    result === undefined ? "nothing" : result === null ? "null" : `a value of type ${typeof result}`;
  return new TypeError(
    `The handler of ${ref} returned ${found}, but its contract has Download<…>; return download(…) or a Uint8Array`,
  );
}
