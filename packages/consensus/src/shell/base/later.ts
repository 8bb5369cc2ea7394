/**
 * Answers that a port gives at once or later. A shell with real disks and threads answers with promises; a
 * simulation answers at once or on its own clock, so that nothing waits for the event loop of the process.
 */
export type Later<T> = T | PromiseLike<T>;

/** Calls `next` with the answer, in this turn if the answer is there. What either of them throws goes to `onError`. */
export function whenReady<T>(
  answer: Later<T>,
  next: (answer: T) => void,
  onError: (error: unknown) => void,
): void {
  if (isPromiseLike(answer)) answer.then((given) => guarded(given, next, onError), onError);
  else guarded(answer, next, onError);
}

function guarded<T>(given: T, next: (answer: T) => void, onError: (error: unknown) => void): void {
  try {
    next(given);
  } catch (error) {
    onError(error);
  }
}

export function isPromiseLike<T>(answer: Later<T>): answer is PromiseLike<T> {
  if (typeof answer !== 'object' || answer === null) return false;
  return typeof (answer as Partial<PromiseLike<T>>).then === 'function';
}
