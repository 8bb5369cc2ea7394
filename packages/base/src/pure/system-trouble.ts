/**
 * Errors of the system, explained to the operator: a full disk, a port in use,
 * too few files. It recognises nothing but what an operator can put right, and none of it is damage.
 */
interface SystemError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly cause?: unknown;
  readonly address?: unknown;
  readonly port?: unknown;
  readonly path?: unknown;
}

/** A cause of a cause of a cause is read no deeper than this. */
const CAUSES_MAX = 8;

const WORDS: Readonly<Record<string, (error: SystemError) => string>> = {
  ENOSPC: () => DISK_FULL,
  EDQUOT: () => DISK_FULL,
  EROFS: ({ path }) => `the disk can only be read${ofPath(path)}; mount it writable`,
  EMFILE: () =>
    'too many files are open; raise the limit of the process (`ulimit -n`, LimitNOFILE)',
  ENFILE: () => 'too many files are open on this machine; raise fs.file-max',
  EADDRINUSE: (error) =>
    `${endpointOf(error)} is taken by another program; stop it or choose another`,
  EADDRNOTAVAIL: (error) => `${endpointOf(error)} is no address of this machine; choose another`,
};
const DISK_FULL = 'the disk is full; make room and start again, nothing is damaged';
/** The message of engines that keep no code. */
const NO_SPACE = /no space left on device/i;

/** Explains what the system refused; undefined where the error is of another kind. */
export function systemTrouble(error: unknown): string | undefined {
  let at = error;
  for (let depth = 0; depth < CAUSES_MAX && typeof at === 'object' && at !== null; depth++) {
    const found: SystemError = at;
    const words = typeof found.code === 'string' ? WORDS[found.code] : undefined;
    if (words !== undefined) return words(found);
    if (typeof found.message === 'string' && NO_SPACE.test(found.message)) return DISK_FULL;
    at = found.cause;
  }
  return undefined;
}

function endpointOf({ address, port }: SystemError): string {
  const host = typeof address === 'string' && address.includes(':') ? `[${address}]` : address;
  if (typeof port === 'number')
    return typeof host === 'string' ? `${host}:${port}` : `port ${port}`;
  return typeof host === 'string' ? host : 'the address to listen on';
}

function ofPath(path: unknown): string {
  return typeof path === 'string' ? ` (${path})` : '';
}
