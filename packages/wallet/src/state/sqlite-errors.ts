/**
 * What errors of SQLite mean, by the primary code that each carries.
 */
const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

/** Another connection has the file. */
export function isLocked(error: unknown): boolean {
  return hasCode(error, SQLITE_BUSY);
}

/** Something else is being done, by another connection or by the same one. */
export function isInUse(error: unknown): boolean {
  return hasCode(error, SQLITE_BUSY, SQLITE_LOCKED);
}

export function isDamaged(error: unknown): boolean {
  return hasCode(error, SQLITE_CORRUPT, SQLITE_NOTADB);
}

/** Tables or columns are not the ones that the release makes. */
export function isForeignSchema(error: unknown): boolean {
  return hasCode(error, SQLITE_ERROR);
}

function hasCode(error: unknown, ...codes: readonly number[]): boolean {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === 'number' && codes.includes(code & 0xff);
}
