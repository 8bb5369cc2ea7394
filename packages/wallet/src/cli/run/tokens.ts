/**
 * Makes, lists and revokes tokens beside a wallet file. The wallet is not opened: a running daemon reads the same
 * directory, and knows of a change at once.
 */

import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { SCOPES, type Scope } from 'svc-api/rpc';
import { note, result, resultJson } from 'svc-base/cli';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { init, parseAddress } from 'svc-wasm';
import { coinsOf } from '../../amounts.ts';
import { digestOf, newToken, writeToken } from '../../file/token.ts';
import {
  ALLOWLIST_MAX,
  isTokenName,
  type TokenRecord,
  TokenStore,
  tokensPath,
} from '../../file/token-store.ts';
import type { SpendLimits } from '../../journal/limits.ts';
import { asParameter, atomsOf } from '../../methods/method.ts';
import { readText } from '../input.ts';
import { expectWallet } from '../keys.ts';
import { type CommandOptions, textOf, usage, walletPlace } from '../options.ts';
import { print, showResult } from '../show.ts';

const LIMIT_OPTIONS = ['paymentMax', 'dayMax', 'allow', 'allowFile'];

export async function createToken(options: CommandOptions): Promise<void> {
  await init();
  const store = openStore(options);
  const name = textOf(options, 'name') as string;
  if (!isTokenName(name)) {
    const own = 'main, read, automatic and command-line are not free';
    throw usage(`--name: expected up to 64 characters of a-z, 0-9, . _ -, found ${name}`, own);
  }
  const token = newToken();
  const record = {
    name,
    digest: digestOf(token),
    createdAtMillis: SYSTEM_CLOCK.now(),
    ...(await grantOf(options, store, name)),
  };
  const out = textOf(options, 'out');
  const file = out === undefined ? undefined : resolve(out);
  if (file !== undefined) writeToken(file, token);
  try {
    store.create(record);
  } catch (error) {
    if (file !== undefined) rmSync(file, { force: true });
    throw error;
  }
  const facts = { ...shown(record), ...(file === undefined ? { token } : { token_file: file }) };
  if (options['json'] === true) {
    resultJson(facts);
  } else if (file === undefined) {
    note('keep the token, it is not shown again');
    result(token);
  } else {
    result(showResult('token-create', facts));
  }
}

export async function listTokens(options: CommandOptions): Promise<void> {
  await init();
  const tokens = readAll(openStore(options)).map(shown);
  print(options, 'tokens', { tokens });
}

export async function revokeToken(options: CommandOptions): Promise<void> {
  const name = textOf(options, 'name') as string;
  openStore(options).revoke(name);
  const facts = { name, revoked: true };
  print(options, 'token-revoke', facts);
}

function openStore(options: CommandOptions): TokenStore {
  const place = walletPlace(options);
  expectWallet(place);
  return new TokenStore(tokensPath(place.file));
}

function readAll(store: TokenStore): readonly TokenRecord[] {
  return store.list((error) => {
    throw error;
  });
}

async function grantOf(
  options: CommandOptions,
  store: TokenStore,
  name: string,
): Promise<Pick<TokenRecord, 'scopes' | 'limits'>> {
  const like = textOf(options, 'like');
  const given = options['scope'] as string[] | undefined;
  const limited = LIMIT_OPTIONS.filter((option) => options[option] !== undefined);
  if (like !== undefined) {
    if (given !== undefined || limited.length > 0)
      throw usage('--like: scopes and limits are those of the other token');
    const other = readAll(store).find((record) => record.name === like);
    if (other === undefined) throw usage(`--like: there is no token ${like}`);
    return { scopes: other.scopes, limits: other.limits };
  }
  if (given === undefined) throw usage('--scope or --like is needed');
  const scopes = [...new Set(given.map(scopeOf))];
  const isLimited = scopes.includes('spend') && !scopes.includes('everything');
  if (!isLimited && limited.length > 0) throw usage('limits are for tokens of the scope spend');
  return { scopes, limits: isLimited ? await limitsOf(options, name) : null };
}

async function limitsOf(options: CommandOptions, budget: string): Promise<SpendLimits> {
  const allowed = await allowlistOf(options);
  return {
    budget,
    paymentMax: atomsIn(options, 'paymentMax', 'payment_max'),
    dayMax: atomsIn(options, 'dayMax', 'day_max'),
    allowlist: allowed,
  };
}

async function allowlistOf(options: CommandOptions): Promise<readonly string[] | null> {
  const file = textOf(options, 'allowFile');
  const given = options['allow'] as string[] | undefined;
  if (given === undefined && file === undefined) return null;
  const lines = file === undefined ? [] : (await readText(file)).split(/\r?\n/);
  const texts = [...(given ?? []), ...lines.map((line) => line.trim())].filter(
    (text) => text !== '',
  );
  const addresses = texts.map((text) => {
    asParameter('invalid_address', 'allow', () => parseAddress(text));
    return text.toLowerCase();
  });
  if (addresses.length > ALLOWLIST_MAX) throw usage(`--allow: at most ${ALLOWLIST_MAX} addresses`);
  return [...new Set(addresses)];
}

function atomsIn(options: CommandOptions, option: string, path: string): bigint | null {
  const coins = textOf(options, option);
  return coins === undefined ? null : BigInt(atomsOf(coins, path));
}

function scopeOf(text: string): Scope {
  const scope = SCOPES.find((known) => known === text);
  if (scope !== undefined) return scope;
  throw usage(`--scope: expected ${SCOPES.join(', ')}, found ${text}`);
}

/** What may be shown of a token; amounts are in coins. */
function shown({ createdAtMillis, limits, name, scopes }: TokenRecord): object {
  const coins = (atoms: bigint | null): string | null => (atoms === null ? null : coinsOf(atoms));
  return {
    name,
    scopes,
    ...(limits === null
      ? {}
      : {
          payment_max: coins(limits.paymentMax),
          day_max: coins(limits.dayMax),
          budget: limits.budget,
          allowlist: limits.allowlist,
        }),
    created_at_millis: createdAtMillis,
  };
}
