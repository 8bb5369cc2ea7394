/** Proofs over HTTP, checked with the protocol module alone. */
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { ROUTES } from 'svc-api';
import {
  type CertifiedCut,
  certifyCut,
  certifyEarlierCuts,
  checkCutChanges,
  checkCutOutcomes,
  verifyAddressCompleteness,
  verifyUtxoProof,
} from 'svc-wasm';
import { encodeAddress, fromHex, SvcError, toHex } from 'svc-wasm/base';
import { certifiedTotals, cutId, decodeCutHeader, selectCutChanges } from 'svc-wasm/protocol';
import { errorOf, HttpNode } from './testing/http-node.ts';
import { FINAL_HEIGHT, RICH } from './testing/story.ts';
import { useStoryNode } from './testing/story-node.ts';

/** The cut of an answer, certified by the validators that the chain itself knows for its height. */
async function certified(node: HttpNode, height: number): Promise<CertifiedCut> {
  const { header_hex, certificate_hex } = await node.call(ROUTES.cutCertificate, {
    params: { height },
  });
  const { chain } = node.services;
  const set = chain.setAt(height)?.encoded ?? new Uint8Array();
  return certifyCut(fromHex(header_hex), fromHex(certificate_hex), set, fromHex(chain.chainId));
}

const asked = (outpoint: { transaction_id: string; output_index: number }) =>
  JSON.stringify({ ...outpoint, output_index: String(outpoint.output_index) });

