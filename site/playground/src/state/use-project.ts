import { useCallback, useEffect, useRef, useState } from "preact/hooks";

import type { Files } from "../compiler/messages.ts";
import { fragmentOf, open, type Opened } from "./address.ts";
import { examples } from "./examples.ts";
import { MANIFEST, ordered } from "./project.ts";

/** Time without a change after which the address gets the files, in milliseconds. */
const PAUSE = 400;

/** The project that the page shows, and the changes that the user can make. */
export interface Project {
  readonly files: Files;
  /** Path of the file in the editor. */
  readonly path: string;
  /** Counts the projects that were opened. */
  readonly number: number;
  /** Name of the example, as long as the user has not changed the files. */
  readonly example: string | undefined;
  /** Message to the user about the address. */
  readonly notice: string | undefined;
  readonly select: (path: string) => void;
  readonly change: (path: string, text: string) => void;
  readonly add: (path: string) => void;
  readonly remove: (path: string) => void;
  readonly openExample: (name: string) => void;
  /** Returns the address of the files, or `undefined` with a notice if they are too large for an address. */
  readonly link: () => Promise<string | undefined>;
  readonly dismiss: () => void;
}

const TOO_LARGE =
  "The files are too large for a link. The page keeps them until you open another project or close the page. Remove parts of the files to share them.";

function firstPath(files: Files): string {
  return [...files.keys()].find((path) => path !== MANIFEST) ?? MANIFEST;
}

/** Keeps the project and its address the same. Changes of an opened project are one entry of the history, so that "Back" opens it again. */
export function useProject(initial: Opened): Project {
  const [opened, setOpened] = useState({ ...initial, number: 0 });
  const [files, setFiles] = useState(initial.files);
  const [path, setPath] = useState(firstPath(initial.files));
  const [notice, setNotice] = useState(initial.problem);
  const isChanged = files !== opened.files;
  /** Fragment that the page wrote into the address, or that it has opened. */
  const written = useRef(location.hash);
  /** True if the current entry of the history belongs to changes of the opened project. */
  const hasEntry = useRef(false);
  /** Number of attempts to write an address. Only the last attempt counts. */
  const attempts = useRef(0);
  /** Address that is being opened. Meanwhile, the files of the page are no longer written into the address. */
  const opening = useRef<object | undefined>(undefined);
  /** Timer after which the address gets the files. */
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);

  const show = useCallback((next: Opened) => {
    // The effect below ends the timer only after the next rendering. Until then, the timer would write the files of before into the address.
    clearTimeout(pause.current);
    attempts.current += 1;
    opening.current = undefined;
    hasEntry.current = false;
    setOpened((before) => ({ ...next, number: before.number + 1 }));
    setFiles(next.files);
    setPath(firstPath(next.files));
    setNotice(next.problem);
  }, []);

  useEffect(() => {
    const onNavigation = async (): Promise<void> => {
      const { hash } = location;
      if (hash === written.current) return;
      const token = {};
      opening.current = token;
      written.current = hash;
      attempts.current += 1;
      const next = await open(hash);
      if (opening.current === token) show(next);
    };
    const listener = (): void => void onNavigation();
    addEventListener("popstate", listener);
    return () => removeEventListener("popstate", listener);
  }, [show]);

  const write = useCallback(async (current: Files): Promise<string | undefined> => {
    if (opening.current !== undefined) return fragmentOf(current);
    attempts.current += 1;
    const attempt = attempts.current;
    const fragment = await fragmentOf(current);
    if (attempt !== attempts.current) return fragment;
    setNotice((shown) => (fragment === undefined ? TOO_LARGE : shown === TOO_LARGE ? undefined : shown));
    if (fragment === undefined || fragment === written.current) return fragment;
    written.current = fragment;
    // The first change adds an entry to the history, so that the entry of the opened project stays.
    if (hasEntry.current) history.replaceState(null, "", fragment);
    else history.pushState(null, "", fragment);
    hasEntry.current = true;
    return fragment;
  }, []);
  useEffect(() => {
    if (!isChanged) return undefined;
    const timer = setTimeout(() => void write(files), PAUSE);
    pause.current = timer;
    return () => clearTimeout(timer);
  }, [files, isChanged, write]);

  return {
    files,
    path,
    number: opened.number,
    example: isChanged ? undefined : opened.example,
    notice,
    select: setPath,
    change: useCallback((changed, text) => setFiles((all) => new Map(all).set(changed, text)), []),
    add: (added) => {
      setFiles(ordered([...files, [added, ""]]));
      setPath(added);
    },
    remove: (removed) => {
      const left = new Map(files);
      left.delete(removed);
      setFiles(left);
      setPath(firstPath(left));
    },
    openExample: (name) => {
      const fragment = `#example=${name}`;
      written.current = fragment;
      history.pushState(null, "", fragment);
      const { files: texts } = examples.find((example) => example.name === name)!;
      show({ files: texts, example: name });
    },
    link: async () => {
      if (!isChanged && opened.example === undefined) return location.href;
      const fragment = isChanged ? await write(files) : `#example=${opened.example}`;
      return fragment === undefined ? undefined : new URL(fragment, location.href).href;
    },
    dismiss: () => setNotice(undefined),
  };
}
