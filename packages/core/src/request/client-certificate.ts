/** Certificates of TLS clients (RFC 5280), as handlers see them. The server has verified them before. */
import { readName } from "./distinguished-name.ts";
import { DerReader, sequence } from "./der.ts";

/** Certificate with which a client has proved its identity in the TLS handshake. */
export interface ClientCertificate {
  /** Name of the owner in the form of RFC 4514: `CN=billing,O=Example`. Empty if the certificate has no such name. */
  readonly subject: string;
  /** `CN` of the subject. `undefined` if there is none, or more than one. */
  readonly commonName: string | undefined;
  /** Name of the authority that signed the certificate, in the form of `subject`. */
  readonly issuer: string;
  /** Number that the authority gave to the certificate, as hexadecimal digits in upper case. */
  readonly serialNumber: string;
  /** SHA-256 of the certificate as `openssl x509 -fingerprint -sha256` prints it: `AB:CD:…`. */
  readonly fingerprint256: string;
  /** Host names of the extension `subjectAltName`. */
  readonly dnsNames: readonly string[];
  /** URIs of this extension, such as SPIFFE ids. */
  readonly uris: readonly string[];
  /** Email addresses of this extension. */
  readonly emails: readonly string[];
  /** IP addresses of this extension. */
  readonly ipAddresses: readonly string[];
  /** Time from which the certificate is valid. */
  readonly validFrom: Date;
  /** Time until which the certificate is valid. */
  readonly validTo: Date;
  /** Returns the certificate in PEM. */
  pem(): string;
}

/** Object identifier of the extension `subjectAltName`: 2.5.29.17. */
const subjectAltName = Buffer.from([0x55, 0x1d, 0x11]);
const printable = /^[\x21-\x7e]*$/;

interface AlternativeNames {
  readonly dnsNames: string[];
  readonly uris: string[];
  readonly emails: string[];
  readonly ipAddresses: string[];
}

/** Implementation of {@link ClientCertificate}. Logs show subject and fingerprint only. */
class ReadCertificate implements ClientCertificate {
  readonly subject: string;
  readonly commonName: string | undefined;
  readonly issuer: string;
  readonly serialNumber: string;
  readonly fingerprint256: string;
  readonly dnsNames: readonly string[];
  readonly uris: readonly string[];
  readonly emails: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly validFrom: Date;
  readonly validTo: Date;
  readonly #pem: () => string;

  constructor(der: Uint8Array) {
    const { X509Certificate } = process.getBuiltinModule("node:crypto");
    const certificate = new X509Certificate(der);
    const { issuer, subject, names } = readFields(certificate.raw);
    this.subject = subject.text;
    this.commonName = subject.commonName;
    this.issuer = issuer.text;
    this.serialNumber = certificate.serialNumber;
    this.fingerprint256 = certificate.fingerprint256;
    this.dnsNames = names.dnsNames;
    this.uris = names.uris;
    this.emails = names.emails;
    this.ipAddresses = names.ipAddresses;
    this.validFrom = certificate.validFromDate;
    this.validTo = certificate.validToDate;
    this.#pem = () => certificate.toString();
  }

  pem(): string {
    return this.#pem();
  }

  toJSON(): object {
    return { subject: this.subject, fingerprint256: this.fingerprint256 };
  }
}

/**
 * Reads a certificate in DER. The counterpart is `crates/kit-tls/src/certificate.rs`.
 *
 * @throws {Error} if the bytes are no certificate.
 */
export function readClientCertificate(der: Uint8Array): ClientCertificate {
  return new ReadCertificate(der);
}

function readFields(der: Buffer): {
  readonly issuer: ReturnType<typeof readName>;
  readonly subject: ReturnType<typeof readName>;
  readonly names: AlternativeNames;
} {
  const fields = new DerReader(new DerReader(new DerReader(der).expect(sequence)).expect(sequence));
  // The version is optional, with the tag `[0]`. The serial number, the algorithm of the signature, the issuer, the times, the subject and
  // its key follow.
  if (fields.next().tag === 0xa0) fields.next();
  fields.expect(sequence);
  const issuer = readName(fields.expect(sequence));
  fields.expect(sequence);
  const subject = readName(fields.expect(sequence));
  fields.expect(sequence);
  const names: AlternativeNames = { dnsNames: [], uris: [], emails: [], ipAddresses: [] };
  while (!fields.isAtEnd) {
    const { tag, content } = fields.next();
    if (tag === 0xa3) addExtensions(names, new DerReader(new DerReader(content).expect(sequence)));
  }
  return { issuer, subject, names };
}

function addExtensions(names: AlternativeNames, list: DerReader): void {
  while (!list.isAtEnd) {
    const extension = new DerReader(list.next().content);
    if (!extension.expect(0x06).equals(subjectAltName)) continue;
    const { tag, content } = extension.next();
    // A boolean may come first: if the extension is critical.
    const value = tag === 0x01 ? extension.expect(0x04) : content;
    const found = new DerReader(new DerReader(value).expect(sequence));
    while (!found.isAtEnd) addName(names, found.next());
  }
}

/** Adds an alternative name. Kinds that the interface does not have, and names that are not printable ASCII, are left out. */
function addName(
  names: AlternativeNames,
  { tag, content }: { readonly tag: number; readonly content: Buffer },
): void {
  if (tag === 0x87) {
    const address = addressOf(content);
    if (address !== undefined) names.ipAddresses.push(address);
    return;
  }
  const text = content.toString("latin1");
  if (!printable.test(text)) return;
  if (tag === 0x81) names.emails.push(text);
  else if (tag === 0x82) names.dnsNames.push(text);
  else if (tag === 0x86) names.uris.push(text);
}

/** Returns an IP address of 4 or 16 bytes. An IPv4 address that is mapped to IPv6 is returned as IPv4. */
function addressOf(bytes: Buffer): string | undefined {
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.length !== 16) return undefined;
  const isMapped = bytes.readBigUInt64BE() === 0n && bytes.readUInt32BE(8) === 0xffff;
  if (isMapped) return bytes.subarray(12).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16));
  // A URL has the shortest form of an address (RFC 5952).
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
