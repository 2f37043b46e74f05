/** Browser of the tests of OpenID Connect: follows redirects, keeps cookies by origin, and submits the provider's forms. */
export class Browser {
  readonly #cookies = new Map<string, Map<string, string>>();

  /**
   * Opens a URL, logs in as this user, and consents. Returns the first URL that begins with `until`, without opening it.
   */
  async login(url: string, user: string, until: string): Promise<URL> {
    let next: { url: string; form?: URLSearchParams } = { url };
    for (let step = 0; step < 20; step += 1) {
      if (next.url.startsWith(until)) return new URL(next.url);
      // oxlint-disable-next-line no-await-in-loop
      const response = await this.#send(next.url, next.form);
      const location = response.headers.get("location");
      if (location !== null) {
        next = { url: new URL(location, next.url).href };
        continue;
      }
      // oxlint-disable-next-line no-await-in-loop
      const html = await response.text();
      const action = /<form[^>]*action="([^"]+)"/.exec(html)?.[1];
      if (action === undefined)
        throw new Error(`${next.url} answered ${response.status}: ${html.slice(0, 2000)}`);
      const form = new URLSearchParams();
      for (const [input] of html.matchAll(/<(?:input|button)[^>]*name="[^"]+"[^>]*>/g)) {
        const name = /name="([^"]+)"/.exec(input)![1]!;
        form.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? user);
      }
      next = { url: new URL(action.replaceAll("&amp;", "&"), next.url).href, form };
    }
    throw new Error(`There are too many steps before ${until}`);
  }

  async #send(url: string, form: URLSearchParams | undefined): Promise<Response> {
    const { origin } = new URL(url);
    const cookies = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, cookies);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const response = await fetch(url, {
      redirect: "manual",
      headers: { cookie },
      ...(form !== undefined && { method: "POST", body: form }),
    });
    for (const text of response.headers.getSetCookie()) {
      const [pair = ""] = text.split(";");
      const equals = pair.indexOf("=");
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    return response;
  }
}
