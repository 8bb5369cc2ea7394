/**
 * What the lists cost that a cut's header commits to (`docs/protocol.md` 8.8 and 9.6): the processor time of the deciding thread for
 * their roots in a full cut, beside the same cut with one flat hash of its outcomes and no other list, and the sizes of proofs. A full
 * cut has 4,352 payments. Size 1 is a million outputs, size 10 ten million.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { applyCut, type CutResult, changesRoot, outcomeRecords, outcomeRoot } from 'svc-ledger';
import type { LedgerStore } from 'svc-storage';
import { init } from 'svc-wasm';
import { fromHex, LABELS } from 'svc-wasm/base';
import {
  appendHistory,
  encodeListProof,
  hashLabel,
  historyRoot,
  proveLeaves,
  rootOfList,
} from 'svc-wasm/protocol';
import { CutLists } from '../../serve/src/http/reading/cut-lists.ts';
import type { BenchOptions, Row } from './harness.ts';
import { commitOf } from './store-commit.ts';
import { PAYMENTS_PER_CUT, StoreFixture, storedAddress } from './store-fixture.ts';

const OUTPUTS = 1_000_000;
const SMOKE_OUTPUTS = 20_000;
const CUTS = 16;
const WARM_CUTS = 3;
const COST_MAX = 0.03;

/** Two and a half years of a chain of 2.5 seconds a cut. */
const DEEP_CUTS = 30_000_000;
const OLD_HEIGHT = 241;
const PATH_BYTES_MAX = 3_000;
const HEIGHTS_MAX = 64;
const ANSWER_BYTES_MAX = 256 << 10;
const HEADER_BYTES = 558;
const ID_BYTES = 48;
/** A proof has this part of the bytes of its list at most. */
const LIST_TIMES_MIN = 100;
/** What a wallet may ask for in one request. */
const ADDRESSES_MAX = 64;

interface Costs {
  readonly cut: number;
  readonly roots: number;
  readonly flat: number;
}