suite('proofs over HTTP', () => {
  const use = useStoryNode();

  test('[HTTP-13] proofs of outputs lead to the state root of the cut, which the header has', async () => {
    const { chain } = use.story.services;
    const { utxos } = await use.node.call(ROUTES.addressUtxos, {
      params: { address: chain.text(1) },
      query: { limit: 2 },
    });
    const gone = { transaction_id: '11'.repeat(48), output_index: 0 };
    const outpoints = [...utxos.map(({ outpoint }) => outpoint), gone];
    const answer = await use.node.call(ROUTES.proofsUtxos, { body: { outpoints } });
    assert.equal(answer.finalized_height, FINAL_HEIGHT);
    const header = fromHex(answer.header_hex);
    assert.equal(toHex(cutId(header)), answer.cut.cut_id);
    assert.equal(toHex(decodeCutHeader(header).stateRoot), answer.cut.state_root);
    const cut = await certified(use.node, answer.cut.height);
    assert.equal(cut.stateRoot, answer.cut.state_root);
    const before = await certified(use.node, answer.cut.height - 1);
    for (const [index, { amount, outpoint }] of utxos.entries()) {
      const proof = answer.proofs[index];
      assert.equal(proof?.included, true);
      const proven = JSON.parse(
        verifyUtxoProof(fromHex(proof?.proof_hex ?? ''), cut, asked(outpoint), 'development'),
      );
      assert.deepEqual(
        [proven.transaction_id, proven.output_index, proven.address, proven.amount],
        [outpoint.transaction_id, String(outpoint.output_index), chain.text(1), amount],
      );
      assert.throws(
        () =>
          verifyUtxoProof(fromHex(proof?.proof_hex ?? ''), before, asked(outpoint), 'development'),
        SvcError,
      );
    }
    assert.deepEqual(answer.proofs.at(-1), { outpoint: gone, included: false, proof_hex: null });
  });

  test('[HTTP-13] [LIMIT-04] eight outpoints at most', async () => {
    const outpoints = Array.from({ length: 9 }, (_, output_index) => ({
      transaction_id: '11'.repeat(48),
      output_index,
    }));
    const over = await use.node.post('/v1/proofs/utxos', { api_version: 1, outpoints });
    assert.deepEqual([over.status, errorOf(over).code], [400, 'too_many_items']);
    const { proofs } = await use.node.call(ROUTES.proofsUtxos, {
      body: { outpoints: outpoints.slice(1) },
    });
    assert.equal(proofs.length, 8);
  });

  test('the list of an address is proven complete, an empty one too', async () => {
    const { chain } = use.story.services;
    const unused = encodeAddress(new Uint8Array(49).fill(0x5a, 1), 'development');
    for (const address of [chain.text(1), chain.text(RICH), unused]) {
      const { cut, proof_hex } = await use.node.call(ROUTES.addressProof, { params: { address } });
      const verified = JSON.parse(
        verifyAddressCompleteness(
          fromHex(proof_hex),
          await certified(use.node, cut.height),
          address,
        ),
      );
      const balance = await use.node.call(ROUTES.addressBalance, { params: { address } });
      assert.equal(verified.outputs.length, balance.utxos);
      assert.equal(verified.balance, balance.balance);
    }
  });

  test('what a cut changed for addresses is proven entry by entry, also that it changed nothing', async () => {
    const { chain } = use.story.services;
    const unused = encodeAddress(new Uint8Array(49).fill(0x5a, 1), 'development');
    const addresses = [chain.text(0), chain.text(1), chain.text(RICH), unused];
    let proven = 0;
    for (let height = 1; height <= FINAL_HEIGHT; height++) {
      const body = { height, addresses };
      const { cut_id, proof_hex } = await use.node.call(ROUTES.proofsChanges, { body });
      const cut = await certified(use.node, height);
      assert.equal(cut_id, cut.cutId);
      const changes = checkCutChanges(fromHex(proof_hex), cut, addresses);
      const listed = await use.node.call(ROUTES.cutChanges, { params: { height } });
      assert.equal(listed.next_cursor, undefined);
      for (const address of addresses) {
        const own = listed.changes.filter((change) => change.address === address);
        const found = changes.get(address) ?? assert.fail('an address without an answer');
        assert.deepEqual(
          found.map(({ index, kind, amount, output }) => [
            index,
            kind,
            String(amount),
            { transaction_id: output.transactionId, output_index: output.outputIndex },
          ]),
          own.map(({ index, kind, amount, outpoint }) => [index, kind, amount, outpoint]),
        );
        proven += found.length;
      }
      if (listed.changes.length > 0) {
        const before = await certified(use.node, height === 1 ? 2 : height - 1);
        assert.throws(() => checkCutChanges(fromHex(proof_hex), before, addresses), SvcError);
      }
    }
    assert.equal(proven, 5);
  });

  test('the leaves of a cut are those of its changes root, in whatever pages', async () => {
    let found = 0;
    for (let height = 1; height <= FINAL_HEIGHT; height++) {
      const cut = await certified(use.node, height);
      const pages: Buffer[] = [];
      let cursor: string | undefined;
      do {
        const query = { limit: 1, ...(cursor === undefined ? {} : { cursor }) };
        const page = await use.node.call(ROUTES.cutLeaves, { params: { height }, query });
        assert.equal(page.cut_id, cut.cutId);
        pages.push(Buffer.from(page.leaves_base64, 'base64'));
        cursor = page.next_cursor;
        assert.equal(cursor === undefined, pages.length >= page.count);
      } while (cursor !== undefined);
      const all = await use.node.call(ROUTES.cutLeaves, { params: { height } });
      const leaves = Buffer.concat(pages);
      assert.equal(leaves.toString('base64'), all.leaves_base64);
      const changes = selectCutChanges(leaves, cut, 'development', () => true);
      const listed = await use.node.call(ROUTES.cutChanges, { params: { height } });
      assert.deepEqual(
        changes.map(({ address, amount, index, kind }) => [index, address, kind, String(amount)]),
        listed.changes.map(({ address, amount, index, kind }) => [index, address, kind, amount]),
      );
      found += changes.length;
    }
    assert.ok(found > 0);
    const future = await use.node.get(`/v1/cuts/${FINAL_HEIGHT + 1}/leaves`);
    assert.deepEqual([future.status, errorOf(future).code], [404, 'not_yet']);
  });

  test('what became of transactions is proven with fee, payers and note', async () => {
    const { payment, conflictId } = use.story;
    const seen = new Set<string>();
    for (let height = 1; height <= FINAL_HEIGHT; height++) {
      const { transactions } = await use.node.call(ROUTES.cutTransactions, { params: { height } });
      if (transactions.length === 0) continue;
      const transaction_ids = [...new Set(transactions.map((each) => each.transaction_id))];
      const body = { height, transaction_ids };
      const { proof_hex } = await use.node.call(ROUTES.proofsOutcomes, { body });
      const cut = await certified(use.node, height);
      const proven = checkCutOutcomes(fromHex(proof_hex), cut, 'development');
      assert.deepEqual(
        proven.map(({ transactionId, outcome, fee, noteHash, payers }) => ({
          transaction_id: transactionId,
          outcome,
          fee: String(fee),
          note_hash: noteHash === '' ? null : noteHash,
          payers,
        })),
        transactions.map(({ transaction_id, outcome, fee, note_hash, payers }) => ({
          transaction_id,
          outcome,
          fee,
          note_hash: note_hash ?? null,
          payers,
        })),
      );
      for (const { transaction_id } of transactions) seen.add(transaction_id);
    }
    assert.ok(seen.has(payment.id) && seen.has(conflictId));
  });

  test('a transaction that a cut has not seen is not found, and earlier than the lists is not kept', async () => {
    const transaction_ids = [use.story.payment.id, '22'.repeat(48)];
    const missing = await use.node.post('/v1/proofs/outcomes', {
      api_version: 1,
      height: 2,
      transaction_ids,
    });
    assert.deepEqual(
      [missing.status, errorOf(missing).code, errorOf(missing).path],
      [404, 'not_found', 'transaction_ids[1]'],
    );
    const addresses = [use.story.services.chain.text(0)];
    const ahead = await use.node.post('/v1/proofs/changes', {
      api_version: 1,
      height: FINAL_HEIGHT + 1,
      addresses,
    });
    assert.deepEqual([ahead.status, errorOf(ahead).code], [404, 'not_yet']);
  });

  test('the supply of the head leads to its state root, and the figures are those of the proof', async () => {
    const answer = await use.node.call(ROUTES.economicsSupplyProof);
    assert.equal(answer.finalized_height, FINAL_HEIGHT);
    assert.equal(toHex(cutId(fromHex(answer.header_hex))), answer.cut.cut_id);
    const cut = await certified(use.node, answer.cut.height);
    const totals = certifiedTotals(fromHex(answer.proof_hex), cut);
    const supply = await use.node.call(ROUTES.economicsSupply);
    const figures = {
      minted: totals.minted,
      burned: totals.burned,
      circulating_supply: totals.outputs,
      bonded: totals.bonded,
      unbonding: totals.unbonding,
      work_reserve: totals.workReserve,
      stake_reserve: totals.stakeReserve,
    };
    for (const [name, figure] of Object.entries(figures)) {
      assert.equal(supply[name as keyof typeof figures], String(figure), name);
    }
    const before = await certified(use.node, answer.cut.height - 1);
    assert.throws(() => certifiedTotals(fromHex(answer.proof_hex), before), SvcError);
  });
});

