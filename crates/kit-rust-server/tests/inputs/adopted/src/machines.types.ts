export type Mood = "calm" | "loud";

export interface Settings {
  speed: number;
}

/** A table of an adopted database, whose columns have types that no tag selects. @table machines */
export interface Machine {
  /** @id @maxLength 3 */
  code: string;
  /** @maxLength 20 @unique */
  name: string;
  address: string;
  mask: string;
  opens: string;
  ratio: number;
  /** @integer */
  size: number;
  mood: Mood;
  /** @storedAs array */
  labels: string[];
  backup: string | null;
  /** @default {"speed":1} */
  settings: Settings;
  manual: string;
  words: string;
}
