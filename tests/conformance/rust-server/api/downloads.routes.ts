// The contracts of `conformance/downloads.json`, below `/downloads`.

import type { Download, Route } from "@kit/types";

export interface DownloadRoutes {
  "GET /downloads/files/*name": Route<{ params: { name: string }; response: Download<"text/plain"> }>;
  "GET /downloads/named": Route<{ query: { as: string }; response: Download<"text/plain"> }>;
  "GET /downloads/source": Route<{ response: Download<"text/plain"> }>;
  "GET /downloads/bytes": Route<{ response: Download<"text/plain"> }>;
  "GET /downloads/cached": Route<{ response: Download<"text/plain"> }>;
  "GET /downloads/no-directory": Route<{ response: Download<"text/plain"> }>;
  "GET /downloads/endless": Route<{ response: Download<"text/plain"> }>;
}
