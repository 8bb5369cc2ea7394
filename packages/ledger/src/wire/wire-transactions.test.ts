import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { init } from 'svc-wasm';
import {
  createManifest,
  decodeBlockBody,
  encodeOutputProof,
  hashLabel,
  rootOfList,
  verifyTransactionBytes,
} from 'svc-wasm/protocol';
import { checkOutputProof, ReferenceTree } from 'svc-wasm/testing';
import { assembleTransaction } from '../../../protocol/src/transaction/assemble.ts';
import { spendMessage } from '../../../protocol/src/transaction/messages.ts';
import { encodeWitnessWithProfile } from '../../../protocol/src/transaction/witness.ts';
import {
  operationRequest,
  operationRequests,
  person,
  signAll,
  signWith,
} from '../../../protocol/test/transaction-fixture.ts';
import { blockOf, smallestWire, variousWires } from '../../../protocol/test/various-wires.ts';
import { referenceHash } from '../../test/testing/reference-hash.ts';
import { testGenesis } from '../../test/testing/test-chain.ts';
import { applyCut } from '../apply-cut.ts';
import { present } from '../assertion.ts';
import { outputValue, outputValues } from '../commitment/leaf-values.ts';
import { subtreeBytes } from '../commitment/state-root.ts';
import { totalsRoot } from '../commitment/totals.ts';
import { genesisState } from '../genesis/state.ts';
import { outpointOf } from '../identifiers.ts';
import { ATOMS_PER_COIN, LEDGER_PARAMETERS } from '../parameters.ts';
import { CONTEXTS, fromHex, LABELS, SvcError, toHex } from '../protocol.ts';
import { SINGLE_KEY } from '../records.ts';
import { MemoryState } from '../testing/memory-state.ts';
import { MemoryTrees } from '../testing/memory-trees.ts';
import { type ExecutableTransaction, outputKey } from '../transaction.ts';
import { WireTransaction } from './wire-transaction.ts';
import { WireTransactions } from './wire-transactions.ts';

const COIN = ATOMS_PER_COIN;

await init();
const manifest = createManifest('development', fromHex('7c'.repeat(48)), {});
const wires = new WireTransactions(manifest);

const addressOf = (index: number): string => toHex(person(index).addressBytes);
const spentBy = (amount: bigint) => [{ address: addressOf(0), amount }];

test('a wire becomes the transaction that the ledger executes', () => {
  const { wire } = signAll({}, manifest);
  const transaction = wires.decode(wire);
  assert.equal(transaction.validFromHeight, 1_000n);
  assert.equal(transaction.validUntilHeight, 1_100n);
  assert.deepEqual(transaction.outputs, [{ address: addressOf(1), amount: 5n * COIN }]);
  assert.equal(transaction.operation, null);
  assert.deepEqual(transaction.inputs[0]?.inlineKeys, [
    { publicKey: person(0).publicKey, keyHash: addressOf(0).slice(2) },
  ]);
  assert.equal(transaction.mass, BigInt(wire.length) + 3_000n + 500n);
  assert.throws(() => wires.decode(wire.subarray(1)), SvcError);
});

test('a transaction writes the values of its outputs as they are made from texts', () => {
  const to = [person(1), person(2), person(0)].map(({ address }, place) => ({
    address,
    amount: `${place + 1}`,
  }));
  const transaction = wires.decode(signAll({ outputs: to }, manifest).wire);
  const named = transaction.outputs.map((output, outputIndex) => ({
    outpoint: outputKey(transaction, outputIndex),
    output,
    maker: transaction,
    outputIndex,
  }));
  assert.equal(named.length, to.length);
  const fromTexts = named.map(({ outpoint, output }) => toHex(outputValue(outpoint, output)));
  assert.equal(toHex(outputValues(named)), fromTexts.join(''));
  const memory = new Uint8Array(109);
  transaction.writeOutputValue?.(0, memory, 0);
  assert.equal(toHex(memory), fromTexts[0]);
});

