/**
 * Claims as readers write them, one a line, and as links carry them.
 */
import { type Claim, isClaim } from 'svc-client/evidence';
import { parseCoins } from '../format/figures.ts';

const ID = /^[0-9a-f]{96}$/;
const ADDRESS = /^[a-z0-9]{40,100}$/i;
const HEIGHT = /^[0-9]{1,15}$/;
const CLAIMS_MAX = 64;

/** The claims of a text; undefined if one of its lines cannot be read. */
export function claimsOfText(text: string): readonly Claim[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const claims = lines.map(claimOfLine);
  if (claims.length === 0 || claims.length > CLAIMS_MAX) return undefined;
  return claims.every((claim) => claim !== undefined) ? claims : undefined;
}

function claimOfLine(line: string): Claim | undefined {
  const [first = '', ...rest] = line.trim().split(/\s+/);
  const [a = '', b = '', c = ''] = rest;
  if (rest.length === 0) return claimOfName(first);
  const isOf = (kind: string, words: number) => first === kind && rest.length === words;
  const atoms = parseCoins(c);
  if (isOf('payment', 3) && ID.test(a) && ADDRESS.test(b) && atoms !== undefined)
    return { kind: 'payment', transactionId: a, to: b, amount: String(atoms) };
  if (isOf('payments', 3) && ADDRESS.test(a) && HEIGHT.test(b) && HEIGHT.test(c))
    return { kind: 'payments', address: a, fromHeight: Number(b), toHeight: Number(c) };
  if (isOf('outputs', 1) && ADDRESS.test(a)) return { kind: 'completeness', address: a };
  if (isOf('stake', 1) && ID.test(a)) return { kind: 'stake', validatorId: a };
  return undefined;
}

function claimOfName(name: string): Claim | undefined {
  if (name === 'head' || name === 'supply' || name === 'validators') return { kind: name };
  const [, transactionId, index] = /^([0-9a-f]{96}):([0-9]{1,6})$/.exec(name) ?? [];
  if (transactionId !== undefined) {
    return { kind: 'output', transactionId, outputIndex: Number(index) };
  }
  if (ID.test(name)) return { kind: 'transaction', id: name };
  return ADDRESS.test(name) ? { kind: 'balance', address: name } : undefined;
}

/** The part of a link behind the screen: it names the claims, and the node that is opened has to prove them. */
export function hashOfClaims(claims: readonly Claim[]): string {
  return `#claims=${encodeURIComponent(JSON.stringify(claims))}`;
}

/** The claims of a link; undefined if it has none that can be read. */
export function claimsOfHash(hash: string): readonly Claim[] | undefined {
  const [, text] = /^#claims=(.+)$/.exec(hash) ?? [];
  if (text === undefined) return undefined;
  try {
    const claims: unknown = JSON.parse(decodeURIComponent(text));
    const isList = Array.isArray(claims) && claims.length > 0 && claims.length <= CLAIMS_MAX;
    return isList && claims.every(isClaim) ? claims : undefined;
  } catch {
    return undefined;
  }
}

/** The cut that a link asks to pin, as `height:id`. */
export function pinOfHash(hash: string): string | undefined {
  return /^#pin=([0-9]{1,15}:[0-9a-f]{96})$/.exec(hash)?.[1];
}
