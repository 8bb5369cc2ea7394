/**
 * Reasons why the workers cannot say whether a signature holds. None of them says anything about the signature.
 */
export class WorkersError extends Error {
  override readonly name: string = 'WorkersError';
}

export class WorkersBusyError extends WorkersError {
  override readonly name = 'WorkersBusyError';
}

export class WorkersClosedError extends WorkersError {
  override readonly name = 'WorkersClosedError';
}

/** Two workers died over the same job, or none can be started. */
export class WorkerDiedError extends WorkersError {
  override readonly name = 'WorkerDiedError';
}
