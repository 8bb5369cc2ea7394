/**
 * A round as pools publish it in JSON: amounts and work are decimal strings. What is read from a pool is checked
 * field by field, since it is untrusted.
 */
import type { Round, RoundEntry } from './round.ts';

export interface RoundDocument {
  readonly api_version: 1;
  readonly round: number;
  readonly mode: 'pplns' | 'solo';
  readonly block_id: string;
  readonly reward: string;
  readonly fee_basis_points: string;
  readonly fee: string;
  readonly carried: string;
  readonly leftover: string;
  readonly window: {
    readonly work: string;
    readonly from_height: number;
    readonly to_height: number;
  };
  readonly entries: readonly {
    readonly address: string;
    readonly work: string;
    readonly atoms: string;
  }[];
  readonly previous_root: string;
  readonly root: string;
}

const ENTRIES_MAX = 1_000_000;
const DECIMAL = /^(0|[1-9][0-9]{0,39})$/;
const ID = /^[0-9a-f]{96}$/;
const ADDRESS = /^[a-z0-9]{8,90}$/;

export function roundDocument(round: Round, root: string): RoundDocument {
  return {
    api_version: 1,
    round: round.number,
    mode: round.mode,
    block_id: round.blockId,
    reward: String(round.reward),
    fee_basis_points: String(round.feeBasisPoints),
    fee: String(round.fee),
    carried: String(round.carried),
    leftover: String(round.leftover),
    window: {
      work: String(round.windowWork),
      from_height: round.fromHeight,
      to_height: round.toHeight,
    },
    entries: round.entries.map(({ address, work, atoms }) => ({
      address,
      work: String(work),
      atoms: String(atoms),
    })),
    previous_root: round.previousRoot,
    root,
  };
}

/** The round of a document and the root that it claims; throws what is wrong with its form. */
export function readRoundDocument(value: unknown): {
  readonly round: Round;
  readonly root: string;
} {
  const document = fieldsOf(value);
  const window = fieldsOf(document['window']);
  const entries = document['entries'];
  const mode = document['mode'];
  if (!Array.isArray(entries) || entries.length > ENTRIES_MAX) throw broken('entries');
  if (mode !== 'pplns' && mode !== 'solo') throw broken('mode');
  const round: Round = {
    number: integer(document, 'round'),
    previousRoot: text(document, 'previous_root', ID),
    mode,
    blockId: text(document, 'block_id', ID),
    reward: decimal(document, 'reward'),
    feeBasisPoints: decimal(document, 'fee_basis_points'),
    fee: decimal(document, 'fee'),
    carried: decimal(document, 'carried'),
    leftover: decimal(document, 'leftover'),
    windowWork: decimal(window, 'work'),
    fromHeight: integer(window, 'from_height'),
    toHeight: integer(window, 'to_height'),
    entries: entries.map(readEntry),
  };
  return { round, root: text(document, 'root', ID) };
}

function readEntry(value: unknown): RoundEntry {
  const entry = fieldsOf(value);
  return {
    address: text(entry, 'address', ADDRESS),
    work: decimal(entry, 'work'),
    atoms: decimal(entry, 'atoms'),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function fieldsOf(value: unknown): Fields {
  if (typeof value === 'object' && value !== null) return value as Fields;
  throw broken('an object');
}

function text(fields: Fields, name: string, pattern: RegExp): string {
  const value = fields[name];
  if (typeof value === 'string' && pattern.test(value)) return value;
  throw broken(name);
}

function decimal(fields: Fields, name: string): bigint {
  return BigInt(text(fields, name, DECIMAL));
}

function integer(fields: Fields, name: string): number {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw broken(name);
}

function broken(name: string): Error {
  return new Error(`the round cannot be read: ${name} is missing or malformed`);
}
