import assert from 'node:assert/strict';
import { test } from 'node:test';
import { referenceHash } from '../../test/testing/reference-hash.ts';
import { addressOf, COIN, testGenesis } from '../../test/testing/test-chain.ts';
import { LEDGER_PARAMETERS, MAX_SUPPLY } from '../parameters.ts';
import { encodeAddress, fromHex, SvcError } from '../protocol.ts';
import { MemoryState } from '../testing/memory-state.ts';
import { MemoryTrees } from '../testing/memory-trees.ts';
import { chainIdOf } from './chain-id.ts';
import { developmentGenesis } from './development.ts';
import { formatGenesis, type Genesis, parseGenesis } from './document.ts';
import { genesisState } from './state.ts';

const genesis: Genesis = testGenesis([
  { name: 'alice', amount: 1_000_000n * COIN },
  { name: 'bruno', amount: 100_000n * COIN, commissionBps: 0 },
]);

test('a genesis survives its JSON text', () => {
  assert.deepEqual(parseGenesis(formatGenesis(genesis)), genesis);
});

test('the chain id depends on what the document says, not on how the JSON is written', () => {
  const id = chainIdOf(referenceHash, genesis);
  const text = formatGenesis(genesis);
  const reversed = Object.fromEntries(Object.entries(JSON.parse(text) as object).reverse());
  assert.equal(chainIdOf(referenceHash, parseGenesis(JSON.stringify(reversed))), id);
  const changes: Partial<Genesis>[] = [
    { network: 'testnet' },
    { timeMillis: genesis.timeMillis + 1 },
    { paceMillis: 501 },
    { workTarget: genesis.workTarget - 1n },
    { outputs: genesis.outputs.slice(1) },
    { validators: [...genesis.validators].reverse() },
  ];
  const ids = changes.map((change) => chainIdOf(referenceHash, { ...genesis, ...change }));
  assert.equal(new Set([id, ...ids]).size, changes.length + 1);
});

test('a genesis that is wrong is refused with the path of the field', () => {
  const document = JSON.parse(formatGenesis(genesis)) as Record<string, never[]> & {
    validators: Record<string, unknown>[];
    outputs: Record<string, unknown>[];
  };
  const [validator, other] = document.validators as [object, object];
  const [output, ...outputs] = document.outputs as [object, ...object[]];
  const testnetAddress = encodeAddress(fromHex(addressOf('bank')), 'testnet');
  const table: [object, string, string | undefined][] = [
    [{ genesis_version: '2' }, 'out_of_range', 'genesis_version'],
    [{ genesis_version: 1 }, 'bad_type', 'genesis_version'],
    [{ network: 'othernet' }, 'wrong_network', 'network'],
    [{ extra: 1 }, 'unknown_field', 'extra'],
    [{ pace_millis: '49' }, 'out_of_range', 'pace_millis'],
    [{ work_target: 'ff' }, 'bad_hex', 'work_target'],
    [{ work_target: 'f'.repeat(64) }, 'out_of_range', 'work_target'],
    [{ outputs }, 'bad_amount', undefined],
    [{ outputs: [{ ...output, amount: '0' }] }, 'out_of_range', 'outputs[0].amount'],
    [{ outputs: [{ ...output, address: testnetAddress }] }, 'wrong_network', 'outputs[0].address'],
    [{ validators: [] }, 'out_of_range', 'validators'],
    [
      { validators: [{ ...validator, amount: String(100_000n * COIN - 1n) }] },
      'out_of_range',
      'validators[0].amount',
    ],
    [
      { validators: [{ ...validator, commission_bps: '1010' }, other] },
      'out_of_range',
      'validators[0].commission_bps',
    ],
    [
      { validators: [{ ...validator, commission_bps: '15' }, other] },
      'out_of_range',
      'validators[0].commission_bps',
    ],
    [
      { validators: [{ ...validator, overlay_endpoint: '' }, other] },
      'bad_length',
      'validators[0].overlay_endpoint',
    ],
    [
      { validators: [validator, { ...validator, amount: String(100_000n * COIN) }] },
      'not_canonical',
      'validators',
    ],
  ];
  for (const [change, code, path] of table) {
    assert.throws(
      () => parseGenesis(JSON.stringify({ ...document, ...change })),
      (error) => error instanceof SvcError && error.code === code && error.path === path,
      JSON.stringify(change).slice(0, 100),
    );
  }
});

test('a chain starts with 20,000,000 coins in outputs and bonds', () => {
  const result = genesisState(
    {
      parameters: LEDGER_PARAMETERS.development,
      hash: referenceHash,
      commitments: new MemoryTrees(referenceHash),
    },
    genesis,
  );
  const state = new MemoryState();
  state.apply(result.changes);
  assert.equal(result.trees.roots.outputs.sum, 18_900_000n * COIN);
  assert.equal(result.trees.roots.positions.sum, 1_100_000n * COIN);
  assert.equal(state.get('economy', '')?.minted, 20_000_000n * COIN);
  assert.equal(MAX_SUPPLY - 20_000_000n * COIN, 180_000_000n * COIN);
  assert.equal(state.get('epoch', '')?.members.length, 2);
  assert.equal(result.history.length, genesis.outputs.length);
  assert.ok(result.history.every(({ source }) => source === 'genesis'));
});

test('two chains have no outpoint in common, whatever their genesis shares', () => {
  const outpointsOf = (timeMillis: number): string[] => {
    const commitments = new MemoryTrees(referenceHash);
    const parameters = LEDGER_PARAMETERS.development;
    const ports = { parameters, hash: referenceHash, commitments };
    const { history } = genesisState(ports, { ...genesis, timeMillis });
    return history.map(({ outpoint }) => outpoint);
  };
  const first = outpointsOf(genesis.timeMillis);
  assert.deepEqual(first, outpointsOf(genesis.timeMillis));
  const other = new Set(outpointsOf(genesis.timeMillis + 1));
  assert.ok(first.length > 0 && first.every((outpoint) => !other.has(outpoint)));
});

test('the development genesis funds ten accounts and each validator of an account', () => {
  const accounts = Array.from({ length: 10 }, (_, index) => addressOf(`account ${index}`));
  const validators = [1, 2, 3, 4].map((byte) => ({
    consensusPublicKey: new Uint8Array(1_952).fill(byte),
    endpoint: Uint8Array.of(1),
  }));
  const options = { accounts, validators, timeMillis: 1_767_225_600_000, paceMillis: 500 };
  const development = developmentGenesis(options);
  assert.deepEqual(parseGenesis(formatGenesis(development)), development);
  assert.deepEqual(
    development.outputs.map(({ amount }) => amount),
    new Array(10).fill(1_600_000n * COIN),
  );
  assert.deepEqual(
    development.validators.map(({ ownerAddress }) => ownerAddress),
    accounts.slice(0, 4),
  );
  assert.equal(
    chainIdOf(referenceHash, development),
    chainIdOf(referenceHash, developmentGenesis(options)),
  );
});
