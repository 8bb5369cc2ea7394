/**
 * A setting that cannot be used. The message starts with where it was given and says what to do.
 */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError';
  readonly code = 'bad_config';
  readonly path: string;

  /** `origin` is a place in a file, a variable or a flag. */
  constructor(origin: string, path: string, problem: string) {
    super([origin, path, problem].filter((part) => part !== '').join(': '));
    this.path = path;
  }
}

/** A file with a secret that is not used: others may read it, or it cannot be opened. */
export class SecretFileError extends ConfigError {
  override readonly name = 'SecretFileError';
}
