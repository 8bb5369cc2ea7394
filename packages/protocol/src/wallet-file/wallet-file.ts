/**
 * The wallet file: contents sealed under a password with Argon2id and XChaCha20-Poly1305.
 * The header, cost parameters included, is authenticated; salt and nonce are fresh each time.
 * Layout: `docs/protocol.md` 12. Where the bytes are kept, and with which rights, is the caller's.
 */
import { xchacha20poly1305 } from '@noble/ciphers/chacha.js';
import { concatBytes, equalBytes, expectBytes, wipe } from '../base/bytes.ts';
import { parseJson } from '../base/json.ts';
import { kindOf } from '../base/kind-of.ts';
import { randomBytes } from '../base/random.ts';
import { Reader } from '../base/reader.ts';
import { SvcError } from '../base/svc-error.ts';
import { decodeUtf8, encodeUtf8 } from '../base/utf8.ts';
import { Writer } from '../base/writer.ts';
import type { WalletFileCost } from './cost.ts';
import { COST_DEFAULT, fileCostFault, readCost } from './cost.ts';
import type { PasswordHash } from './installed-hash.ts';
import { hashHere, hashMeanwhile } from './password-hash.ts';

const MAGIC = encodeUtf8('SVCWALLT');
const VERSION = 1;
const KDF_ARGON2ID = 1;
const SALT_BYTES = 32;
const NONCE_BYTES = 24;
const TAG_BYTES = 16;
const HEADER_BYTES = MAGIC.length + 1 + 1 + 4 + 4 + 1 + SALT_BYTES + NONCE_BYTES;
const CONTENTS_BYTES_MAX = 1 << 20;
const PASSWORD_CHARACTERS_MAX = 1024;

interface Header {
  readonly cost: WalletFileCost;
  readonly salt: Uint8Array;
  readonly nonce: Uint8Array;
}

/** Sealing or opening, all but the hash of the password. */
interface Task<T> {
  readonly password: string;
  readonly header: Header;
  readonly finish: (key: Uint8Array) => T;
  /** Wipes what the task holds; called once, at its end. */
  readonly end?: () => void;
}

/**
 * Seals a JSON document. `optionsJson` may set `memory_kib`, `passes` and `lanes`. The calling thread does nothing
 * else meanwhile, for seconds: programs that show or serve something take `sealWalletFileAsync`.
 */
export function sealWalletFile(
  contentsJson: string,
  password: string,
  optionsJson?: string,
): Uint8Array {
  return sealWith(hashHere, contentsJson, password, optionsJson);
}

/** Opens a sealed file and gives back the JSON text as it was sealed. As slow as sealing was. */
export function openWalletFile(fileBytes: Uint8Array, password: string): string {
  return openWith(hashHere, fileBytes, password);
}

/** As `sealWalletFile`, in a worker or thread where there is one, and without stopping the caller where not. */
export async function sealWalletFileAsync(
  contentsJson: string,
  password: string,
  optionsJson?: string,
): Promise<Uint8Array> {
  return performMeanwhile(sealTask(contentsJson, password, optionsJson));
}

/** As `openWalletFile`, in a worker or thread where there is one, and without stopping the caller where not. */
export async function openWalletFileAsync(
  fileBytes: Uint8Array,
  password: string,
): Promise<string> {
  return performMeanwhile(openTask(fileBytes, password));
}

export function sealWith(
  hash: PasswordHash,
  contentsJson: string,
  password: string,
  optionsJson?: string,
): Uint8Array {
  return perform(hash, sealTask(contentsJson, password, optionsJson));
}

export function openWith(hash: PasswordHash, fileBytes: Uint8Array, password: string): string {
  return perform(hash, openTask(fileBytes, password));
}

function sealTask(contentsJson: string, password: string, optionsJson?: string): Task<Uint8Array> {
  parseJson(contentsJson, 'contents');
  const cost = optionsJson === undefined ? COST_DEFAULT : readCost(optionsJson);
  const contents = encodeUtf8(contentsJson);
  if (contents.length > CONTENTS_BYTES_MAX) {
    wipe(contents);
    const expected = `expected at most ${CONTENTS_BYTES_MAX} bytes`;
    throw new SvcError('bad_length', expected, { path: 'contents' });
  }
  const header = { cost, salt: randomBytes(SALT_BYTES), nonce: randomBytes(NONCE_BYTES) };
  const head = encodeHeader(header);
  return {
    password,
    header,
    finish: (key) =>
      concatBytes(head, xchacha20poly1305(key, header.nonce, head).encrypt(contents)),
    end: () => wipe(contents),
  };
}

