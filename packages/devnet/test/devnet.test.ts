/** The actions of the client and the control of a network, on one network for the file. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { temporaryDirectory, until } from 'svc-base/testing';
import {
  balance,
  ClientError,
  coins,
  createMessenger,
  createMultisig,
  history,
  LightWallet,
  type Movement,
  pay,
  proposeMultisig,
  reviewMultisig,
  signMultisig,
  submitMultisig,
  watchAddress,
} from 'svc-client';
import { fileStore } from 'svc-client/node';
import { createDevnet, type Devnet } from 'svc-devnet';

const run = promisify(execFile);
/** How long a cut may be trusted here: five intervals of 120 cuts, half a second each. */
const TRUST_MILLIS = 5 * 120 * 500;

describe('a development network in the process of a test', () => {
  let net: Devnet;
  before(async () => {
    net = await createDevnet();
  });
  after(() => net.close());

  test('pay moves coins, and mine(3) after it makes it final every time', async () => {
    const [alice, bob] = net.accounts;
    const earlier = await balance(net.client, bob.address);
    for (let round = 1n; round <= 5n; round++) {
      const wish = { from: alice, to: bob.address, amount: coins('1.25') };
      const { transactionId } = await pay(net.client, wish);
      await net.mine(3);
      const { lifecycle } = await net.client.transactionStatus({ id: transactionId });
      assert.equal(lifecycle, 'finalized', `in round ${round}`);
      const { atoms } = await balance(net.client, bob.address);
      assert.equal(atoms - earlier.atoms, round * coins('1.25'));
    }
    const rows: Movement[] = [];
    for await (const row of history(net.client, bob.address)) rows.push(row);
    assert.equal(rows.filter(({ atoms }) => atoms === coins('1.25')).length, 5);
  });

  test('an account whose outputs wait says so, and pays again when they are final', async () => {
    const [, , carol] = net.accounts;
    const wish = { from: carol, to: net.accounts[0].address, amount: coins('1') };
    const first = await pay(net.client, wish);
    await assert.rejects(pay(net.client, wish), (error) => {
      assert.ok(error instanceof ClientError);
      assert.equal(error.code, 'insufficient_funds');
      return true;
    });
    await net.mineUntilFinal(first.transactionId);
    await net.mineUntilFinal((await pay(net.client, wish)).transactionId);
  });

  test('waiting ends for ids that are malformed, unknown or dropped', async () => {
    const options = { pollMillis: 1, unknownPollsMax: 3 };
    await assert.rejects(net.client.waitFinal('x', options), { status: 400 });
    await assert.rejects(net.client.waitFinal('ab'.repeat(48), options), { status: 404 });
    const from = net.accounts[4] ?? net.accounts[0];
    const wish = { from, to: net.accounts[0].address, amount: coins('1') };
    const { transactionId } = await pay(net.client, wish);
    assert.equal(net.faults.dropTransaction(transactionId), true);
    const end = await net.client.waitFinal(transactionId, options).catch((error: unknown) => error);
    const told = end instanceof ClientError ? end.status : (end as { failure: string }).failure;
    assert.ok(told === 404 || told === 'dropped', String(told));
  });

  test('a light wallet proves a balance and a payment, and goes on from its store', async () => {
    const [alice, bob] = net.accounts;
    const store = fileStore(join(temporaryDirectory(), 'trust.json'));
    const light = await LightWallet.open({ client: net.client, store, now: net.now });
    const before = await light.proveBalance(alice.address);
    const wish = { from: alice, to: bob.address, amount: coins('2') };
    const { transactionId, fee } = await pay(net.client, wish);
    await net.mineUntilFinal(transactionId);
    const proven = await light.proveTransaction(transactionId);
    assert.ok(
      proven.unspent.some(
        ({ address, amount }) => address === bob.address && amount === coins('2'),
      ),
    );
    const next = await LightWallet.open({ client: net.client, store, now: net.now });
    assert.equal(next.trustedHeight, light.trustedHeight);
    const later = await next.proveBalance(alice.address);
    assert.equal(before.balance - later.balance, coins('2') + fee);
  });

  test('two of three members pay from their address', async () => {
    const { client } = net;
    const [alice, bob, carol] = net.accounts;
    const keys = [alice, bob, carol].map(({ publicKey }) => publicKey);
    const shared = createMultisig(2, keys, net.network);
    await net.fund(shared.address, coins('5'));
    const to = net.accounts[5]?.address ?? '';
    const { atoms } = await balance(client, to);
    const proposal = await proposeMultisig(client, { from: shared, to, amount: coins('4') });
    const signed: string[] = [];
    for (const member of [alice, carol]) {
      const review = await reviewMultisig(client, proposal);
      signed.push(await signMultisig(client, proposal, { member, review }));
    }
    await net.mineUntilFinal(await submitMultisig(client, signed));
    assert.equal((await balance(client, to)).atoms - atoms, coins('4'));
  });

  test('two accounts talk, and read back what was said', async () => {
    const [alice, bob] = [net.accounts[6], net.accounts[7]];
    assert.ok(alice !== undefined && bob !== undefined);
    const [first, second] = [createMessenger(net.client, alice), createMessenger(net.client, bob)];
    await net.mineUntilFinal((await first.request(bob.address)).transactionId);
    await net.mineUntilFinal((await second.accept(alice.address)).transactionId);
    await net.mineUntilFinal((await first.send(bob.address, 'good evening')).transactionId);
    const [chat] = await second.chats();
    assert.deepEqual(
      chat?.messages.map(({ direction, text }) => [direction, text]),
      [['received', 'good evening']],
    );
    assert.deepEqual([chat?.peer, await second.unchecked()], [alice.address, []]);
  });

  test('watching an address tells each movement once', async () => {
    const [alice, bob] = net.accounts;
    const ending = new AbortController();
    const seen: Movement[] = [];
    const afterHeight = net.height;
    const watching = (async () => {
      const options = { signal: ending.signal, afterHeight };
      for await (const movement of watchAddress(net.client, bob.address, options))
        seen.push(movement);
    })();
    const wish = { from: alice, to: bob.address, amount: coins('3') };
    const { transactionId } = await pay(net.client, wish);
    await net.mineUntilFinal(transactionId);
    await until(() => seen.length > 0, 'a movement of the address');
    ending.abort();
    await watching;
    assert.deepEqual(
      seen.map(({ kind, atoms, transactionId: id }) => [kind, atoms, id]),
      [['received', coins('3'), transactionId]],
    );
  });

  test('a snapshot brings balances and height back, and who watches is told what happens instead', async () => {
    const [alice, bob] = net.accounts;
    const name = await net.snapshot();
    const { height } = net;
    const { atoms } = await balance(net.client, bob.address);
    const ending = new AbortController();
    const seen: bigint[] = [];
    const watching = (async () => {
      const options = { signal: ending.signal, afterHeight: height };
      for await (const movement of watchAddress(net.client, bob.address, options))
        seen.push(movement.atoms);
    })();
    for (const amount of [coins('7'), coins('8'), coins('9')]) {
      const wish = { from: alice, to: bob.address, amount };
      await net.mineUntilFinal((await pay(net.client, wish)).transactionId);
      await until(() => seen.includes(amount), `a movement of ${amount}`);
      assert.equal(await net.revert(name), height);
      assert.equal((await balance(net.client, bob.address)).atoms, atoms);
    }
    ending.abort();
    await watching;
    assert.deepEqual(seen, [coins('7'), coins('8'), coins('9')]);
  });

  test('what was dumped goes on in another process, with what waited and at the same time', async () => {
    const [alice, bob] = net.accounts;
    const wish = { from: alice, to: bob.address, amount: coins('11') };
    const { transactionId } = await pay(net.client, wish);
    const bytes = await net.dump();
    const { atoms } = await balance(net.client, bob.address);
    const file = join(temporaryDirectory(), 'network.dump');
    writeFileSync(file, bytes);
    const program = join(import.meta.dirname, 'load-dump.ts');
    const { stdout } = await run(process.execPath, [program, file, transactionId]);
    assert.deepEqual(JSON.parse(stdout), {
      chainId: net.chainId,
      height: net.height,
      now: net.now(),
      lifecycle: 'finalized',
      atoms: String(atoms + coins('11')),
    });
  });

  test('a jump over epochs carries what waits, and validators stay live', async () => {
    const [alice, bob] = net.accounts;
    const wish = { from: alice, to: bob.address, amount: coins('1') };
    const { transactionId } = await pay(net.client, wish);
    const from = net.height;
    const to = await net.advance({ epochs: 3 });
    assert.ok(to - from > 240 && to % 120 === 1, `from ${from} to ${to}`);
    const { lifecycle } = await net.client.transactionStatus({ id: transactionId });
    assert.equal(lifecycle, 'finalized');
    assert.equal((await net.client.nodeStatus()).storage_mode, 'archive');
    const { validators } = await net.client.stakingValidators();
    assert.deepEqual(
      validators.map(({ state }) => state),
      ['live'],
      'whoever sends no heartbeat for two epochs has lapsed',
    );
  });

  test('time that passes without cuts costs one cut, carries what waits and ends trust', async () => {
    const [alice, bob] = net.accounts;
    const store = fileStore(join(temporaryDirectory(), 'trust.json'));
    await LightWallet.open({ client: net.client, store, now: net.now });
    const wish = { from: alice, to: bob.address, amount: coins('1') };
    const { transactionId } = await pay(net.client, wish);
    const [height, time] = [net.height, net.now()];
    assert.equal(await net.advance({ millis: TRUST_MILLIS + 1 }), height + 1);
    assert.ok(net.now() - time > TRUST_MILLIS);
    const late = await LightWallet.open({ client: net.client, store, now: net.now });
    await assert.rejects(late.proveBalance(alice.address), { code: 'trust_expired' });
    assert.equal(await net.mine(2), height + 3);
    const { lifecycle } = await net.client.transactionStatus({ id: transactionId });
    assert.equal(lifecycle, 'finalized');
    for (const millis of [0, -1, 1.5]) await assert.rejects(net.advance({ millis }), RangeError);
  });

  test('bytes that are damaged or no dump are not loaded', async () => {
    const bytes = await net.dump();
    const damaged = bytes.slice();
    const middle = bytes.length >> 1;
    damaged[middle] = (bytes[middle] as number) ^ 1;
    for (const load of [damaged, bytes.subarray(0, middle), new Uint8Array(8)])
      await assert.rejects(createDevnet({ load }), RangeError);
    const stateDir = temporaryDirectory();
    await assert.rejects(createDevnet({ load: bytes, stateDir }), TypeError);
  });
});

test('mine(3) after a payment makes it final every time with four validators as well', async () => {
  await using net = await createDevnet({ validators: 4 });
  const [alice, bob] = net.accounts;
  for (let round = 1; round <= 5; round++) {
    const wish = { from: alice, to: bob.address, amount: coins('1.25') };
    const { transactionId } = await pay(net.client, wish);
    await net.mine(3);
    const { lifecycle } = await net.client.transactionStatus({ id: transactionId });
    assert.equal(lifecycle, 'finalized', `in round ${round}`);
  }
});