test('before the first cut there is nothing to prove against', async (t) => {
  const node = await HttpNode.start(t);
  const received = await node.get(`/v1/address/${node.services.chain.text(0)}/proof`);
  assert.deepEqual([received.status, errorOf(received).code], [404, 'not_yet']);
});

test('proofs belong to one cut while cuts come', async (t) => {
  const node = await HttpNode.start(t);
  const { chain } = node.services;
  await chain.cut();
  const [coin] = await chain.coins(3);
  const outpoint = {
    transaction_id: coin?.[0].slice(0, 96) ?? '',
    output_index: Number.parseInt(coin?.[0].slice(96) ?? '', 16),
  };
  const outpoints = [outpoint];
  for (let round = 0; round < 5; round++) {
    const [answer, supply] = await Promise.all([
      node.call(ROUTES.proofsUtxos, { body: { outpoints } }),
      node.call(ROUTES.economicsSupplyProof),
      chain.cut(),
      chain.cut().catch(() => {}),
    ]);
    verifyUtxoProof(
      fromHex(answer.proofs[0]?.proof_hex ?? ''),
      await certified(node, answer.cut.height),
      asked(outpoint),
      'development',
    );
    certifiedTotals(fromHex(supply.proof_hex), await certified(node, supply.cut.height));
    assert.equal(answer.cut.state_root, chain.cuts[answer.finalized_height - 1]?.result.stateRoot);
  }
});

test('one answer has the headers of 64 cuts and the paths to them, which share their nodes', async (t) => {
  const node = await HttpNode.start(t);
  const { chain } = node.services;
  await chain.runTo(260);
  const heights = Array.from({ length: 64 }, (_, at) => 1 + 4 * at);
  const pathTo = (given: readonly number[]) =>
    node.call(ROUTES.proofsCuts, { body: { heights: given.toReversed() } });
  const answer = await pathTo(heights);
  const head = await certified(node, answer.height);
  const headers = answer.cuts.map(({ header_hex = '' }) => fromHex(header_hex));
  const path = fromHex(answer.proof_hex);
  const earlier = certifyEarlierCuts(head, headers, path);
  assert.deepEqual(
    earlier.map((cut) => [cut.height, cut.cutId]),
    heights.map((height) => [BigInt(height), chain.cuts[height - 1]?.cutId]),
  );
  assert.ok(JSON.stringify(answer).length < 256 << 10);
  const bare = await node.call(ROUTES.proofsCuts, { body: { heights, ids_only: true } });
  const ids = answer.cuts.map(({ height, cut_id }) => ({ height, cut_id }));
  assert.ok(bare.proof_hex === answer.proof_hex);
  assert.deepEqual(bare.cuts, ids);
  const one = await pathTo([1]);
  assert.ok(path.length < 32 * fromHex(one.proof_hex).length, 'nodes are shared');
  for (let at = 0; at < path.length; at += 41) {
    const altered = path.with(at, 1 ^ (path[at] as number));
    assert.throws(() => certifyEarlierCuts(head, headers, altered), SvcError, `byte ${at}`);
  }
  const before = await certified(node, answer.height - 1);
  assert.throws(() => certifyEarlierCuts(before, headers, path), SvcError);
});

test('heights that are no earlier cut, and more than 64, are refused', async (t) => {
  const node = await HttpNode.start(t);
  await node.services.chain.runTo(3);
  const refusal = async (body: object) => {
    const received = await node.post('/v1/proofs/cuts', { api_version: 1, ...body });
    return [received.status, errorOf(received).code];
  };
  assert.deepEqual(await refusal({ heights: [3] }), [404, 'not_found']);
  assert.deepEqual(await refusal({ height: 2, heights: [2] }), [404, 'not_found']);
  assert.deepEqual(await refusal({ height: 4, heights: [1] }), [404, 'not_yet']);
  const heights = Array.from({ length: 65 }, () => 1);
  assert.deepEqual(await refusal({ heights }), [400, 'too_many_items']);
});
