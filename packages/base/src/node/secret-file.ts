/**
 * Files that only their owner may read: keys and passwords. What others could have read is refused before
 * a byte of it is used.
 */
import { closeSync, constants, fstatSync, openSync, readFileSync } from 'node:fs';
import { SecretFileError } from './config-error.ts';

const OTHERS = 0o077;
const SECRET_BYTES_MAX = 65_536;
/** A link could lead to another user's file, and a pipe could keep the node waiting. */
const FLAGS = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const PROBLEMS: Readonly<Record<string, string>> = {
  ENOENT:
    'there is no such file; a relative path counts from the directory the node was started in',
  ELOOP: 'is a link; name the file itself',
};

/** `setting` names the file's setting in messages. */
export function readSecretFile(file: string, setting: string): Uint8Array {
  const descriptor = open(file, setting);
  try {
    expectPrivate(descriptor, file, setting);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** The text of a password file without the line break that editors put at its end. */
export function readPasswordFile(file: string, setting: string): string {
  const password = Buffer.from(readSecretFile(file, setting))
    .toString('utf8')
    .replace(/\r?\n$/, '');
  if (password === '') throw new SecretFileError(file, setting, 'the password is empty');
  if (/[\r\n]/.test(password)) {
    throw new SecretFileError(file, setting, 'expected one line, found several');
  }
  return password;
}

function open(file: string, setting: string): number {
  try {
    return openSync(file, FLAGS);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new SecretFileError(file, setting, PROBLEMS[code] ?? `cannot be opened (${code})`);
  }
}

function expectPrivate(descriptor: number, file: string, setting: string): void {
  const found = fstatSync(descriptor);
  if (!found.isFile()) throw new SecretFileError(file, setting, 'expected a file');
  if (found.size > SECRET_BYTES_MAX) {
    throw new SecretFileError(file, setting, `expected at most ${SECRET_BYTES_MAX} bytes`);
  }
  if (process.platform === 'win32') return;
  if (found.uid !== process.geteuid?.())
    throw new SecretFileError(file, setting, 'belongs to another user than the one of the node');
  if ((found.mode & OTHERS) === 0) return;
  const mode = (found.mode & 0o777).toString(8).padStart(4, '0');
  throw new SecretFileError(
    file,
    setting,
    `other users may read it (mode ${mode}, expected 0600); run: chmod 600 ${quoted(file)}`,
  );
}

function quoted(path: string): string {
  return /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
}
