/** What is asked of a node about a cut, and what is taken for all of its changes. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Client, ClientError } from 'svc-client';
import { type CertifiedCut, certifyCut, init } from 'svc-wasm';
import { encodeAddress, fromHex, toHex } from 'svc-wasm/base';
import {
  type ChangeLeaf,
  encodeChangeLeaves,
  encodeLeavesProof,
  hashListLeaves,
  listLevels,
  proveLeaves,
  rootOfList,
} from 'svc-wasm/protocol';
import {
  CHAIN_ID,
  committee,
  NETWORK,
  signedCut,
  TIME,
} from '../../test/testing/certified-cuts.ts';
import { WalletError } from '../errors.ts';
import { AddressBook } from '../keys/address-book.ts';
import type { Addresses } from '../state/addresses.ts';
import { CutChanges } from './cut-changes.ts';

await init();

const COMMITTEE = committee(1);
const HEIGHT = 7;

/** Addresses of the wallet have even numbers. They ascend with their numbers. */
function addressBytes(number: number): Uint8Array {
  const bytes = new Uint8Array(49).fill(7, 3);
  new DataView(bytes.buffer).setUint16(1, number);
  return bytes;
}

const textOf = (number: number): string => encodeAddress(addressBytes(number), NETWORK);

function leavesOf(numbers: readonly number[]): ChangeLeaf[] {
  const leaves = numbers.map(
    (number, index): ChangeLeaf => ({
      address: toHex(addressBytes(number)),
      index,
      kind: index % 2 === 0 ? 'received' : 'spent',
      source: 'regular',
      amount: BigInt(index) + 500n,
      outpoint: `${'ab'.repeat(48)}${index.toString(16).padStart(8, '0')}`,
      transactionId: 'cd'.repeat(48),
    }),
  );
  return leaves.sort((a, b) =>
    a.address < b.address ? -1 : a.address > b.address ? 1 : a.index - b.index,
  );
}

function cutWith(leaves: readonly ChangeLeaf[], height = HEIGHT): CertifiedCut {
  const changesRoot = rootOfList('change', encodeChangeLeaves(leaves));
  const cut = signedCut({ height, time: TIME + height, signers: COMMITTEE, changesRoot });
  const { certificate_hex, header_hex } = cut;
  return certifyCut(fromHex(header_hex), fromHex(certificate_hex), COMMITTEE.encoded, CHAIN_ID);
}

/** All leaves of these addresses and those beside them. */
function proofOf(leaves: readonly ChangeLeaf[], addresses: readonly string[]): Uint8Array {
  const records = encodeChangeLeaves(leaves);
  const texts = leaves.map(({ address }) => encodeAddress(fromHex(address), NETWORK));
  const bytes = new Map(leaves.map(({ address }, at) => [texts[at] as string, address]));
  const shown = new Set<number>();
  for (const address of addresses) {
    const own = bytes.get(address) ?? NUMBERS.get(address) ?? '';
    const first = leaves.findIndex((leaf) => leaf.address >= own);
    const from = first < 0 ? leaves.length : first;
    let end = from;
    while (leaves[end]?.address === own) end++;
    for (let at = from - 1; at <= end; at++) if (leaves[at] !== undefined) shown.add(at);
  }
  const indexes = [...shown].sort((a, b) => a - b);
  const digests = hashListLeaves('change', records);
  const nodeOver = (first: number, end: number) =>
    listLevels(digests.subarray(first * 48, end * 48)).at(-1) as Uint8Array;
  const list = proveLeaves(records.length, indexes, nodeOver);
  return encodeLeavesProof(
    list,
    indexes.map((at) => records[at] as Uint8Array),
  );
}

const NUMBERS = new Map(
  Array.from({ length: 600 }, (_, number) => [textOf(number), toHex(addressBytes(number))]),
);

interface Served {
  readonly leaves: readonly ChangeLeaf[];
  /** What it says how many there are. */
  readonly count?: number;
  readonly proves?: (addresses: readonly string[]) => Uint8Array;
}

/** A node that serves leaves, whatever the cut is, and counts the characters of its answers. */
function nodeOf({ count, leaves, proves }: Served) {
  const asked = { pages: 0, proofs: 0, characters: 0 };
  const records = encodeChangeLeaves(leaves);
  const client = {
    cutLeaves: async ({ cursor = '0', limit = 0 }: { cursor?: string; limit?: number }) => {
      asked.pages++;
      const end = Number(cursor) + limit;
      const leaves_base64 = Buffer.concat(records.slice(Number(cursor), end)).toString('base64');
      asked.characters += leaves_base64.length;
      const next = end < records.length ? { next_cursor: String(end) } : {};
      return { count: count ?? records.length, leaves_base64, ...next };
    },
    proofsChanges: async ({ addresses }: { addresses: string[] }) => {
      asked.proofs++;
      const proof_hex = toHex((proves ?? ((some) => proofOf(leaves, some)))(addresses));
      asked.characters += proof_hex.length;
      return { proof_hex };
    },
  } as unknown as Client;
  return { asked, client };
}

function walletOf(client: Client, own: number) {
  const texts = Array.from({ length: own }, (_, at) => textOf(2 * at));
  const references = (after: number, limit: number) =>
    texts.map((address, at) => ({ id: at + 1, address })).slice(after, after + limit);
  const addresses = {
    listTexts: () => ({ firstId: 1, texts }),
    references,
  } as unknown as Addresses;
  const book = new AddressBook(addresses);
  const disbelieve = (message: string) => new WalletError('node_not_believed', message);
  return new CutChanges({ client, network: NETWORK, book, addresses, disbelieve });
}

