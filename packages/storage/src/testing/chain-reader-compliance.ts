/**
 * What every chain reader must do, as tests. Each implementation runs them on the same chain; what is
 * expected is folded from what was committed, never asked of another reader.
 */
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type HistoryEntry, outpointOf, SINGLE_KEY } from 'svc-ledger';
import {
  type ChainReader,
  type HistoryPosition,
  PAGE_LIMITS,
  type Page,
  type UtxoPosition,
} from '../chain-reader.ts';
import type { ChainScript } from './chain-script.ts';

export interface ComplianceSubject {
  /** Makes a chain with several addresses, epochs and paid rewards. */
  readonly script: () => Promise<ChainScript>;
  /** A reader at the head of the chain. */
  readonly open: (script: ChainScript) => Promise<ChainReader>;
  readonly close?: () => Promise<void>;
}

type Line = HistoryEntry & { readonly height: number; readonly index: number };

function linesOf({ genesis, commits }: ChainScript): Line[] {
  const cuts = [genesis.history, ...commits.map(({ result }) => result.events.history)];
  return cuts.flatMap((history, height) =>
    history.map((entry, index) => ({ ...entry, height, index })),
  );
}

/** Outputs that came and did not go. */
function unspentOf(lines: readonly Line[]): Map<string, Line> {
  const unspent = new Map<string, Line>();
  for (const line of lines) {
    if (line.kind === 'received') unspent.set(line.outpoint, line);
    else unspent.delete(line.outpoint);
  }
  return unspent;
}

/** Reads all pages; every page but the last must be full. */
async function allPages<Row, Position>(
  limit: number,
  read: (after: Position | undefined) => Promise<Page<Row, Position>>,
): Promise<Row[]> {
  const rows: Row[] = [];
  let after: Position | undefined;
  for (let pages = 0; pages < 10_000; pages++) {
    const page = await read(after);
    rows.push(...page.rows);
    if (page.next === null) return rows;
    assert.equal(page.rows.length, limit);
    after = page.next;
  }
  throw new Error('paging does not end');
}