/** All that can be asked of a transaction, its keys made from outpoints included. */
function contents(transaction: ExecutableTransaction) {
  const wire = present(WireTransaction.of(transaction, manifest), 'wire');
  const { id, validFromHeight, validUntilHeight, outputs, declaredFee, operation, mass } = wire;
  return {
    ...{ id, validFromHeight, validUntilHeight, outputs, declaredFee, operation, mass },
    inputs: wire.inputs.map(({ transactionId, outputIndex, key, inlineKeys }) => {
      return { transactionId, outputIndex, key, inlineKeys };
    }),
    outputKeys: wire.outputKeys,
    values: wire.outputs.map((_, outputIndex) => {
      const memory = new Uint8Array(109);
      wire.writeOutputValue(outputIndex, memory, 0);
      return toHex(memory);
    }),
    witnesses: Array.from({ length: wire.witnessCount }, (_, index) => toHex(wire.witness(index))),
    bytes: wires.wireOf(transaction),
  };
}

test('a transaction that was decoded with its block is the one that its wire gives alone', () => {
  const first = smallestWire(manifest, 99);
  for (const wire of variousWires(manifest)) {
    const [before, decoded] = decodeBlockBody(blockOf(first, wire), manifest).transactions;
    const made = wires.ofBlock(present(decoded, 'transaction'), manifest);
    const alone = contents(wires.decode(wire));
    assert.ok(isDeepStrictEqual(contents(made), alone), `operation ${alone.operation?.type}`);
    assert.equal(wires.wireOf(made), decoded?.wire);
    const other = wires.ofBlock(present(before, 'transaction'), manifest);
    assert.ok(isDeepStrictEqual(contents(other), contents(wires.decode(first))));
  }
});

test('a transaction of a block is decoded again where the block was decoded for another chain', () => {
  const another = createManifest('development', fromHex('7d'.repeat(48)), {});
  const { wire } = signAll({}, another);
  const [decoded] = decodeBlockBody(blockOf(wire), another).transactions;
  const refused = () => wires.ofBlock(present(decoded, 'transaction'), another);
  assert.throws(refused, { code: 'wrong_chain' });
});

test('every operation keeps its fields', () => {
  for (const operation of operationRequests()) {
    const decoded = wires.decode(signAll({ operation }, manifest).wire).operation;
    assert.equal(decoded?.type, operation.type);
    const shown = new Map<string, unknown>(Object.entries(decoded ?? {}));
    const data: Record<string, string> = { ...operation.data };
    assert.equal(shown.get('validatorId'), data['validator_id']);
    assert.equal(shown.get('positionId'), data['position_id']);
    assert.equal(shown.get('amount')?.toString(), data['amount']);
    assert.equal(shown.get('epoch')?.toString(), data['epoch']);
    assert.equal(shown.get('commissionBps')?.toString(), data['commission_bps']);
    if ('owner_address' in data) assert.equal(shown.get('ownerAddress'), addressOf(0));
    if ('reward_address' in data) assert.equal(shown.get('rewardAddress'), addressOf(2));
    if ('overlay_endpoint_hex' in data) {
      assert.deepEqual(shown.get('endpoint'), fromHex('c0ffee'));
      assert.deepEqual(shown.get('consensusKey'), {
        publicKey: person(9).publicKey,
        keyHash: addressOf(9).slice(2),
      });
    }
  }
});

test('signatures hold for the output and owner they were made for, and for no other', () => {
  const none = () => undefined;
  const { wire } = signAll({}, manifest);
  const payment = wires.decode(wire);
  assert.equal(wires.verify(payment, spentBy(99n * COIN), null, none), false);
  assert.equal(wires.verify(payment, spentBy(100n * COIN), null, none), true);
  assert.equal(wires.verify(payment, spentBy(100n * COIN), null, none), true);
  assert.equal(
    wires.verify(payment, [{ address: addressOf(1), amount: 100n * COIN }], null, none),
    false,
  );
  const exit = wires.decode(signAll({ operation: operationRequest('exit') }, manifest).wire);
  assert.equal(wires.verify(exit, spentBy(100n * COIN), addressOf(1), none), false);
  assert.equal(wires.verify(exit, spentBy(100n * COIN), addressOf(0), none), true);
});

