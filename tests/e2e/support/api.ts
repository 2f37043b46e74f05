/** Response whose body has been received completely. */
export interface Answer<T> {
  status: number;
  headers: Headers;
  text: string;
  /** Body as a JSON value. Reading this property throws an error if the body is not JSON. */
  readonly body: T;
}

/** Client of the notes API. It sends any request, valid or invalid. */
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

  /** Sends a request exactly as it is given. */
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