export async function bench(options: BenchOptions): Promise<readonly Row[]> {
  await init();
  const directory = mkdtempSync(join(tmpdir(), 'svc-roots-bench-'));
  const outputs = options.smoke ? SMOKE_OUTPUTS : Math.round(options.size * OUTPUTS);
  const fixture = new StoreFixture(join(directory, 'store'), outputs);
  try {
    await fixture.build();
    const store = await fixture.open();
    const cuts = options.smoke ? WARM_CUTS + 2 : CUTS;
    const costs: Costs[] = [];
    for (let height = 1; height <= cuts; height++)
      costs.push(await costsOf(store, fixture, height));
    const rows = [costRow(outputs, costs.slice(WARM_CUTS)), ...pathRows()];
    rows.push(...(await proofRows(store, outputs)));
    await store.close();
    return rows;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Milliseconds of this thread. */
function processorMillis(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

async function costsOf(store: LedgerStore, fixture: StoreFixture, height: number): Promise<Costs> {
  const input = fixture.nextCut(height);
  const { chainId, head } = store;
  await store.prepare(input);
  const began = processorMillis();
  const result = applyCut(fixture.ports(store), store.view, input);
  await store.commit(commitOf(input, result, { chainId, parentCutId: head?.cutId ?? '' }));
  const cut = processorMillis() - began;
  const roots = timeOf(() => rootsOf(result, fromHex(input.parentCutId)));
  const flat = timeOf(() => flatHashOf(result));
  return { cut, roots, flat };
}

function timeOf(run: () => void): number {
  const began = processorMillis();
  run();
  return processorMillis() - began;
}

function rootsOf({ events, height, ...roots }: CutResult, parentCutId: Uint8Array): void {
  const peaks = Array.from({ length: Math.ceil(Math.log2(DEEP_CUTS)) }, () => parentCutId);
  const count = 2 ** peaks.length - 1;
  historyRoot(hashLabel, count + 1, appendHistory(hashLabel, count, peaks, parentCutId));
  const isSame =
    outcomeRoot(rootOfList, events.outcomes) === roots.outcomeRoot &&
    changesRoot(rootOfList, events.history) === roots.changesRoot;
  if (!isSame) throw new Error(`cut ${height} has other roots`);
}

function flatHashOf({ events }: CutResult): void {
  hashLabel(LABELS.listRoot, Buffer.concat(outcomeRecords(events.outcomes)));
}

function costRow(outputs: number, costs: readonly Costs[]): Row {
  const least = (part: keyof Costs) => Math.min(...costs.map((each) => each[part]));
  const [cut, roots, flat] = [least('cut'), least('roots'), least('flat')];
  const before = cut - roots + flat;
  const share = (100 * (cut - before)) / before;
  return {
    name: `ledger::roots-in-cut/outputs=${outputs}`,
    ours: `${cut.toFixed(1)} ms of a processor for a full cut (${PAYMENTS_PER_CUT} payments), ${roots.toFixed(1)} of them for its lists: ${share.toFixed(1)} % more`,
    peer: `${before.toFixed(1)} ms with a flat hash of outcomes alone (${flat.toFixed(1)} ms); ${100 * COST_MAX} % more allowed`,
    ratio: (before * (1 + COST_MAX)) / cut,
    limit: 1,
  };
}

function pathRows(): Row[] {
  const pathTo = (heights: readonly number[]) =>
    encodeListProof(proveLeaves(DEEP_CUTS, heights, () => new Uint8Array(ID_BYTES)));
  const one = pathTo([OLD_HEIGHT]).length;
  const heights = Array.from({ length: HEIGHTS_MAX }, (_, at) =>
    Math.floor((DEEP_CUTS * at) / HEIGHTS_MAX),
  );
  const hex = (bytes: number) => '0'.repeat(2 * bytes);
  const answer = JSON.stringify({
    api_version: 1,
    finalized_height: DEEP_CUTS,
    height: DEEP_CUTS,
    cuts: heights.map((height) => ({
      height,
      cut_id: hex(ID_BYTES),
      header_hex: hex(HEADER_BYTES),
    })),
    proof_hex: hex(pathTo(heights).length),
  });
  return [
    sizeRow(`protocol::path/cuts=${DEEP_CUTS}`, one, PATH_BYTES_MAX, 'allowed'),
    sizeRow(
      `api::paths/cuts=${DEEP_CUTS},heights=${HEIGHTS_MAX}`,
      answer.length,
      ANSWER_BYTES_MAX,
      'allowed, headers and hexadecimal included',
    ),
  ];
}

/** Proofs of the last cut, as a node makes them. */
async function proofRows(store: LedgerStore, outputs: number): Promise<Row[]> {
  const { height = 0 } = store.head ?? {};
  const reader = store.reader();
  const lists = new CutLists();
  const cut = { height, cutId: '' };
  const { rows: outcomes } = await reader.cutTransactions(height, { limit: 1 });
  const { rows: changes } = await reader.cutChanges(height, { limit: ADDRESSES_MAX });
  const payment = outcomes[0]?.outcome.transactionId ?? '';
  const touched = [...new Set(changes.map(({ entry }) => entry.address))];
  const absent = Array.from({ length: ADDRESSES_MAX }, (_, at) =>
    storedAddress(Math.floor((outputs * (at + ADDRESSES_MAX)) / (2 * ADDRESSES_MAX)), outputs + 1),
  );
  const outcomeBytes = (await lists.proveOutcomes(reader, cut, [payment])).length;
  const changesBytes = async (addresses: readonly string[]) =>
    (await lists.proveChanges(reader, cut, addresses)).length;
  const [own, none, many] = [
    await changesBytes(touched.slice(0, 1)),
    await changesBytes(absent.slice(1, 2)),
    await changesBytes(absent),
  ];
  await reader.close();
  const [outcomeList, changeList] = [LIST_BYTES.outcomes, LIST_BYTES.changes];
  const listRow = (name: string, bytes: number, list: number): Row =>
    sizeRow(`${name}/payments=${PAYMENTS_PER_CUT}`, bytes, list / LIST_TIMES_MIN, 'allowed');
  return [
    listRow('api::outcome-proof', outcomeBytes, outcomeList),
    listRow('api::changes-proof-of-one', own, changeList),
    listRow('api::changes-proof-of-none', none, changeList),
    sizeRow(
      `api::changes-proof-of-addresses=${ADDRESSES_MAX}/payments=${PAYMENTS_PER_CUT}`,
      many,
      ANSWER_BYTES_MAX / 2,
      'allowed',
    ),
  ];
}

/** The bytes of all leaves of a full cut: outcomes with one payer, and one spent and two received outputs for each payment. */
const LIST_BYTES = {
  outcomes: PAYMENTS_PER_CUT * (2 * ID_BYTES + 10 + 49),
  changes: 3 * PAYMENTS_PER_CUT * (2 * ID_BYTES + 18 + 49),
};

function sizeRow(name: string, bytes: number, allowed: number, of: string): Row {
  return {
    name,
    ours: `${bytes} bytes`,
    peer: `${Math.floor(allowed)} bytes ${of}`,
    ratio: allowed / bytes,
    limit: 1,
  };
}