test('the key that a witness shows has the same hash before and after its signature was found to hold', () => {
  const payment = wires.decode(signAll({}, manifest).wire);
  const shown = { keyHash: addressOf(0).slice(2), publicKey: person(0).publicKey };
  const expectShown = () => {
    const [key] = present(payment.inputs[0], 'input').inlineKeys;
    assert.deepEqual({ keyHash: key?.keyHash, publicKey: key?.publicKey }, shown);
  };
  expectShown();
  const others = [{ address: addressOf(1), amount: 100n * COIN }];
  assert.equal(
    wires.verify(payment, others, null, () => undefined),
    false,
  );
  expectShown();
  assert.equal(
    wires.verify(payment, spentBy(100n * COIN), null, () => undefined),
    true,
  );
  expectShown();
});

test('signatures that did not hold are not verified again for the same outputs and owner', () => {
  let verified = 0;
  const counting = new WireTransactions(manifest, (...request) => {
    verified += 1;
    return verifyTransactionBytes(...request);
  });
  const none = () => undefined;
  const payment = counting.decode(signAll({}, manifest).wire);
  const [wrong, right] = [spentBy(99n * COIN), spentBy(100n * COIN)];
  for (let again = 0; again < 5; again++)
    assert.equal(counting.verify(payment, wrong, null, none), false);
  assert.equal(verified, 1);
  assert.equal(counting.verdictOn(payment, wrong, null), false);
  assert.equal(counting.verdictOn(payment, right, null), undefined);
  assert.equal(counting.verify(payment, right, null, none), true);
  assert.equal(counting.verify(payment, right, null, none), true);
  assert.equal(verified, 2);
  counting.refuse(payment, right, addressOf(1));
  assert.equal(counting.verify(payment, right, addressOf(1), none), false);
  assert.equal(verified, 2);
});

test('a key that is missing is no verdict: the signatures are verified when it is there', () => {
  const { body } = signAll({}, manifest);
  const previous = { address: person(0).address, amount: String(100n * COIN) };
  const message = spendMessage(body, 0, JSON.stringify(previous), manifest.json);
  const witness = encodeWitnessWithProfile(
    'referenced',
    null,
    signWith(person(0), message, CONTEXTS.spend),
  );
  const payment = wires.decode(assembleTransaction(body, [witness], manifest.json));
  const spent = spentBy(100n * COIN);
  assert.equal(
    wires.verify(payment, spent, null, () => undefined),
    false,
  );
  assert.equal(wires.verdictOn(payment, spent, null), undefined);
});

test('a referenced witness holds once its key is in the registry', () => {
  const { body } = signAll({}, manifest);
  const previous = { address: person(0).address, amount: String(100n * COIN) };
  const message = spendMessage(body, 0, JSON.stringify(previous), manifest.json);
  const signature = signWith(person(0), message, CONTEXTS.spend);
  const witness = encodeWitnessWithProfile('referenced', null, signature);
  const payment = wires.decode(assembleTransaction(body, [witness], manifest.json));
  const spent = spentBy(100n * COIN);
  assert.deepEqual(payment.inputs[0]?.inlineKeys, []);
  assert.equal(
    wires.verify(payment, spent, null, () => undefined),
    false,
  );
  const registry = new Map([[addressOf(0).slice(2), { publicKey: person(0).publicKey }]]);
  assert.equal(
    wires.verify(payment, spent, null, (hash) => registry.get(hash)),
    true,
  );
  const wrong = new Map([[addressOf(0).slice(2), { publicKey: person(1).publicKey }]]);
  const again = wires.decode(assembleTransaction(body, [witness], manifest.json));
  assert.equal(
    wires.verify(again, spent, null, (hash) => wrong.get(hash)),
    false,
  );
});

