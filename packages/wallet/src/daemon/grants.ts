/**
 * What every valid token allows: the token beside the wallet file everything, the one of `--read-token-file` reading, and
 * tokens of the store what they were made for. The store is looked at each time, so that a new token works at once and a
 * revoked one no more.
 */
import type { Scope } from 'svc-api/rpc';
import { type Log, messageOf } from 'svc-base/pure';
import type { FileRefusal } from '../file/file-refusal.ts';
import { digestOf } from '../file/token.ts';
import type { TokenRecord, TokenStore } from '../file/token-store.ts';
import type { Grant, Grants } from './access.ts';

export interface FileTokens {
  readonly full: string;
  /** The token that allows reading only, if there is one. */
  readonly read: string | null;
}

/** Throws if a token of the store cannot be read; one that goes bad later allows nothing, and the log says so. */
export function openGrants({ full, read }: FileTokens, store: TokenStore, log: Log): Grants {
  const own: Grant[] = [
    fileGrant('main', 'everything', full),
    ...(read === null ? [] : [fileGrant('read', 'read', read)]),
  ];
  const made = new WeakMap<TokenRecord, Grant>();
  const told = new Set<string>();
  const tell = (error: FileRefusal): void => {
    if (told.has(error.path)) return;
    told.add(error.path);
    log.error({ error: error.message }, 'a token cannot be read and allows nothing');
  };
  const grantOf = (record: TokenRecord): Grant => {
    const { digest, limits, name, scopes } = record;
    const known = made.get(record);
    if (known !== undefined) return known;
    const grant: Grant = {
      ...{ name, scopes, limits, digest: Buffer.from(digest, 'hex') },
      isValid: () => present().includes(grant),
    };
    made.set(record, grant);
    return grant;
  };
  store.list((error) => {
    throw error;
  });
  let isListed = true;
  const list = (): readonly Grant[] => {
    try {
      const grants = [...own, ...store.list(tell).map(grantOf)];
      isListed = true;
      return grants;
    } catch (error) {
      // The tokens of the files stay valid, so that the operator is not locked out as well. Every request comes here.
      const fields = { error: messageOf(error) };
      if (isListed) log.error(fields, 'tokens cannot be listed and allow nothing now');
      isListed = false;
      return own;
    }
  };
  const present = oncePerRun(list);
  return list;
}

/** The same answer until what runs now has ended: a call and the payments of a group look at the store once. */
function oncePerRun<T>(look: () => T): () => T {
  let seen: { readonly value: T } | undefined;
  return () => {
    if (seen === undefined) {
      seen = { value: look() };
      queueMicrotask(() => {
        seen = undefined;
      });
    }
    return seen.value;
  };
}

function fileGrant(name: string, scope: Scope, token: string): Grant {
  const digest = Buffer.from(digestOf(token), 'hex');
  return { name, scopes: [scope], limits: null, digest, isValid: () => true };
}
