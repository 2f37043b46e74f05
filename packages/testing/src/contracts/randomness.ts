/** What a test of random requests looks for. */
export type RandomKind = "valid" | "spoiled";

/** One failure, to be seen again. */
export interface Replay {
  readonly route: string;
  readonly kind: RandomKind;
  /** Where fast-check found it: the number of the run, and the steps that made it smaller. */
  readonly path: string;
}

/** How many random requests are sent, and which ones. */
export interface Randomness {
  readonly runs: number;
  readonly seed: number;
  /** Only this one. */
  readonly replay?: Replay;
}

/** What `kit test --runs N --seed S --replay WHAT` asks for; nothing where nobody wants random requests. */
export function randomnessOf(env: Readonly<Record<string, string | undefined>>): Randomness | undefined {
  const [runs, seed] = [
    Number(env["KIT_TEST_RUNS"] || Number.NaN),
    Number(env["KIT_TEST_SEED"] || Number.NaN),
  ];
  if (!Number.isSafeInteger(runs) || !Number.isSafeInteger(seed)) return undefined;
  const replay = env["KIT_TEST_REPLAY"];
  return { runs, seed, ...(replay === undefined ? {} : { replay: replayOf(replay) }) };
}

/** `POST /notes spoiled 17:0:3`. */
function replayOf(text: string): Replay {
  const [, route, kind, path] = /^(\S+ \S+) (valid|spoiled) (\d+(?::\d+)*)$/.exec(text.trim()) ?? [];
  if (route === undefined || path === undefined) {
    throw new Error(
      `--replay is a route, \`valid\` or \`spoiled\`, and a path, as the test that failed printed it: \`POST /notes spoiled 17:0:3\`, not \`${text}\``,
    );
  }
  return { route, kind: kind as RandomKind, path };
}

/** The command that sends what failed again. */
export function commandOf(seed: number, { route, kind, path }: Replay): string {
  return `kit test:contracts --seed ${seed} --replay '${route} ${kind} ${path}'`;
}