/** A chain of two cuts that executes one payment of everything in an output of person 0 to person 1. */
function payOnChain() {
  const parameters = LEDGER_PARAMETERS.development;
  const base = testGenesis([{ name: 'alice', amount: 1_000_000n * COIN }]);
  const outputs = base.outputs.map(({ amount }) => ({ address: addressOf(0), amount }));
  const state = new MemoryState();
  const ports = { parameters, hash: hashLabel, listRoot: rootOfList, signatures: wires };
  const genesis = genesisState(
    { ...ports, commitments: new MemoryTrees(hashLabel) },
    { ...base, outputs },
  );
  state.apply(genesis.changes);
  const [key, { amount }] = state.records('outputs')[0] as [string, { amount: bigint }];
  const payment = wires.decode(wireFor(key, amount));
  const block = {
    id: 'aa'.repeat(48),
    anchorHeight: 0,
    anchorCutId: 'cc'.repeat(48),
    parents: ['cc'.repeat(48)],
    bodyRoot: 'bb'.repeat(48),
    payoutAddress: addressOf(3),
    bodyBytes: 10_000,
    mass: payment.mass,
  };
  const cut = {
    parentCutId: 'cc'.repeat(48),
    timeMillis: base.timeMillis + 1_000,
    previousSigners: 1n,
    evidence: [],
  };
  const { chainId } = genesis;
  const first = applyCut({ ...ports, chainId, commitments: genesis.trees as MemoryTrees }, state, {
    ...cut,
    height: 1,
    registered: [block],
    executed: [],
  });
  state.apply(first.changes);
  const second = applyCut({ ...ports, chainId, commitments: first.trees as MemoryTrees }, state, {
    ...cut,
    height: 2,
    registered: [],
    executed: [{ id: block.id, transactions: [payment] }],
  });
  state.apply(second.changes);
  return { state, result: second, payment };
}

const FEE = 100_000n;

function wireFor(outpoint: string, amount: bigint): Uint8Array {
  const { transactionId, outputIndex } = outpointOf(outpoint);
  const request = {
    valid_from_height: '0',
    valid_until_height: '9',
    inputs: [{ transaction_id: transactionId, output_index: String(outputIndex) }],
    outputs: [{ address: person(1).address, amount: String(amount - FEE) }],
  };
  return signAll(request, manifest, amount).wire;
}

test('a signed payment executes, and the module proves its output by the state root', () => {
  const { state, result, payment } = payOnChain();
  assert.deepEqual(
    result.events.outcomes.map(({ kind, fee }) => [kind, fee]),
    [['finalized', FEE]],
  );
  assert.equal(result.events.keys[0]?.keyHash, addressOf(0).slice(2));
  const economy = present(state.get('economy', SINGLE_KEY), 'economy');
  const epoch = present(state.get('epoch', SINGLE_KEY), 'epoch');
  const roots = present(result.trees.roots, 'the roots');
  const outputs = state.records('outputs').map(([outpoint, { address, amount }]) => ({
    transactionId: fromHex(outpointOf(outpoint).transactionId),
    outputIndex: outpointOf(outpoint).outputIndex,
    address: fromHex(address),
    amount,
  }));
  const reference = new ReferenceTree(outputs, {
    positions: subtreeBytes(roots.positions),
    validators: subtreeBytes(roots.validators),
    keys: subtreeBytes(roots.keys),
    totalsRoot: totalsRoot(hashLabel, state, economy, epoch),
  });
  assert.deepEqual(subtreeBytes(roots.outputs), reference.subtree);
  assert.equal(result.stateRoot, toHex(reference.stateRoot));
  const made = outputs.find(({ transactionId }) => toHex(transactionId) === payment.id);
  const proof = encodeOutputProof(reference.proveOutput(present(made, 'the new output')));
  const proven = checkOutputProof(proof, fromHex(result.stateRoot));
  assert.deepEqual(proven.output, made);
});

test('the kernel hashes as the reference does', () => {
  const data = new Uint8Array(300).map((_, index) => index);
  assert.deepEqual(hashLabel(LABELS.payout, data), referenceHash(LABELS.payout, data));
});
