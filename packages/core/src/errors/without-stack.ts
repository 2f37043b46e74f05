/**
 * True if `Error.stackTraceLimit` can be set. False if the program froze the built-in objects of JavaScript.
 */
const isLimitWritable = Object.getOwnPropertyDescriptor(Error, "stackTraceLimit")?.writable === true;

/**
 * Creates an error without a stack. The stack would only show the pipeline. Creating it is the most expensive
 * part of an error, so clients could slow down the server with invalid requests.
 */
export function withoutStack<TError extends Error>(make: () => TError): TError {
  if (!isLimitWritable) return make();
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = limit;
  }
}
