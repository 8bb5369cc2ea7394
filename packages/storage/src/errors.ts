/**
 * What can go wrong with the store. Codes are stable and never reused; messages say what to do.
 */
export const STORAGE_ERROR_CODES = {
  fatal: 'storage_fatal',
  locked: 'storage_locked',
  damaged: 'storage_damaged',
  format: 'storage_format',
  unavailable: 'storage_unavailable',
  unopened: 'storage_unopened',
  moved: 'storage_moved',
  stateRefused: 'storage_state_refused',
} as const;

export type StorageErrorCode = (typeof STORAGE_ERROR_CODES)[keyof typeof STORAGE_ERROR_CODES];

export class StorageError extends Error {
  override readonly name: string = 'StorageError';
  readonly code: StorageErrorCode;

  constructor(code: StorageErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

/**
 * A write failed: what is on the disk is unknown until the store is opened again. Callers must not
 * catch this; the process has to end. The store that threw it refuses all further use.
 */
export class FatalStorageError extends StorageError {
  override readonly name = 'FatalStorageError';

  constructor(message: string, options?: ErrorOptions) {
    super(STORAGE_ERROR_CODES.fatal, message, options);
  }
}

/** Another process, or another store of this one, holds the data directory. */
export class StoreLockedError extends StorageError {
  override readonly name = 'StoreLockedError';

  constructor(message: string, options?: ErrorOptions) {
    super(STORAGE_ERROR_CODES.locked, message, options);
  }
}

/** Files or records are not what was written. The message says how to get back to a sound store. */
export class StoreDamagedError extends StorageError {
  override readonly name = 'StoreDamagedError';

  constructor(message: string, options?: ErrorOptions) {
    super(STORAGE_ERROR_CODES.damaged, message, options);
  }
}

/** The store belongs to another chain or release, or to a mode that cannot be entered. */
export class StoreFormatError extends StorageError {
  override readonly name = 'StoreFormatError';

  constructor(message: string, options?: ErrorOptions) {
    super(STORAGE_ERROR_CODES.format, message, options);
  }
}

/** A newer cut was committed while one was being read: the read has to start again. */
export class StoreMovedError extends StorageError {
  override readonly name = 'StoreMovedError';

  constructor(message: string, options?: ErrorOptions) {
    super(STORAGE_ERROR_CODES.moved, message, options);
  }
}

/** What is asked for was pruned away, or never was in this store. */
export class StoreUnavailableError extends StorageError {
  override readonly name = 'StoreUnavailableError';

  constructor(message: string, options?: ErrorOptions) {
    super(STORAGE_ERROR_CODES.unavailable, message, options);
  }
}

/** State received for a cut does not belong to that cut. This store may be sound. */
export class StateRefusedError extends StorageError {
  override readonly name = 'StateRefusedError';

  constructor(message: string, options?: ErrorOptions) {
    super(STORAGE_ERROR_CODES.stateRefused, message, options);
  }
}
