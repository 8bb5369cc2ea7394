/**
 * Audits a round that a pool published: its arithmetic, its place in the chain of rounds, the reward on the ledger, the
 * payment that carries its root, and the miner's own shares. Figures of the pool are not trusted where they can be
 * computed or read elsewhere.
 */
import {
  FIRST_ROOT,
  parsePayoutText,
  type Round,
  readRoundDocument,
  roundFaults,
  roundRoot,
} from 'svc-mining';
import { decodeRecipientPayloads } from 'svc-wasm';
import { fromHex, isRefusal } from 'svc-wasm/base';
import type { CountedShare } from '../sources/work-source.ts';

export interface AuditPorts {
  /** Reads a path of the pool; undefined if there is no such thing. */
  readPool(path: string): Promise<unknown>;
  /** Reads a path of a node; absent without a node. */
  readonly readNode?: (path: string) => Promise<unknown>;
  /** The miner's own acknowledged shares of this pool. */
  readShares(poolAddress: string): readonly CountedShare[];
}

export interface AuditOptions {
  readonly round: number;
  /** The miner's payout address. */
  readonly address: string;
  /** Cuts at the end of the window whose shares may be of the next. */
  readonly marginCuts: number;
}

/** `open` is what could not be looked at, or not yet. */
export interface Finding {
  readonly verdict: 'good' | 'bad' | 'open';
  readonly text: string;
}

interface PublishedRound {
  readonly round: Round;
  readonly root: string;
}

/** Rounds between the audited one and the one that a payment carries. */
const ROUNDS_MAX = 10_000;

export async function auditRound(ports: AuditPorts, options: AuditOptions): Promise<Finding[]> {
  const published = await readRound(ports, options.round);
  if (published === undefined) return [bad(`the pool has no round ${options.round}`)];
  const poolAddress = await readPoolAddress(ports);
  return [
    ...ownFigures(published),
    await placeInChain(ports, published),
    await rewardOnLedger(ports, published.round, poolAddress),
    await paymentOnLedger(ports, published, options.address),
    ownShares(ports.readShares(poolAddress), published.round, options),
  ];
}

async function readRound(ports: AuditPorts, number: number): Promise<PublishedRound | undefined> {
  const document = await ports.readPool(`/v1/rounds/${number}`);
  if (document === undefined) return undefined;
  const published = readRoundDocument(document);
  if (published.round.number === number) return published;
  throw new Error(`the pool answered with round ${published.round.number} for round ${number}`);
}

async function readPoolAddress(ports: AuditPorts): Promise<string> {
  const { pool } = ((await ports.readPool('/v1/stats')) ?? {}) as { pool?: { address?: unknown } };
  if (typeof pool?.address === 'string' && /^[a-z0-9]{8,90}$/.test(pool.address))
    return pool.address;
  throw new Error('the pool does not name its address');
}

function ownFigures({ round, root }: PublishedRound): Finding[] {
  const faults = roundFaults(round).map(bad);
  const { entries, reward, carried } = round;
  const sum = `${entries.length} miners share ${reward + carried} atoms to the last one`;
  const figures = faults.length > 0 ? faults : [good(sum)];
  const isRooted = roundRoot(round) === root;
  return [...figures, isRooted ? good('its root is right') : bad('its root is of other figures')];
}

async function placeInChain(ports: AuditPorts, { round }: PublishedRound): Promise<Finding> {
  const { number, previousRoot, carried } = round;
  const before = number > 1 ? await readRound(ports, number - 1) : undefined;
  if (number > 1 && before === undefined) return bad(`round ${number - 1} is missing`);
  if (previousRoot !== (before?.root ?? FIRST_ROOT))
    return bad('it does not follow the round before it');
  if (carried !== (before?.round.leftover ?? 0n))
    return bad('it does not carry what the round before left over');
  return good('it follows the round before it');
}

