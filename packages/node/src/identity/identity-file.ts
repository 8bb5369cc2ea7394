/**
 * The key that signs answers, in a file that only its owner may read. It is made on first use. It is no
 * consensus key: its holder can speak for this API and nothing else.
 */
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { crc32 } from 'node:zlib';
import type { NodeIdentity } from 'svc-serve/ports';
import { serviceIdentityForPublicKey } from 'svc-wasm';
import { fromHex, toHex, wipe } from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import { signServiceResponse } from 'svc-wasm/protocol';

const MAGIC = 'svc-node-identity-v1';
const SEED_BYTES = 32;
const OWNER_ONLY = 0o600;
const OTHERS = 0o077;
const FILE_BYTES_MAX = 256;
/** Absent on Windows, which has no symbolic links without privilege. */
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;

export class IdentityFileError extends Error {
  override readonly name = 'IdentityFileError';
}

/** The identity in the file, which is made if it is not there. */
export function openIdentity(file: string): NodeIdentity {
  const seed = createSeed(file) ?? readSeed(file);
  try {
    return identityOf(seed);
  } finally {
    wipe(seed);
  }
}

export function identityOf(seed: Uint8Array): NodeIdentity {
  const keys = mlDsa65.keygen(seed);
  return {
    identity: serviceIdentityForPublicKey(keys.publicKey),
    publicKey: keys.publicKey,
    sign: (answer) => signServiceResponse(keys, answer),
  };
}

/** Undefined if there is a file already. */
function createSeed(file: string): Uint8Array | undefined {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
  let descriptor: number;
  try {
    descriptor = openSync(file, flags, OWNER_ONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined;
    throw error;
  }
  try {
    const seed = crypto.getRandomValues(new Uint8Array(SEED_BYTES));
    writeFileSync(descriptor, `${MAGIC} ${toHex(seed)} ${sumOf(toHex(seed))}\n`);
    fsyncSync(descriptor);
    return seed;
  } finally {
    closeSync(descriptor);
  }
}

function readSeed(file: string): Uint8Array {
  const descriptor = openExisting(file);
  try {
    expectPrivate(descriptor, file);
    const [magic, seed, sum, ...rest] = readFileSync(descriptor, 'latin1').trimEnd().split(' ');
    const isSeed = seed !== undefined && /^[0-9a-f]{64}$/.test(seed) && rest.length === 0;
    if (magic !== MAGIC || !isSeed) {
      throw new IdentityFileError(`${file} is no identity key; move it away to get a new one`);
    }
    // The first releases wrote no checksum.
    if (sum !== undefined && sum !== sumOf(seed)) {
      const advice = 'restore a backup, or move it away to get a new one';
      throw new IdentityFileError(`${file} is not what was written; ${advice}`);
    }
    return fromHex(seed);
  } finally {
    closeSync(descriptor);
  }
}

/** With one wrong digit a seed would be another node's. */
function sumOf(seed: string): string {
  return crc32(seed).toString(16).padStart(8, '0');
}

function openExisting(file: string): number {
  try {
    return openSync(file, constants.O_RDONLY | NO_FOLLOW);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ELOOP') throw new IdentityFileError(`${file} is a symbolic link`);
    throw error;
  }
}

function expectPrivate(descriptor: number, file: string): void {
  const found = fstatSync(descriptor);
  if (!found.isFile()) throw new IdentityFileError(`${file} is not a file`);
  if (found.size > FILE_BYTES_MAX) throw new IdentityFileError(`${file} is no identity key`);
  if (process.platform === 'win32') return;
  if ((found.mode & OTHERS) !== 0) {
    throw new IdentityFileError(`other users may read ${file}; run: chmod 600 on it`);
  }
  if (found.uid !== process.getuid?.()) {
    throw new IdentityFileError(`${file} belongs to another user`);
  }
}