export function chainReaderCompliance(name: string, subject: ComplianceSubject): void {
  suite(`chain reader: ${name}`, () => {
    let script: ChainScript;
    let reader: ChainReader;
    let lines: Line[];
    let addresses: string[];

    before(async () => {
      script = await subject.script();
      reader = await subject.open(script);
      lines = linesOf(script);
      addresses = [...new Set(lines.map(({ address }) => address))];
    });
    after(async () => {
      await reader.close();
      await subject.close?.();
    });

    test('the head is the last cut', async () => {
      const last = script.commits.at(-1);
      assert.equal(reader.head.height, script.commits.length);
      assert.equal(reader.head.stateRoot, last?.result.stateRoot);
      assert.equal(reader.head.outputs, unspentOf(lines).size);
      const row = await reader.cut(reader.head.height);
      assert.equal(row?.cutId, reader.head.cutId);
      assert.deepEqual(Buffer.from(row?.header ?? []), Buffer.from(last?.header ?? []));
    });

    test('balances are the sums of unspent outputs, nothing for strangers', async () => {
      const stranger = `00${'5a'.repeat(48)}`;
      const unspent = [...unspentOf(lines).values()];
      const asked = [...addresses, stranger].slice(0, PAGE_LIMITS.addresses);
      const balances = await reader.balances(asked);
      assert.deepEqual(
        balances,
        asked.map((address) => {
          const own = unspent.filter((line) => line.address === address);
          return {
            amount: own.reduce((sum, { amount }) => sum + amount, 0n),
            outputs: own.length,
          };
        }),
      );
      assert.deepEqual(
        asked.map((address) => reader.balance(address)),
        balances,
      );
    });

    test('unspent outputs are listed once each, whatever the size of pages', async () => {
      const unspent = unspentOf(lines);
      for (const address of addresses) {
        const own = [...unspent.values()].filter((line) => line.address === address);
        const orders = await Promise.all(
          [1, 3, 512].map(async (limit) => {
            const rows = await allPages(limit, (from: UtxoPosition | undefined) =>
              reader.utxos(address, { after: from, limit }),
            );
            return rows.map(({ outpoint }) => outpoint);
          }),
        );
        assert.deepEqual(orders[1], orders[0]);
        assert.deepEqual(orders[2], orders[0]);
        assert.deepEqual([...(orders[0] ?? [])].sort(), own.map(({ outpoint }) => outpoint).sort());
        const [first] = (await reader.utxos(address, { limit: 1 })).rows;
        if (first === undefined) continue;
        const line = unspent.get(first.outpoint);
        assert.deepEqual(
          [first.address, first.amount, first.source, first.height],
          [address, line?.amount, line?.source, line?.height],
        );
      }
    });

    test('history is complete in both orders and above a height', async () => {
      for (const address of addresses) {
        const own = lines.filter((line) => line.address === address);
        const places = own.map(({ height, index }) => [height, index]);
        for (const limit of [1, 7, 256]) {
          const newest = await allPages(limit, (from: HistoryPosition | undefined) =>
            reader.history(address, { after: from, limit }),
          );
          assert.deepEqual(
            newest.map(({ height, index }) => [height, index]),
            places.toReversed(),
          );
          const oldest = await allPages(limit, (from: HistoryPosition | undefined) =>
            reader.history(address, { after: from, limit, order: 'oldest', aboveHeight: 5 }),
          );
          assert.deepEqual(
            oldest.map(({ height, index }) => [height, index]),
            places.filter(([height]) => Number(height) > 5),
          );
        }
        const [newestRow] = (await reader.history(address, { limit: 1 })).rows;
        const last = own.at(-1);
        assert.ok(last !== undefined && newestRow !== undefined);
        const { height, index, entry } = newestRow;
        assert.deepEqual({ ...entry, address, height, index }, last);
      }
    });

    test('cuts go down to the first, and each is found by its id', async () => {
      for (const limit of [1, 20, 100]) {
        const rows = await allPages(limit, (before: number | undefined) =>
          reader.cuts({ before, limit }),
        );
        assert.deepEqual(
          rows.map(({ height }) => height),
          script.commits.map(({ input }) => input.height).reverse(),
        );
      }
      const row = await reader.cut(3);
      assert.deepEqual(await reader.cutById(row?.cutId ?? ''), row);
      assert.equal(await reader.cut(script.commits.length + 1), undefined);
      assert.equal(await reader.cutById('00'.repeat(48)), undefined);
    });

    test('transactions and changes of a cut keep their order', async () => {
      for (const { input, result } of script.commits.slice(-5)) {
        const { height } = input;
        for (const limit of [1, 2, 64]) {
          const rows = await allPages(limit, (from: number | undefined) =>
            reader.cutTransactions(height, { after: from, limit }),
          );
          assert.deepEqual(
            rows.map(({ outcome }) => outcome),
            result.events.outcomes,
          );
          const changes = await allPages(limit, (from: number | undefined) =>
            reader.cutChanges(height, { after: from, limit }),
          );
          assert.deepEqual(
            changes.map(({ entry }) => entry),
            result.events.history,
          );
        }
      }
    });

    test('recent transactions and blocks come newest first', async () => {
      const outcomes = script.commits.flatMap(({ result }) => result.events.outcomes).reverse();
      const blocks = script.commits.flatMap(({ input }) => input.registered).reverse();
      for (const limit of [1, 50, 500]) {
        const transactions = await reader.recentTransactions(limit);
        assert.deepEqual(
          transactions.map(({ outcome }) => outcome),
          outcomes.slice(0, limit),
        );
        const works = await reader.recentBlocks(limit);
        assert.deepEqual(
          works.map(({ id }) => id),
          blocks.slice(0, limit).map(({ id }) => id),
        );
      }
    });

    test('statuses name the cut that executed a transaction', async () => {
      const { input, result } = script.commits.at(-1) as ChainScript['commits'][number];
      const ids = result.events.outcomes.map(({ transactionId }) => transactionId);
      const [unknown, ...statuses] = await reader.statuses(['11'.repeat(48), ...ids]);
      assert.equal(unknown, undefined);
      assert.deepEqual(
        statuses.map((status) => [status?.height, status?.index, status?.outcome.kind]),
        result.events.outcomes.map(({ kind }, index) => [input.height, index, kind]),
      );
    });

    test('a block is waiting for its reward, then has the one that was paid', async () => {
      const rewards = script.commits.flatMap(({ result }) => result.events.rewards);
      assert.ok(rewards.length > 0, 'the chain has no paid rewards');
      for (const { blockId, ...reward } of rewards) {
        const work = await reader.work(blockId);
        const { share, fees, amount, outpoint, outputAmount } = reward;
        assert.deepEqual(work?.reward, { share, fees, amount, outpoint, outputAmount });
      }
      const newest = script.commits.at(-1)?.input.registered[0];
      const work = await reader.work(newest?.id ?? '');
      assert.equal(work?.reward, null);
      assert.equal(work?.registeredHeight, script.commits.length);
      assert.equal(await reader.work('22'.repeat(48)), undefined);
    });

    test('a cut keeps its body, certificate, blocks and events', async () => {
      const commit = script.commits.at(-1) as ChainScript['commits'][number];
      const { height } = commit.input;
      assert.deepEqual(Buffer.from((await reader.cutBody(height)) ?? []), Buffer.from(commit.body));
      const certificate = await reader.certificate(height);
      assert.ok((certificate?.length ?? 0) > 0);
      assert.deepEqual(await reader.lastCertificate(1, height + 9), { height, certificate });
      assert.equal(await reader.lastCertificate(height + 1, height + 9), undefined);
      for (const { id, header, body } of commit.blocks) {
        assert.deepEqual(Buffer.from((await reader.blockHeader(id)) ?? []), Buffer.from(header));
        assert.deepEqual(Buffer.from((await reader.blockBody(id)) ?? []), Buffer.from(body));
      }
      for (const { input, result } of script.commits) {
        const summary = await reader.summary(input.height);
        assert.equal(summary?.registeredWork, input.registered.length);
        assert.deepEqual(
          summary?.rewards,
          result.events.rewards.map((reward) => ({ ...reward })),
        );
        assert.deepEqual(summary?.stakePayouts, result.events.stakePayouts);
      }
      assert.equal(await reader.summary(height + 1), undefined);
    });

    test('state records are those of the head', async () => {
      const economy = await reader.economy();
      assert.equal(economy.height, script.commits.length);
      const last = script.commits.at(-1)?.result.changes.find(({ table }) => table === 'economy');
      assert.deepEqual(economy, last?.after);
      assert.equal(last?.key, SINGLE_KEY);
      assert.ok((await reader.epoch()).members.length > 0);
      const validators = await reader.validators();
      assert.ok(validators.length > 0);
      for (const { id, validator } of validators) {
        const owned = await reader.positionsOf(validator.ownerAddress);
        assert.ok(owned.some(({ position }) => position.validatorId === id));
        const [key] = await reader.keys([validator.consensusKey.keyHash]);
        assert.deepEqual(key?.publicKey, validator.consensusKey.publicKey);
      }
      const registered = script.commits.flatMap(({ input, result }) =>
        result.events.keys.map(({ keyHash }) => ({ keyHash, height: input.height })),
      );
      assert.ok(registered.length > 0);
      assert.deepEqual(
        await reader.keyHeights([...registered.map(({ keyHash }) => keyHash), '33'.repeat(48)]),
        [...registered.map(({ height }) => height), undefined],
      );
      const [outpoint, line] = [...unspentOf(lines)][0] as [string, Line];
      const [output, missing] = await reader.outputs([
        outpointOf(outpoint),
        { transactionId: '33'.repeat(48), outputIndex: 0 },
      ]);
      assert.equal(output?.address, line.address);
      assert.equal(missing, undefined);
    });

    test('limits beyond the specification are refused', async () => {
      const [address] = addresses as [string];
      for (const limit of [0, -1, 1.5, PAGE_LIMITS.utxos + 1]) {
        await assert.rejects(async () => reader.utxos(address, { limit }), RangeError);
        await assert.rejects(async () => reader.history(address, { limit }), RangeError);
        await assert.rejects(async () => reader.cuts({ limit }), RangeError);
        await assert.rejects(async () => reader.cutTransactions(1, { limit }), RangeError);
        await assert.rejects(async () => reader.recentTransactions(limit), RangeError);
        await assert.rejects(async () => reader.recentBlocks(limit), RangeError);
      }
      const { cutChanges } = PAGE_LIMITS;
      await assert.rejects(async () => reader.cutChanges(1, { limit: cutChanges + 1 }), RangeError);
    });
  });
}
