import type { ClientCertificate } from "./client-certificate.ts";
import type { RequestState } from "./request-state.ts";

/** Reads certificates. Present if an application has listened with `tls.clientCa`: no other application needs the code. */
let readCertificate: ((der: Uint8Array) => ClientCertificate) | undefined;

/** Certificates that were read, so that each request has one object. */
const known = new WeakMap<RequestState, ClientCertificate>();

/** Loads the code that reads certificates. */
export async function loadCertificateReader(): Promise<void> {
  readCertificate = (await import("./client-certificate.ts")).readClientCertificate;
}

/** Returns the certificate of a request's client. `undefined` if there is none. */
export function certificateOf(state: RequestState): ClientCertificate | undefined {
  if (readCertificate === undefined) return undefined;
  const found = known.get(state);
  if (found !== undefined) return found;
  if (state.isReadTooLate("clientCertificate")) return undefined;
  const der = state.exchange.clientCertificate?.();
  if (der === undefined) return undefined;
  const certificate = readCertificate(der);
  known.set(state, certificate);
  return certificate;
}
