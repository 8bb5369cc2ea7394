/**
 * What a full cut costs a wallet of 10 and of 10,000 addresses, in time of its processor and in bytes: all of its changes,
 * compared with the changes root of the header, beside the list of rows in JSON without any proof.
 */
import { createClient } from 'svc-client';
import { AddressBook, CutChanges, checkAnswer } from 'svc-wallet/steps';
import { type CertifiedCut, certifyCut, init } from 'svc-wasm';
import {
  CONTEXTS,
  contextBytes,
  decodeAddress,
  encodeAddress,
  fromHex,
  toHex,
} from 'svc-wasm/base';
import { mlDsa65 } from 'svc-wasm/kernel';
import {
  type ChangeLeaf,
  cutId,
  decodeValidatorSet,
  encodeCertificate,
  encodeChangeLeaves,
  encodeCutHeader,
  encodeLeavesProof,
  encodeValidatorSet,
  hashListLeaves,
  listLevels,
  NO_ROUND,
  proveLeaves,
  rootOfList,
  voteSignBytes,
} from 'svc-wasm/protocol';
import { type BenchOptions, formatTime, type Row } from './harness.ts';

/** What a full cut has at 64 blocks of payments. */
const CHANGES = 13_000;
const NETWORK = 'testnet100';
const HEIGHT = 7;
const ROUNDS = 30;
const ID_BYTES = 48;
/** Rows of JSON that fit an answer. */
const ROWS_PER_PAGE = 2_100;
/** Every so many changes are of the wallet. */
const OWN_EVERY = 130;

type Fetch = typeof fetch;

/** A node that answers from texts that were made before, and counts their bytes. */
interface Node {
  readonly fetch: Fetch;
  bytes: number;
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const count = options.smoke ? 200 : CHANGES;
  const leaves = leavesOf(count);
  const rows: Row[] = [];
  for (const addresses of [10, 10_000]) {
    const own = ownAddresses(leaves, addresses);
    rows.push(...(await rowsOf(leaves, own, options)));
  }
  return rows;
}

async function rowsOf(
  leaves: readonly ChangeLeaf[],
  own: readonly string[],
  options: BenchOptions,
): Promise<readonly Row[]> {
  const listing = nodeOf(listedRows(leaves));
  const proving = nodeOf(provenLeaves(leaves));
  const book = bookOf(own);
  const addresses = { references: referencesOf(own) };
  const disbelieve = (message: string): never => {
    throw new Error(message);
  };
  const client = clientOf(proving);
  const changes = new CutChanges({ client, network: NETWORK, book, addresses, disbelieve });
  const cut = cutWith(leaves);
  const peer = clientOf(listing);
  let found = -1;
  const [ours, theirs] = await alternate(options, [
    async () => {
      proving.bytes = 0;
      found = (await changes.ofWallet(cut)).length;
    },
    async () => {
      listing.bytes = 0;
      let listed = 0;
      let cursor: string | undefined;
      do {
        const page = await peer.cutChanges({ height: HEIGHT, ...(cursor ? { cursor } : {}) });
        listed += page.changes.filter(({ address }) => book.idOf(address) !== undefined).length;
        cursor = page.next_cursor;
      } while (cursor !== undefined);
      if (listed !== found) throw new Error(`listed ${listed}, proven ${found}`);
    },
  ]);
  const [our, their] = [proving.bytes, listing.bytes];
  const name = `addresses=${own.length},changes=${leaves.length}`;
  return [
    {
      name: `wallet::cut/${name}`,
      ours: `${formatTime(ours)} to read and prove all changes`,
      peer: `${formatTime(theirs)} to read rows that nothing proves`,
      ratio: theirs / ours,
      limit: 0.95,
    },
    {
      name: `wallet::cut_bytes/${name}`,
      ours: `${our} bytes`,
      peer: `${their} bytes of rows`,
      ratio: their / our,
      limit: own.length > 1_000 ? 0.95 : 50,
    },
  ];
}