const wanted = (leaves: readonly ChangeLeaf[], own: number) =>
  leaves
    .filter(({ address }) => {
      const number = new DataView(fromHex(address).buffer).getUint16(1);
      return number % 2 === 0 && number < 2 * own;
    })
    .sort((a, b) => a.index - b.index)
    .map(({ amount, address }) => [encodeAddress(fromHex(address), NETWORK), String(amount)]);

test('all changes of the wallet are found in the order of the cut, by the list and by proofs', async () => {
  const scenario = fc.record({
    numbers: fc.array(fc.integer({ min: 0, max: 599 }), { maxLength: 120 }),
    own: fc.integer({ min: 1, max: 100 }),
  });
  await fc.assert(
    fc.asyncProperty(scenario, async ({ numbers, own }) => {
      const leaves = leavesOf(numbers);
      const cut = cutWith(leaves);
      const changes = walletOf(nodeOf({ leaves }).client, own);
      const found = await changes.ofWallet(cut);
      const pairs = found.map(({ address, amount }) => [address, amount]);
      assert.deepEqual(pairs, wanted(leaves, own));
      const texts = Array.from({ length: own }, (_, at) => textOf(2 * at));
      assert.deepEqual(await changes.ofAddresses(cut, texts), found);
      assert.ok(found.every((change) => change.finalized_height === HEIGHT));
    }),
    { numRuns: 60 },
  );
});

const FULL = leavesOf(Array.from({ length: 6_000 }, (_, at) => (at * 7) % 600));

test('a wallet with few addresses asks for proofs of a full cut, and one with many for the list', async () => {
  const cut = cutWith(FULL);
  const listCharacters = (FULL.length * 163 * 4) / 3;
  const few = nodeOf({ leaves: FULL });
  const fewChanges = walletOf(few.client, 2);
  for (let times = 0; times < 2; times++)
    assert.equal((await fewChanges.ofWallet(cut)).length, wanted(FULL, 2).length);
  assert.deepEqual(
    [few.asked.pages, few.asked.proofs],
    [1, 2],
    'the length is known the second time',
  );
  assert.ok(few.asked.characters < listCharacters / 4, `${few.asked.characters}`);
  const many = nodeOf({ leaves: FULL, count: 0 });
  assert.equal((await walletOf(many.client, 300).ofWallet(cut)).length, wanted(FULL, 300).length);
  assert.equal(many.asked.proofs, 0);
  const small = nodeOf({ leaves: leavesOf([2, 3]) });
  await walletOf(small.client, 2).ofWallet(cutWith(leavesOf([2, 3])));
  assert.deepEqual([small.asked.pages, small.asked.proofs], [1, 0]);
});

const HONEST = leavesOf([2, 2, 3, 4, 9, 4]);
const LIES: Readonly<Record<string, readonly ChangeLeaf[]>> = {
  'a deposit left out': HONEST.filter(({ index }) => index !== 0),
  'a spending left out': HONEST.filter(({ index }) => index !== 1),
  'a payment invented': leavesOf([2, 2, 3, 4, 9, 4, 4]),
  'a larger amount': HONEST.map((leaf) => ({ ...leaf, amount: leaf.amount + 1n })),
  'a short list': HONEST.slice(0, 3),
  'no list': [],
  'another order': HONEST.toReversed(),
};

for (const [lie, leaves] of Object.entries(LIES)) {
  test(`${lie} is refused in the cut where it happens, as a list and as a proof`, async () => {
    const cut = cutWith(HONEST);
    const disbelieved = {
      kind: 'node_not_believed',
      message: /all changes of cut 7 that validators/,
    };
    const { client } = nodeOf({ leaves });
    await assert.rejects(walletOf(client, 3).ofWallet(cut), disbelieved);
    await assert.rejects(walletOf(client, 3).ofAddresses(cut, [textOf(2), textOf(4)]), disbelieved);
  });
}

test('the list and the proof of another cut are refused, and a proof of other addresses', async () => {
  const other = leavesOf([2, 5]);
  const cut = cutWith(HONEST);
  const disbelieved = { kind: 'node_not_believed' };
  const ofOther = nodeOf({ leaves: other, proves: (some) => proofOf(other, some) });
  await assert.rejects(walletOf(ofOther.client, 3).ofWallet(cut), disbelieved);
  await assert.rejects(walletOf(ofOther.client, 3).ofAddresses(cut, [textOf(2)]), disbelieved);
  const ofOthers = nodeOf({ leaves: HONEST, proves: () => proofOf(HONEST, [textOf(9)]) });
  await assert.rejects(walletOf(ofOthers.client, 3).ofAddresses(cut, [textOf(2)]), disbelieved);
});

test('a list that has no end is given up', async () => {
  const { client } = nodeOf({ leaves: HONEST });
  const endless = {
    ...client,
    cutLeaves: async () => ({ count: 0, leaves_base64: '', next_cursor: 'again' }),
  } as unknown as Client;
  await assert.rejects(walletOf(endless, 3).ofWallet(cutWith(HONEST)), {
    kind: 'node_not_believed',
  });
});

test('where a proof is too large the list is read', async () => {
  const { asked, client } = nodeOf({ leaves: HONEST });
  const proofsChanges = async (): Promise<never> => {
    throw new ClientError('refused', 'too large', { status: 400, code: 'too_many_items' });
  };
  const changes = walletOf({ ...client, proofsChanges }, 3);
  const found = await changes.ofAddresses(cutWith(HONEST), [textOf(2)]);
  assert.deepEqual([found.length, asked.pages], [2, 1]);
});
