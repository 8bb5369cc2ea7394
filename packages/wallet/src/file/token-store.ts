/**
 * Tokens with scopes, in the directory `<wallet file>.tokens`: a file for each, named after the token. A file holds what
 * the token allows and a hash of it, never the token itself; it is made once and never changed. Revoking moves the file
 * to `revoked`, where the name stays used, because the journal knows callers and their budgets by name. Readers look at
 * the directory each time they are asked, so that a new token works at once and a revoked one no more; a directory that has not changed for
 * a while is not listed again.
 */
import { randomBytes } from 'node:crypto';
import {
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { SCOPES, type Scope } from 'svc-api/rpc';
import { syncDirectorySync } from 'svc-base/node';
import { SvcError } from 'svc-wasm';
import { Fields, toHex } from 'svc-wasm/base';
import { FileRefusal } from '../errors.ts';
import type { SpendLimits } from '../journal/limits.ts';
import { createSecret, readSecret } from './secret-file.ts';
import { withoutSum, withSum } from './summed-json.ts';

export interface TokenRecord {
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the token, in hexadecimal. */
  readonly digest: string;
  readonly createdAtMillis: number;
  /** Null for a token that does not spend, and for one that allows everything. */
  readonly limits: SpendLimits | null;
}

export const TOKENS_MAX = 64;
export const ALLOWLIST_MAX = 1_000;
const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/;
/** Callers that are not tokens of the store; the journal and the audit name them so. */
const RESERVED = new Set(['main', 'read', 'automatic', 'command-line']);
const DIGEST_BYTES = 32;
const FILE = /^(.+)\.json$/;
const REVOKED = 'revoked';
/** A change may bear the same time as one shortly before it: a younger directory may change without showing it. */
const SETTLED_MILLIS = 2_000;
const ATOMS_MAX = (1n << 63n) - 1n;
const MILLIS_MAX = BigInt(Number.MAX_SAFE_INTEGER);
const FIELDS = [
  'name',
  'scopes',
  'digest',
  'created_at_millis',
  'budget',
  'payment_max',
  'day_max',
  'allowlist',
];

export function tokensPath(walletPath: string): string {
  return `${walletPath}.tokens`;
}

export function isTokenName(name: string): boolean {
  return NAME.test(name) && !RESERVED.has(name);
}

export class TokenStore {
  readonly #directory: string;
  /** What was read before; a file of a name never changes. */
  readonly #read = new Map<string, TokenRecord>();
  #listed: { readonly as: string; readonly records: readonly TokenRecord[] } | undefined;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Tokens that were not revoked, by name. A file that cannot be read is reported, and allows nothing. */
  list(onDamaged: (error: FileRefusal) => void): readonly TokenRecord[] {
    const found = statSync(this.#directory, { bigint: true, throwIfNoEntry: false });
    if (found === undefined) return [];
    const { ctimeMs, ctimeNs, dev, ino } = found;
    const isSettled = Date.now() - Number(ctimeMs) > SETTLED_MILLIS;
    const as = isSettled ? `${dev} ${ino} ${ctimeNs}` : null;
    if (as !== null && this.#listed?.as === as) return this.#listed.records;
    let isWhole = true;
    const records = this.#listAnew((error) => {
      isWhole = false;
      onDamaged(error);
    });
    this.#listed = as !== null && isWhole ? { as, records } : undefined;
    return records;
  }

  #listAnew(onDamaged: (error: FileRefusal) => void): TokenRecord[] {
    const names = this.#names().toSorted();
    for (const name of this.#read.keys()) if (!names.includes(name)) this.#read.delete(name);
    return names.flatMap((name) => {
      try {
        return [this.#recordOf(name)];
      } catch (error) {
        // The token was revoked between the listing and the reading.
        if (error instanceof FileRefusal && error.fault === 'missing') return [];
        if (!(error instanceof FileRefusal)) throw error;
        onDamaged(error);
        return [];
      }
    });
  }

  /** Makes a token that works at once. The name must never have been used. */
  create(record: TokenRecord): void {
    const { name } = record;
    const path = this.#pathOf(name);
    if (this.#names().length >= TOKENS_MAX) {
      const found = `holds ${TOKENS_MAX} tokens already`;
      throw new FileRefusal('too_large', this.#directory, found, 'revoke one');
    }
    const temporary = join(this.#directory, `.${name}.${randomBytes(8).toString('hex')}`);
    createSecret(temporary, new TextEncoder().encode(`${withSum(formatRecord(record))}\n`));
    try {
      if (existsSync(this.#revokedPathOf(name))) throw used(path);
      linkSync(temporary, path);
    } catch (error) {
      throw (error as NodeJS.ErrnoException).code === 'EEXIST' ? used(path) : error;
    } finally {
      rmSync(temporary, { force: true });
    }
    syncDirectorySync(this.#directory);
  }

  /** The token allows nothing when this returns. */
  revoke(name: string): void {
    const path = this.#pathOf(name);
    if (!isTokenName(name) || !existsSync(path)) {
      throw new FileRefusal(
        'missing',
        path,
        'there is no such token',
        'svc-wallet tokens lists them',
      );
    }
    mkdirSync(join(this.#directory, REVOKED), { recursive: true, mode: 0o700 });
    renameSync(path, this.#revokedPathOf(name));
    syncDirectorySync(this.#directory);
  }

  /** Whether a token of this name was made and revoked. */
  isRevoked(name: string): boolean {
    return isTokenName(name) && existsSync(this.#revokedPathOf(name));
  }

  #recordOf(name: string): TokenRecord {
    const known = this.#read.get(name);
    if (known !== undefined) return known;
    const path = this.#pathOf(name);
    try {
      const record = parseRecord(new TextDecoder().decode(readSecret(path)));
      if (record.name !== name) throw new RangeError(`it is the file of ${record.name}`);
      this.#read.set(name, record);
      return record;
    } catch (cause) {
      if (cause instanceof FileRefusal) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      const found = `does not hold a token (${reason})`;
      throw new FileRefusal('damaged', path, found, 'remove it and make another token', cause);
    }
  }

  #names(): string[] {
    try {
      const names = readdirSync(this.#directory).map((file) => FILE.exec(file)?.[1] ?? '');
      return names.filter(isTokenName);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw error;
    }
  }

  #pathOf(name: string): string {
    return join(this.#directory, `${name}.json`);
  }

  #revokedPathOf(name: string): string {
    return join(this.#directory, REVOKED, `${name}.json`);
  }
}

function used(path: string): FileRefusal {
  const hint = 'choose another name: revoked tokens keep theirs';
  return new FileRefusal('exists', path, 'the name of this token was used before', hint);
}

function formatRecord({ createdAtMillis, digest, limits, name, scopes }: TokenRecord): string {
  return JSON.stringify({
    name,
    scopes,
    digest,
    created_at_millis: String(createdAtMillis),
    budget: limits?.budget ?? null,
    payment_max: limits?.paymentMax?.toString() ?? null,
    day_max: limits?.dayMax?.toString() ?? null,
    allowlist: limits?.allowlist ?? null,
  });
}

function parseRecord(text: string): TokenRecord {
  const json = withoutSum(text.trimEnd());
  if (json === undefined) throw new RangeError('it is not what was written');
  const fields = Fields.parse(json, 'token', FIELDS);
  const optional = <T>(name: string, read: () => T): T | null =>
    fields.value(name) === null ? null : read();
  const budget = optional('budget', () => fields.string('budget', 64));
  const atoms = (name: string): bigint | null =>
    optional(name, () => fields.decimal(name, { max: ATOMS_MAX }));
  return {
    name: fields.string('name', 64),
    scopes: textsOf(fields.value('scopes'), 'scopes').map(scopeOf),
    digest: toHex(fields.hex('digest', DIGEST_BYTES)),
    createdAtMillis: Number(fields.decimal('created_at_millis', { max: MILLIS_MAX })),
    limits:
      budget === null
        ? null
        : {
            budget,
            paymentMax: atoms('payment_max'),
            dayMax: atoms('day_max'),
            allowlist: optional('allowlist', () => textsOf(fields.value('allowlist'), 'allowlist')),
          },
  };
}

function textsOf(value: unknown, path: string): string[] {
  const isList = Array.isArray(value) && value.length <= ALLOWLIST_MAX;
  if (isList && value.every((entry) => typeof entry === 'string')) return value;
  throw new SvcError('bad_type', 'expected a list of texts', { path });
}

function scopeOf(text: string): Scope {
  const scope = SCOPES.find((known) => known === text);
  if (scope !== undefined) return scope;
  throw new SvcError('bad_type', `there is no scope ${text}`, { path: 'scopes' });
}
