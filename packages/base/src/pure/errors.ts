/**
 * Converts a caught value, which may be anything, to an error that can be logged or passed on.
 */
const MESSAGE_LENGTH_MAX = 200;

/** The message of whatever was thrown, short enough for a field of a log. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.slice(0, MESSAGE_LENGTH_MAX);
}

/** Whatever was thrown, as an error. */
export function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(messageOf(error));
}
