import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ExecutableTransaction } from 'svc-ledger';
import { WaitingTransactions } from '../../src/chain/certified-blocks.ts';
import { AheadChecks } from '../../src/workers/ahead-checks.ts';
import { WorkersBusyError } from '../../src/workers/signature-checks.ts';
import { CountingWorkers } from '../mempool/testing/counting-workers.ts';
import { idOf } from '../mempool/testing/names.ts';
import { createSetting } from '../mempool/testing/setting.ts';

test('what can be checked before a block executes is checked once, and nothing is decided', async () => {
  const setting = await createSetting({ accounts: 3, coinsEach: 4 });
  const { wallet, chain } = setting;
  const workers = new CountingWorkers(setting.checks);
  const ahead = new AheadChecks({ chain, workers });
  const [validatorId = ''] = chain.view.validatorIds();
  const operation = { type: 'heartbeat', data: { validator_id: validatorId, epoch: '0' } } as const;
  const unknown = { ...wallet.coin(0), outpoint: `${idOf('nothing')}00000000` };
  const exit = { type: 'exit', data: { validator_id: idOf('nobody') } } as const;
  const decode = (wire: Uint8Array) => chain.transactions.decode(wire);
  const held = [
    wallet.pay({ coins: [wallet.coin(0), wallet.coin(1)] }),
    wallet.pay({ coins: [wallet.coin(2)], operation, operationBy: wallet.validator }),
  ].map(decode);
  const others = [
    wallet.pay({ coins: [wallet.coin(3)], spoiled: true }),
    wallet.pay({ coins: [unknown] }),
    wallet.pay({ coins: [wallet.coin(4)], referenced: true }),
    wallet.pay({ coins: [wallet.coin(5)], operation: exit }),
  ].map(decode);
  assert.equal(await ahead.check([...held, ...others]), 2);
  assert.equal(workers.checks, 3);
  assert.equal(await ahead.check(held), 2);
  assert.equal(await ahead.check(others), 0, 'the spoiled signature is not checked again');
  assert.equal(workers.checks, 3);
  // The first payment shows the key that the fifth refers to: only execution can know.
  const { result } = await chain.execute([...held, ...others]);
  assert.deepEqual(
    result.events.outcomes.map(({ kind }) => kind),
    ['finalized', 'finalized', 'invalid', 'unknown_input', 'finalized', 'no_effect'],
  );
  await setting.close();
});

test('a payment of what waits to be made is checked for it once; execution checks again if that is not what it spends', async () => {
  const setting = await createSetting({ accounts: 3, coinsEach: 2 });
  const { wallet, chain } = setting;
  const workers = new CountingWorkers(setting.checks);
  const ahead = new AheadChecks({ chain, workers });
  const first = chain.transactions.decode(
    wallet.pay({ coins: [wallet.coin(0)], to: wallet.coin(0).owner }),
  );
  const [made] = first.outputs;
  assert.ok(made);
  const coin = { ...wallet.coin(0), outpoint: `${first.id}00000000`, amount: made.amount };
  const second = chain.transactions.decode(wallet.pay({ coins: [coin] }));
  assert.equal(await ahead.check([second]), 0, 'nobody knows what it spends');
  assert.equal(workers.checks, 0);
  const waiting = new WaitingTransactions();
  waiting.add([first]);
  assert.equal(await ahead.check([second], waiting.findOutput), 1);
  assert.equal(await ahead.check([second]), 1, 'it is not even looked for what it spends');
  assert.equal(workers.checks, 1);
  const misled = chain.transactions.decode(chain.transactions.wireOf(second));
  const wrong = { ...made, amount: made.amount + 1n };
  assert.equal(await ahead.check([misled], () => wrong), 0, 'the verdict is for one output');
  const { result } = await chain.execute([first, misled]);
  assert.deepEqual(
    result.events.outcomes.map(({ kind }) => kind),
    ['finalized', 'finalized'],
  );
  waiting.advance([first]);
  assert.notEqual(waiting.findOutput({ transactionId: first.id, outputIndex: 0 }), undefined);
  waiting.advance([]);
  assert.equal(waiting.findOutput({ transactionId: first.id, outputIndex: 0 }), undefined);
  await setting.close();
});

test('what waits is counted by transaction, whichever decoding of it goes, and found by each of its outputs', async () => {
  const setting = await createSetting({ accounts: 3, coinsEach: 2 });
  const { wallet, chain } = setting;
  const wires = [0, 1].map((coin) => wallet.pay({ coins: [wallet.coin(coin)] }));
  const other = { address: wallet.coin(0).owner.address, amount: 3n };
  const decodeAll = (): ExecutableTransaction[] =>
    wires
      .map((wire) => chain.transactions.decode(wire))
      .map((decoded) => ({ ...decoded, outputs: [...decoded.outputs, other] }));
  const [first, second] = decodeAll() as [ExecutableTransaction, ExecutableTransaction];
  const bare = { ...second, id: idOf('bare'), outputs: [] };
  const waiting = new WaitingTransactions();
  const found = ({ id, outputs }: ExecutableTransaction) =>
    outputs.map((_, outputIndex) => waiting.findOutput({ transactionId: id, outputIndex }));
  waiting.add([first, second, bare]);
  waiting.add(decodeAll());
  assert.equal(waiting.notRegistered, 3);
  assert.deepEqual(found(first), first.outputs);
  waiting.advance([...decodeAll().slice(0, 1), bare]);
  assert.equal(waiting.notRegistered, 1);
  waiting.advance([]);
  assert.deepEqual(
    found(first),
    first.outputs.map(() => undefined),
  );
  assert.equal(waiting.notRegistered, 1);
  waiting.remove([second, second, first]);
  assert.equal(waiting.notRegistered, 0);
  await setting.close();
});

test('workers that cannot check leave a transaction to its execution', async () => {
  const setting = await createSetting({ accounts: 2, coinsEach: 2 });
  const { wallet, chain } = setting;
  const workers = {
    hasRoom: () => true,
    room: async () => {},
    checkTransaction: () => Promise.reject(new WorkersBusyError('too many')),
  };
  const payment: ExecutableTransaction = chain.transactions.decode(
    wallet.pay({ coins: [wallet.coin(0)] }),
  );
  assert.equal(await new AheadChecks({ chain, workers }).check([payment]), 0);
  const { result } = await chain.execute([payment]);
  assert.equal(result.events.outcomes[0]?.kind, 'finalized');
  await setting.close();
});
