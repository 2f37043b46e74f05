/** Kind of a random request: `valid`, or `spoiled` if it breaks one rule. */
export type RandomKind = "valid" | "spoiled";

/** Failed random request that is to be sent again. */
export interface Replay {
  /** Title of the route's tests: `POST /notes`, or `POST /notes with text/csv` for one of several formats. */
  readonly title: string;
  readonly kind: RandomKind;
  /**
   * Path of the request as fast-check writes it, `17:0:3`: the number of the generated request, then the steps that lead to a smaller
   * request.
   */
  readonly path: string;
}

/** Number of random requests, and the seed of their generator. */
export interface Randomness {
  readonly runs: number;
  readonly seed: number;
  /** Request to send again. If absent, `runs` random requests are sent. */
  readonly replay?: Replay;
}

/**
 * Reads the environment variables that `kit test --runs N --seed S --replay WHAT` sets. Returns `undefined` if the number or the seed is
 * missing.
 */
export function randomnessOf(env: Readonly<Record<string, string | undefined>>): Randomness | undefined {
  const [runs, seed] = [
    Number(env["KIT_TEST_RUNS"] || Number.NaN),
    Number(env["KIT_TEST_SEED"] || Number.NaN),
  ];
  if (!Number.isSafeInteger(runs) || !Number.isSafeInteger(seed)) return undefined;
  const replay = env["KIT_TEST_REPLAY"];
  return { runs, seed, ...(replay === undefined ? {} : { replay: replayOf(replay) }) };
}

/** Parses a replay such as `POST /notes spoiled 17:0:3`: a route, the kind of the request, and its path. */
function replayOf(text: string): Replay {
  const [, title, kind, path] =
    /^(\S+ \S+(?: with \S+)?) (valid|spoiled) (\d+(?::\d+)*)$/.exec(text.trim()) ?? [];
  if (title === undefined || path === undefined) {
    throw new Error(
      `\`--replay ${text}\` is not valid. Copy the value that the failed test printed, such as \`POST /notes spoiled 17:0:3\``,
    );
  }
  return { title, kind: kind as RandomKind, path };
}

/** Returns the `kit` command that sends the failed request again. */
export function commandOf(seed: number, { title, kind, path }: Replay): string {
  return `kit test:contracts --seed ${seed} --replay '${title} ${kind} ${path}'`;
}
