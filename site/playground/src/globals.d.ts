/** Path of the compressed compiler, relative to the page. `build.ts` sets the value. */
declare const COMPILER_FILE: string;
/** Number of bytes of the compressed compiler. */
declare const COMPILER_BYTES: number;