async function rewardOnLedger(
  { readNode }: AuditPorts,
  { blockId, reward }: Round,
  poolAddress: string,
): Promise<Finding> {
  if (readNode === undefined) return open('no node was asked for the reward: give --node');
  const block = (await readNode(`/v1/blocks/${blockId}`)) as
    | { payout_address?: string; reward?: { state?: string; amount?: string | null } }
    | undefined;
  if (block === undefined) return open('the node does not keep the block');
  if (block.payout_address !== poolAddress) return bad('the block pays another address');
  const { state, amount } = block.reward ?? {};
  if (state !== 'paid' || amount !== String(reward))
    return bad(`the ledger says ${state} ${amount}, the pool says paid ${reward}`);
  return good(`the ledger paid ${reward} atoms for the block`);
}

async function paymentOnLedger(
  ports: AuditPorts,
  { round, root }: PublishedRound,
  address: string,
): Promise<Finding> {
  const credit = round.entries.find((entry) => entry.address === address)?.atoms ?? 0n;
  if (credit === 0n) return open('the round gives nothing to this address');
  const miner = (await ports.readPool(`/v1/miners/${address}`)) as
    | { payouts?: readonly { round: number; state: string; transaction: string | null }[] }
    | undefined;
  const payout = miner?.payouts?.findLast(
    ({ round: carried, state, transaction }) =>
      carried >= round.number && transaction !== null && (state === 'sent' || state === 'final'),
  );
  const id = payout?.transaction ?? null;
  if (id === null) return open('no payment for the round yet');
  if (ports.readNode === undefined) return open('no node was asked for the payment: give --node');
  const path = `/v1/transactions/${encodeURIComponent(id)}`;
  const transaction = (await ports.readNode(path)) as { payload_hex?: string } | undefined;
  if (transaction === undefined) return open('the node does not keep the payment');
  const carried = carriedRoot(transaction.payload_hex ?? '');
  if (carried === undefined) return bad('the payment carries no root');
  if (carried.round < round.number) return bad('the payment carries the root of an earlier round');
  return await followRoots(ports, { round, root }, carried);
}

/** Whether the root that a payment carries commits to the round: every round in between has to fit. */
async function followRoots(
  ports: AuditPorts,
  { round, root }: PublishedRound,
  carried: { readonly round: number; readonly root: string },
): Promise<Finding> {
  if (carried.round - round.number > ROUNDS_MAX)
    return open('the payment is too many rounds later');
  let last = root;
  for (let number = round.number + 1; number <= carried.round; number++) {
    const next = await readRound(ports, number);
    if (next === undefined) return bad(`round ${number} is missing`);
    if (next.round.previousRoot !== last || roundRoot(next.round) !== next.root)
      return bad(`round ${number} does not follow the one before it`);
    last = next.root;
  }
  if (last !== carried.root) return bad('the payment carries another root');
  return good(`the payment carries the root of round ${carried.round}, which commits to this one`);
}

function carriedRoot(payloadHex: string) {
  try {
    const entries = JSON.parse(decodeRecipientPayloads(fromHex(payloadHex, 'payload'))) as {
      text?: string;
    }[];
    for (const { text } of entries) {
      const carried = text === undefined ? undefined : parsePayoutText(text);
      if (carried !== undefined) return carried;
    }
    return undefined;
  } catch (error) {
    if (isRefusal(error)) return undefined;
    throw error;
  }
}

/** Shares that were certainly counted within the window: by heights, since clocks differ. */
function ownShares(
  shares: readonly CountedShare[],
  { mode, entries, fromHeight, toHeight }: Round,
  { address, marginCuts }: AuditOptions,
): Finding {
  if (mode === 'solo') return open('a solo block is its finder’s alone');
  if (shares.length === 0) return open('no acknowledged shares of this pool are kept here');
  const certain = shares.filter(
    ({ jobHeight, newestHeight }) =>
      jobHeight > fromHeight && newestHeight + marginCuts <= toHeight,
  );
  const own = certain.reduce((sum, { work }) => sum + work, 0n);
  const credited = entries.find((entry) => entry.address === address)?.work ?? 0n;
  const words = `${certain.length} own shares with ${own} hashes lie in its window, it counts ${credited}`;
  return own <= credited ? good(words) : bad(words);
}

function good(text: string): Finding {
  return { verdict: 'good', text };
}

function bad(text: string): Finding {
  return { verdict: 'bad', text };
}

function open(text: string): Finding {
  return { verdict: 'open', text };
}
