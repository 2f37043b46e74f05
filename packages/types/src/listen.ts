/**
 * Files and rules of TLS. The files are in PEM. The server reads them again if they change, so that new connections get a new
 * certificate.
 */
export interface TlsOptions {
  /** Path of a file with the certificate, followed by the intermediate certificates. */
  readonly cert: string;
  /** Path of the certificate's private key, without a password. */
  readonly key: string;
  /** Path of a file with the authorities that sign certificates of clients. By default, clients need no certificate. */
  readonly clientCa?: string;
  /**
   * `required` (the default with `clientCa`): clients without a certificate are refused. `optional`: only clients with a certificate
   * of another authority are refused.
   */
  readonly clientCertificates?: "required" | "optional";
  /** Lowest version of TLS. Default `1.2`. */
  readonly minVersion?: "1.2" | "1.3";
  /**
   * Offers HTTP/2 to clients in the handshake. Only `nativeServer` supports the option; other servers do not start with it. Default
   * false.
   */
  readonly http2?: boolean;
  /**
   * Port of plain HTTP, such as 80. Each request to this port gets a redirect (308) to the server with TLS. By default, there is no
   * such port.
   */
  readonly redirectFrom?: number;
  /**
   * Origin of the redirects, such as `https://example.com`. By default the host of the request, which must be in the certificate, with
   * the port of the server.
   */
  readonly redirectTo?: string;
}

/** Address to listen on. */
export interface ListenOptions {
  /** TCP port. 0 selects a free port. */
  readonly port: number;
  /** Address to bind. By default every address, IPv6 and IPv4. */
  readonly host?: string;
  /**
   * Path of a Unix socket to listen on. If set, port and host are ignored. The server removes the file when it closes.
   */
  readonly path?: string;
  /**
   * File descriptor of a TCP socket that already listens, which this process inherited, for example from `kit dev` or
   * systemd. If set, port, host and path are ignored. Not available on Windows.
   */
  readonly fd?: number;
  /** Files of TLS. By default, the server speaks plain HTTP. */
  readonly tls?: TlsOptions;
}

/** Address that a server listens on. */
export interface ListenAddress {
  /** TCP port. */
  readonly port: number;
  /** Host name or address. */
  readonly host: string;
  /** URL such as `http://localhost:3000`, or `unix:/run/app.sock`. */
  readonly url: string;
  /** Path of the Unix socket. If present, `port` is 0 and `host` is empty. */
  readonly path?: string;
  /** Address of plain HTTP whose requests are redirected to this address. Present only with {@link TlsOptions.redirectFrom}. */
  readonly redirect?: ListenAddress;
}
