/** An answer, read to its end. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  text: string;
  /** The JSON of the body. Throws where there is none. */
  readonly body: T;
}

/** A client of the notes API that sends what it is told to, right or wrong. */
export class Api {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, headers: Readonly<Record<string, string>>) {
    this.#url = url;
    this.#headers = headers;
  }

  get<T>(path: string): Promise<Answer<T>> {
    return this.send("GET", path);
  }

  post<T>(path: string, body: unknown): Promise<Answer<T>> {
    return this.send("POST", path, JSON.stringify(body), { "content-type": "application/json" });
  }

  put<T>(path: string, body: unknown): Promise<Answer<T>> {
    return this.send("PUT", path, JSON.stringify(body), { "content-type": "application/json" });
  }

  delete<T>(path: string): Promise<Answer<T>> {
    return this.send("DELETE", path);
  }

  /** Sends exactly this. */
  async send<T>(
    method: string,
    path: string,
    body?: string | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { ...this.#headers, ...headers },
      body: body ?? null,
    });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      get body(): T {
        return JSON.parse(text) as T;
      },
    };
  }
}
