// Multipart bodies for the route `POST /avatars`, whose upload has the name `avatar`.

export const begin = '--b\r\nContent-Disposition: form-data; name="avatar"; filename="a"\r\n\r\n';
export const end = "\r\n--b--\r\n";
const field = '--b\r\nContent-Disposition: form-data; name="other"\r\n\r\n';

/** Returns a text of about this length that repeats another. */
function fill(text: string, length: number): string {
  return text.repeat(Math.ceil(length / text.length));
}

/** Bodies that would need much memory in a careless parser, with the status of the response. */
export const hostile: readonly [what: string, status: number, parts: () => Iterable<string>][] = [
  ["endless headers", 400, () => ["--b\r\nx: ", ...Array<string>(1000).fill(fill("y", 65_536))]],
  ["endless short headers", 400, () => ["--b\r\n", ...Array<string>(1000).fill(fill("x-y: z\r\n", 65_536))]],
  ["100,000 parts", 400, () => Array<string>(100_000).fill(`${field}1\r\n`)],
  ["no boundary", 400, () => Array<string>(1000).fill(fill("x", 65_536))],
  ["line breaks before the boundary", 400, () => Array<string>(1000).fill(fill("\r\n", 65_536))],
  ["blanks after the boundary", 400, () => ["--b", ...Array<string>(1000).fill(fill(" ", 65_536)), "x"]],
  ["a part without an end", 400, () => [begin, ...Array<string>(1000).fill(fill("\r\n--a", 65_536))]],
  [
    "a nested multipart body",
    204,
    () => [
      begin.replace("\r\n\r\n", "\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n"),
      ...Array<string>(1000).fill(fill("--c\r\nContent-Disposition: file\r\n\r\n1\r\n", 65_536)),
      end,
    ],
  ],
  [
    "starts of boundaries",
    204,
    () => [begin, ...Array<string>(1000).fill(fill("\r\n--\r\r\n-", 65_536)), end],
  ],
  [
    "undeclared parts before the upload",
    204,
    () => [field, ...Array<string>(1000).fill(fill("x", 65_536)), "\r\n", `${begin}1${end}`],
  ],
];