/** The mean processor time of each, in nanoseconds; they take turns. */
async function alternate(
  { size, smoke }: BenchOptions,
  works: readonly [() => Promise<void>, () => Promise<void>],
): Promise<readonly [number, number]> {
  const sums: [number, number] = [0, 0];
  const rounds = smoke ? 1 : Math.ceil(ROUNDS * size);
  for (let round = 0; round < rounds; round++) {
    for (const at of [0, 1] as const) {
      const before = process.threadCpuUsage();
      await works[at]();
      const { system, user } = process.threadCpuUsage(before);
      sums[at] += (1_000 * (user + system)) / rounds;
    }
  }
  return sums;
}

function leavesOf(count: number): ChangeLeaf[] {
  return Array.from({ length: count }, (_, index): ChangeLeaf => {
    const address = new Uint8Array(49);
    new DataView(address.buffer).setUint32(1, Math.floor((index * 2 ** 32) / count));
    return {
      address: toHex(address),
      index,
      kind: index % 2 === 0 ? 'received' : 'spent',
      source: 'regular',
      amount: 123_456_789n + BigInt(index),
      outpoint: `${index.toString(16).padStart(2 * ID_BYTES, 'a')}00000001`,
      transactionId: index.toString(16).padStart(2 * ID_BYTES, 'b'),
    };
  });
}

/** Addresses of the wallet: some that the cut changed, and others that it did not. */
function ownAddresses(leaves: readonly ChangeLeaf[], count: number): string[] {
  const changed = leaves.filter(({ index }) => index % OWN_EVERY === 0).slice(0, count / 10);
  return Array.from({ length: count }, (_, at) => {
    const bytes = fromHex(changed[at]?.address ?? '00'.repeat(49));
    if (at >= changed.length) new DataView(bytes.buffer).setUint32(1, 7 + at * 400_009);
    return encodeAddress(bytes, NETWORK);
  });
}

function bookOf(own: readonly string[]): AddressBook {
  const listTexts = (after: number, limit: number) => ({
    firstId: after + 1,
    texts: own.slice(after, after + limit),
  });
  return new AddressBook({ listTexts } as unknown as ConstructorParameters<typeof AddressBook>[0]);
}

function referencesOf(own: readonly string[]) {
  return (after: number, limit: number) =>
    own.map((address, at) => ({ id: at + 1, address })).slice(after, after + limit);
}

/** A cut that one validator has signed. */
function cutWith(leaves: readonly ChangeLeaf[]): CertifiedCut {
  const zeros = new Uint8Array(ID_BYTES);
  const { publicKey, secretKey } = mlDsa65.keygen(new Uint8Array(32));
  const set = encodeValidatorSet([{ id: zeros, publicKey, stake: 1n }]);
  const validatorSetId = decodeValidatorSet(set).id;
  const header = encodeCutHeader({
    ...{ protocolVersion: 1, chainId: zeros, height: BigInt(HEIGHT), parentCutId: zeros },
    ...{ historyRoot: zeros, proposer: 0, time: 1n, validatorSetId, previousRound: 0 },
    ...{ nextValidatorSetId: validatorSetId, previousSigners: 1n, registeredRoot: zeros },
    ...{ registeredCount: 0, registeredBytes: 0, evidenceRoot: zeros, outcomeRoot: zeros },
    ...{ stateRoot: zeros, workTarget: new Uint8Array(32) },
    changesRoot: rootOfList('change', encodeChangeLeaves(leaves)),
  });
  const vote = {
    kind: 'precommit',
    ...{ height: BigInt(HEIGHT), round: 0, validRound: NO_ROUND },
    ...{ cutId: cutId(header), validatorSetId },
  } as const;
  const context = contextBytes(CONTEXTS.vote);
  const signature = mlDsa65.sign(secretKey, voteSignBytes(vote, zeros), { context });
  const certificate = encodeCertificate({ ...vote, signers: 1n, signatures: [signature] });
  return certifyCut(header, certificate, set, zeros);
}

