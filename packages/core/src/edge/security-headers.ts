/**
 * Headers that tell browsers how to protect users of the application. A string replaces the default of a header, and
 * `false` leaves out the header. If a property is absent, the header has its default.
 */
export interface SecurityHeadersOptions {
  /**
   * Value of `content-security-policy` (CSP Level 3). The default, `default-src 'none'; frame-ancestors 'none'`, lets a
   * response load nothing, and no page show it in a frame.
   */
  readonly contentSecurityPolicy?: string | false;
  /**
   * Value of `strict-transport-security` (RFC 6797). With the default, `max-age=31536000; includeSubDomains`, browsers
   * use only HTTPS for the host and its subdomains, for one year. Browsers ignore the header on HTTP.
   */
  readonly strictTransportSecurity?: string | false;
  /** Value of `referrer-policy`. Default `no-referrer`. */
  readonly referrerPolicy?: string | false;
  /** Value of `x-frame-options` (RFC 7034), for browsers without `frame-ancestors`. Default `DENY`. */
  readonly frameOptions?: string | false;
  /**
   * Value of `cross-origin-resource-policy` (WHATWG Fetch 3.7). With the default, `same-origin`, pages of other origins
   * cannot embed a response, such as in `<img>`. The header does not limit `fetch` with CORS.
   */
  readonly crossOriginResourcePolicy?: string | false;
  /** Value of `cross-origin-opener-policy` (HTML 7.1.3). Default `same-origin`. */
  readonly crossOriginOpenerPolicy?: string | false;
  /** Value of `permissions-policy`, such as `camera=()`. Default: no such header. */
  readonly permissionsPolicy?: string | false;
}

/** Name of a header, and its value by default. */
interface SecurityHeader {
  readonly name: string;
  /** Default value of the header. `null` if the header is not sent by default. */
  readonly value: string | null;
}

/**
 * Headers by their options, in the order in which they are sent. `conformance/security-headers.json` has the same list.
 * The counterpart for the Rust server is `crates/kit-rust-server/src/security_headers.rs`.
 */
export const securityHeaders: Readonly<Record<keyof SecurityHeadersOptions, SecurityHeader>> = {
  contentSecurityPolicy: {
    name: "content-security-policy",
    value: "default-src 'none'; frame-ancestors 'none'",
  },
  strictTransportSecurity: {
    name: "strict-transport-security",
    value: "max-age=31536000; includeSubDomains",
  },
  referrerPolicy: { name: "referrer-policy", value: "no-referrer" },
  frameOptions: { name: "x-frame-options", value: "DENY" },
  crossOriginResourcePolicy: { name: "cross-origin-resource-policy", value: "same-origin" },
  crossOriginOpenerPolicy: { name: "cross-origin-opener-policy", value: "same-origin" },
  permissionsPolicy: { name: "permissions-policy", value: null },
};
