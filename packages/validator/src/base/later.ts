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
  const guarded = (given: T): void => {
    try {
      next(given);
    } catch (error) {
      onError(error);
    }
  };
  if (isPromiseLike(answer)) answer.then(guarded, onError);
  else guarded(answer);
}

export function isPromiseLike<T>(answer: Later<T>): answer is PromiseLike<T> {
  return typeof answer === 'object' && answer !== null && 'then' in answer;
}