const HEAD = { api_version: 1, finalized_height: HEIGHT, height: HEIGHT } as const;

type Answer = (path: URL, body: string) => string;

function listedRows(leaves: readonly ChangeLeaf[]): Answer {
  const rows = leaves.map(({ address, amount, index, kind, outpoint, source, transactionId }) => ({
    ...{ index, kind, source, amount: String(amount), transaction_id: transactionId },
    address: encodeAddress(fromHex(address), NETWORK),
    outpoint: { transaction_id: outpoint.slice(0, 2 * ID_BYTES), output_index: 1 },
  }));
  const pages = Array.from({ length: Math.ceil(rows.length / ROWS_PER_PAGE) }, (_, at) => {
    const changes = rows.slice(at * ROWS_PER_PAGE, (at + 1) * ROWS_PER_PAGE);
    const isLast = (at + 1) * ROWS_PER_PAGE >= rows.length;
    return JSON.stringify({ ...HEAD, changes, ...(isLast ? {} : { next_cursor: String(at + 1) }) });
  });
  return ({ searchParams }) => pages[Number(searchParams.get('cursor') ?? 0)] as string;
}

/** Pages are made before they are timed, proofs when they are asked for first. */
function provenLeaves(leaves: readonly ChangeLeaf[]): Answer {
  const records = encodeChangeLeaves(leaves);
  const levels = listLevels(hashListLeaves('change', records));
  const known = new Map<string, string>();
  const answer = (url: URL, body: string): string => {
    if (url.pathname.endsWith('/leaves')) return page(url.searchParams);
    const { addresses } = JSON.parse(body) as { addresses: string[] };
    return prove(addresses);
  };
  const page = (query: URLSearchParams): string => {
    const from = Number(query.get('cursor') ?? 0);
    const end = from + Number(query.get('limit'));
    return JSON.stringify({
      ...HEAD,
      cut_id: '00'.repeat(ID_BYTES),
      count: records.length,
      leaves_base64: Buffer.concat(records.slice(from, end)).toString('base64'),
      ...(end < records.length ? { next_cursor: String(end) } : {}),
    });
  };
  const prove = (addresses: readonly string[]): string => {
    const indexes = new Set<number>();
    for (const text of addresses) {
      const wanted = toHex(decodeAddress(text, NETWORK));
      const found = leaves.findIndex(({ address }) => address >= wanted);
      const first = found < 0 ? leaves.length : found;
      const end = leaves[first]?.address === wanted ? first + 1 : first;
      for (let at = first - 1; at <= end; at++) if (leaves[at] !== undefined) indexes.add(at);
    }
    const shown = [...indexes].sort((a, b) => a - b);
    const list = proveLeaves(records.length, shown, (first, end) => {
      const height = Math.ceil(Math.log2(end - first));
      const at = (first / 2 ** height) * ID_BYTES;
      return (levels[height] as Uint8Array).subarray(at, at + ID_BYTES);
    });
    const proof = encodeLeavesProof(
      list,
      shown.map((at) => records[at] as Uint8Array),
    );
    return JSON.stringify({ ...HEAD, cut_id: '00'.repeat(ID_BYTES), proof_hex: toHex(proof) });
  };
  return (url, body) => {
    const key = `${url.pathname}${url.search} ${body}`;
    const text = known.get(key) ?? answer(url, body);
    known.set(key, text);
    return text;
  };
}

/** Counts the bytes of the last round alone: the first tells a client how long lists are. */
function nodeOf(answer: Answer): Node {
  const node: Node = {
    bytes: 0,
    fetch: async (target, init) => {
      const text = answer(new URL(target as string), (init?.body ?? '') as string);
      node.bytes += text.length;
      return new Response(text, { headers: { 'content-type': 'application/json' } });
    },
  };
  return node;
}

function clientOf({ fetch }: Node) {
  return createClient({ url: 'http://node.example', fetch, check: checkAnswer });
}