function openTask(fileBytes: Uint8Array, password: string): Task<string> {
  const file = expectBytes(fileBytes, 'file').slice();
  if (file.length > HEADER_BYTES + CONTENTS_BYTES_MAX + TAG_BYTES) {
    throw new SvcError('bad_file', `longer than a wallet file can be`, { path: 'file' });
  }
  const header = decodeHeader(file);
  return {
    password,
    header,
    finish: (key) => {
      const cipher = xchacha20poly1305(key, header.nonce, file.slice(0, HEADER_BYTES));
      const contents = decrypt(cipher, file);
      try {
        const contentsJson = decodeUtf8(contents, 'contents', 'bad_file');
        parseJson(contentsJson, 'contents');
        return contentsJson;
      } finally {
        wipe(contents);
      }
    },
  };
}

function encodeHeader({ cost, salt, nonce }: Header): Uint8Array {
  return new Writer(HEADER_BYTES)
    .raw(MAGIC)
    .u8(VERSION)
    .u8(KDF_ARGON2ID)
    .u32(cost.memoryKib)
    .u32(cost.passes)
    .u8(cost.lanes)
    .raw(salt)
    .raw(nonce)
    .finish();
}

function decodeHeader(file: Uint8Array): Header {
  const reader = new Reader(file, 'file');
  if (file.length < HEADER_BYTES + TAG_BYTES || !equalBytes(reader.raw(MAGIC.length), MAGIC)) {
    throw new SvcError('bad_file', 'does not begin like a wallet file', { path: 'file' });
  }
  const version = reader.u8();
  const kdf = reader.u8();
  if (version !== VERSION || kdf !== KDF_ARGON2ID) {
    const found = `expected version ${VERSION}.${KDF_ARGON2ID}, found ${version}.${kdf}`;
    throw new SvcError('unsupported_version', found, { path: 'file' });
  }
  const cost = { memoryKib: reader.u32(), passes: reader.u32(), lanes: reader.u8() };
  const fault = fileCostFault(cost);
  if (fault !== undefined) throw new SvcError('bad_file', fault, { path: 'file' });
  return { cost, salt: reader.raw(SALT_BYTES), nonce: reader.raw(NONCE_BYTES) };
}

/** `end` is called if the password is refused. */
function passwordBytes(password: string, end?: () => void): Uint8Array {
  try {
    return encodeUtf8(expectPassword(password).normalize('NFC'));
  } catch (error) {
    end?.();
    throw error;
  }
}

function expectPassword(password: string): string {
  const path = 'password';
  if (typeof password !== 'string') {
    throw new SvcError('bad_type', `expected a string, found ${kindOf(password)}`, { path });
  }
  if (password === '' || password.length > PASSWORD_CHARACTERS_MAX || !password.isWellFormed()) {
    const expected = `expected 1 to ${PASSWORD_CHARACTERS_MAX} characters of valid Unicode`;
    throw new SvcError('bad_text', expected, { path });
  }
  return password;
}

/** Runs the task with the key derived from its password, and wipes both. */
function perform<T>(hash: PasswordHash, { password, header, finish, end }: Task<T>): T {
  const secret = passwordBytes(password, end);
  let key: Uint8Array = new Uint8Array(0);
  try {
    key = hash(secret, header.salt, header.cost);
    return finish(key);
  } catch (cause) {
    throw asNoMemory(cause, header.cost);
  } finally {
    wipe(key, secret);
    end?.();
  }
}

async function performMeanwhile<T>({ password, header, finish, end }: Task<T>): Promise<T> {
  const secret = passwordBytes(password, end);
  let key: Uint8Array = new Uint8Array(0);
  try {
    key = await hashMeanwhile(secret, header.salt, header.cost);
    return finish(key);
  } catch (cause) {
    throw asNoMemory(cause, header.cost);
  } finally {
    wipe(key, secret);
    end?.();
  }
}

/** The code of the engine's own Argon2id where it cannot have its memory. */
const ENGINE_NO_MEMORY = 'ERR_OSSL_CRYPTO_MALLOC_FAILURE';

function asNoMemory(cause: unknown, { memoryKib }: WalletFileCost): unknown {
  const isOfEngine = cause instanceof Error && 'code' in cause && cause.code === ENGINE_NO_MEMORY;
  if (!isOfEngine && !(cause instanceof RangeError)) return cause;
  return new SvcError('no_memory', `could not have ${memoryKib} KiB for the password`, { cause });
}

function decrypt(cipher: { decrypt(bytes: Uint8Array): Uint8Array }, file: Uint8Array): Uint8Array {
  try {
    return cipher.decrypt(file.subarray(HEADER_BYTES));
  } catch (cause) {
    throw new SvcError('wrong_password', 'the password is wrong or the file is damaged', {
      path: 'file',
      cause,
    });
  }
}
