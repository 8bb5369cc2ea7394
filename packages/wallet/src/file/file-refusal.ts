/**
 * Why a file of the wallet cannot be used, in words a person can act on.
 */
export type FileFault =
  | 'missing'
  | 'exists'
  | 'symlink'
  | 'not_a_file'
  | 'wrong_owner'
  | 'readable_by_others'
  | 'too_large'
  | 'held'
  | 'damaged'
  | 'wrong_password'
  | 'wrong_wallet'
  | 'newer_version'
  | 'unreadable';

export class FileRefusal extends Error {
  override readonly name = 'FileRefusal';
  readonly fault: FileFault;
  readonly path: string;
  readonly hint: string | undefined;

  constructor(fault: FileFault, path: string, message: string, hint?: string, cause?: unknown) {
    super(`${path}: ${message}`, cause === undefined ? undefined : { cause });
    this.fault = fault;
    this.path = path;
    this.hint = hint;
  }
}
