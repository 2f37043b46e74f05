/** Certificates for tests, made by the command `openssl`. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Certificate and key: texts in PEM, or the paths of their files. */
export interface Identity {
  readonly cert: string;
  readonly key: string;
}

const newKey = "-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes";

/** Directory with the certificate of an authority, which signs others. `using` removes the directory at the end of the block. */
export class Authority {
  readonly directory: string = mkdtempSync(join(tmpdir(), "kit-tls-"));
  #count = 0;

  /** `days` is the life of the authority. An authority of a negative number has expired. */
  constructor(name = "tests", days = 2) {
    const [key, request, cert] = [this.path("ca.key"), this.path("ca.csr"), this.path("ca.pem")];
    const names = `-subj /CN=${name} -addext basicConstraints=critical,CA:TRUE`;
    this.#openssl(`req -new ${newKey} ${names} -keyout ${key} -out ${request}`);
    this.#openssl(
      `x509 -req -in ${request} -signkey ${key} -copy_extensions copy -days ${days} -out ${cert}`,
    );
  }

  /** Certificate of the authority in PEM. */
  get certificate(): string {
    return readFileSync(this.path("ca.pem"), "utf8");
  }

  /** Returns the path of a file in the directory. */
  path(name: string): string {
    return join(this.directory, name);
  }

  /** Makes a certificate for a host, and for 127.0.0.1. Returns the certificate and its key in PEM. */
  sign(days = 2, host = "localhost"): Identity {
    const { cert, key } = this.signFiles(days, host);
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") };
  }

  /** Makes a certificate as {@link sign} does. Returns the paths of its files. */
  signFiles(days = 2, host = "localhost"): Identity {
    const [cert, key, request] = ["pem", "key", "csr"].map((end) => this.path(`${this.#count}.${end}`));
    this.#count += 1;
    const names = `-subj /CN=${host} -addext subjectAltName=DNS:${host},IP:127.0.0.1`;
    this.#openssl(`req -new ${newKey} ${names} -keyout ${key} -out ${request}`);
    const signer = `-CA ${this.path("ca.pem")} -CAkey ${this.path("ca.key")}`;
    this.#openssl(`x509 -req -in ${request} ${signer} -copy_extensions copy -days ${days} -out ${cert}`);
    return { cert: cert!, key: key! };
  }

  [Symbol.dispose](): void {
    rmSync(this.directory, { recursive: true, force: true });
  }

  /** Runs the command. No argument contains a space. */
  #openssl(args: string): void {
    execFileSync("openssl", args.split(" "), { stdio: ["ignore", "ignore", "pipe"] });
  }
}
