/**
 * Wallets whose keys are elsewhere. A shared wallet of three members, each with a daemon of its own: from the deposit to a
 * payment that two of them signed. A wallet that watches addresses.
 */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Funds } from 'svc-api/rpc';
import { temporaryDirectory } from 'svc-base/testing';
import {
  type BodyInspection,
  createMultisigDescriptor,
  createMultisigPackage,
  decodeMultisigPackage,
  encodeRecipientPayloads,
  encodeTransactionBody,
  init,
  inspectTransactionBody,
  type PackageDocument,
  WalletRoot,
} from 'svc-wasm';
import { fromHex, toHex } from 'svc-wasm/base';
import { initWallet, memberKeyOf } from '../src/file/open-wallet-file.ts';
import { createSharedFile } from '../src/file/shared-file.ts';
import { policyOf } from '../src/keys/fixed-addresses.ts';
import { CommandLine } from './testing/command-line.ts';
import { CHEAP, refused, startDaemon, type TestDaemon } from './testing/daemon.ts';
import { startTestNetwork, type TestNetwork } from './testing/network.ts';
import { until } from './testing/open-wallet.ts';

type OutputIn = { readonly address: string; readonly amount: string };

const MEMBERS = ['alice', 'bob', 'carol'] as const;
const ended: (() => void)[] = [];
const context = { after: (end: () => void) => void ended.push(end) };

let net: TestNetwork;
let directory: string;
let descriptor: string;
let address: string;
let payee: string;
let rich: TestDaemon;
let alice: TestDaemon;
let bob: TestDaemon;
/** Has the wallet and no key. */
let observer: TestDaemon;

async function newKeys(name: string): Promise<string> {
  const path = join(directory, name);
  const cost = { cost: CHEAP, password: null, nowMillis: 0 };
  const { words } = await initWallet({ path, network: 'development', ...cost });
  using root = WalletRoot.fromMnemonic(words, '', 'development');
  return memberKeyOf(root);
}

/** A daemon of the shared wallet, with the keys of a member or without. */
async function startShared(name: string, keys: string | null, isNew = true): Promise<TestDaemon> {
  const own = join(directory, `${name}-device`);
  const keysFile = keys === null ? null : join(directory, keys);
  if (isNew)
    createSharedFile(join(own, 'wallet'), { network: 'development', descriptor, keysFile });
  return await startDaemon({ directory: own, service: net.url, isNew: false });
}

async function following(daemon: TestDaemon): Promise<void> {
  const phase = async () => (await daemon.call('status', {})).scan.phase;
  await until('following', async () => (await phase()) === 'following');
}

async function holds(daemon: TestDaemon, coins: string): Promise<void> {
  const balance = async () => (await daemon.call('balance', {})).balance;
  await until(`${coins} coins`, async () => (await balance()) === coins, net);
}

async function fund(amount: string, requestId: string): Promise<void> {
  await rich.call('send', { to: address, amount, request_id: requestId });
}

const pay = (amount: string) => ({ recipients: [{ to: payee, amount }] });

describe('wallets whose keys are elsewhere', () => {
  before(async () => {
    await init();
    directory = temporaryDirectory(context);
    net = await startTestNetwork();
    await net.network.mine(2);
    const keys: string[] = [];
    for (const name of MEMBERS) keys.push(await newKeys(name));
    descriptor = createMultisigDescriptor('2', JSON.stringify(keys));
    ({ address } = policyOf(descriptor, 'development'));
    const own = join(directory, 'rich-device');
    rich = await startDaemon({ directory: own, service: net.url, words: net.words });
    alice = await startShared('alice', 'alice');
    bob = await startShared('bob', 'bob');
    observer = await startShared('observer', null);
    for (const daemon of [rich, alice, bob, observer]) await following(daemon);
    payee = (await rich.call('new_address', {})).address;
    await fund('5', 'first');
    for (const daemon of [alice, bob, observer]) await holds(daemon, '5.00000000');
  });

  after(async () => {
    for (const daemon of [rich, alice, bob, observer]) await daemon.close();
    await net.close();
    for (const end of ended) end();
  });

  test('every member follows the one address and sees the deposit', async () => {
    for (const daemon of [alice, bob, observer]) {
      assert.equal((await daemon.call('receive', {})).address, address);
      const { payments } = await daemon.call('received', { since_height: 0 });
      assert.deepEqual(
        payments.map((payment) => [payment.address, payment.amount]),
        [[address, '5.00000000']],
      );
      await refused(-32000, 'fixed_addresses', daemon.call('new_address', {}));
      const send = { to: payee, amount: '1', request_id: 'alone' };
      await refused(-32000, 'cannot_sign', daemon.call('send', send));
    }
    await refused(
      -32000,
      'not_shared',
      rich.call('shared_propose', { ...pay('1'), request_id: 'x' }),
    );
  });

  test('two of three pay: payments, change and fee are told apart, and the payment is made once', async () => {
    const { sharedPayments, state } = alice.running.wallet;
    // A token that is revoked after its call has begun.
    const caller = { name: 'gone', limits: null, isValid: () => false };
    const revoked = { requestId: 'revoked', method: 'shared_propose', params: {}, caller };
    const order = { payments: [{ address: payee, amount: 1n }], subtractFee: false };
    const given = { request: { ...revoked, isAutomatic: false }, order, validCuts: undefined };
    const gone = { kind: 'token_revoked' };
    await assert.rejects(sharedPayments.propose(given), gone);
    assert.equal(state.journal.findRequest('revoked'), undefined);
    const named = { ...pay('1.5'), request_id: 'invoice-1' };
    const proposed = await alice.call('shared_propose', named);
    assert.equal(proposed.duplicate, false);
    const again = await alice.call('shared_propose', named);
    assert.deepEqual([again.package_hex, again.duplicate], [proposed.package_hex, true]);
    const other = await alice.call('shared_propose', { ...pay('2'), request_id: 'invoice-1' });
    assert.deepEqual([other.package_hex, other.mismatch], [proposed.package_hex, true]);
    assert.equal((await alice.call('status', {})).request_id_mismatches, 1);
    const { package_hex } = proposed;
    const review = await bob.call('shared_review', { package_hex });
    assert.deepEqual(review.payments, [{ to: payee, amount: '1.50000000' }]);
    const fee = Number(review.fee);
    assert.ok(fee > 0 && fee < 0.1, review.fee);
    assert.equal(review.change.length, 1);
    assert.equal(review.change[0]?.to, address);
    const parts = 1.5 + fee + Number(review.change[0]?.amount);
    assert.equal(parts.toFixed(8), '5.00000000');
    assert.equal(review.spent, '5.00000000');
    assert.deepEqual(review.payloads, []);
    assert.ok(review.valid_from_height > 0, 'it begins now');
    assert.deepEqual(
      review.inputs.map(({ amount, known }) => [amount, known]),
      [['5.00000000', true]],
    );
    const { digest } = review;
    await assert.rejects(sharedPayments.sign(package_hex, digest, caller), gone);
    const ofAlice = await alice.call('shared_sign', { package_hex, digest });
    const ofBob = await bob.call('shared_sign', { package_hex, digest });
    assert.deepEqual([ofAlice.signatures_missing, ofBob.signed_by], [1, [ofBob.own_member]]);
    for (const [daemon, requestId] of [
      [alice, 'invoice-1'],
      [bob, `shared:${review.transaction}`],
    ] as const) {
      const [line] = auditOf(daemon).filter(({ event }) => event === 'signed');
      assert.ok(line !== undefined, 'a signature leaves the device after its line');
      assert.deepEqual(
        [line['caller'], line['method'], line['request_id'], line['digest'], line['transaction']],
        ['main', 'shared_sign', requestId, digest, review.transaction],
      );
      const told = [review.payments, '1.50000000', review.fee];
      assert.deepEqual([line['recipients'], line['amount'], line['fee']], told);
    }
    await refusals(package_hex, ofAlice.package_hex, digest);
    await refusesHidden(package_hex);
    const packages_hex = [ofAlice.package_hex, ofBob.package_hex];
    for (const { running } of [alice, observer])
      await assert.rejects(running.wallet.sharedPayments.submit(packages_hex, caller), gone);
    const sent = await observer.call('shared_submit', { packages_hex });
    assert.deepEqual([sent.transaction, sent.duplicate], [proposed.transaction, false]);
    assert.equal((await observer.call('shared_submit', { packages_hex })).duplicate, true);
    const rest = review.change[0]?.amount ?? '';
    for (const daemon of [alice, bob, observer]) await holds(daemon, rest);
    const looked = await alice.call('request', { request_id: 'invoice-1' });
    assert.deepEqual([looked.outcome, looked.transactions.length], ['finalized', 1]);
    assert.equal((await alice.call('shared_submit', { packages_hex })).outcome, 'finalized');
    for (const daemon of [alice, bob]) {
      const { payments } = await daemon.call('received', { since_height: 0 });
      assert.equal(payments.length, 1, 'change is no deposit');
    }
  });

  /** What nobody signs and nobody sends, while alice alone has signed. */
  async function refusals(proposal: string, ofAlice: string, digest: string): Promise<void> {
    const refuse = async (message: RegExp, call: Promise<unknown>): Promise<void> => {
      const { message: found } = await refused(-32000, 'package_refused', call);
      assert.match(found, message);
    };
    const submit = (...packages_hex: string[]) => bob.call('shared_submit', { packages_hex });
    await refuse(/expected 2 signers, found 1/, submit(ofAlice));
    await refuse(/expected 2 signers, found 1/, submit(ofAlice, ofAlice));
    await refuse(/has signed/, alice.call('shared_sign', { package_hex: ofAlice, digest }));
    const wrong = `${digest.slice(0, -1)}${digest.endsWith('0') ? '1' : '0'}`;
    const otherwise = bob.call('shared_sign', { package_hex: proposal, digest: wrong });
    await refuse(/is not the one that was reviewed/, otherwise);
    const noKeys = observer.call('shared_sign', { package_hex: proposal, digest });
    await refused(-32000, 'cannot_sign', noKeys);
    const { body_hex, input_amounts } = JSON.parse(
      decodeMultisigPackage(fromHex(proposal)),
    ) as PackageDocument;
    const changed = ofAlice.replace(body_hex, twisted(body_hex));
    assert.notEqual(changed, ofAlice);
    await refuse(/./, bob.call('shared_review', { package_hex: changed }));
    await refuse(/./, submit(changed, ofAlice));
    const lied = proposal.replace(hexOf(input_amounts[0]), hexOf('600000000'));
    assert.notEqual(lied, proposal);
    await refuse(/./, bob.call('shared_review', { package_hex: lied }));
    const foreign = createMultisigPackage(
      createMultisigDescriptor('2', JSON.stringify(await strangers())),
      fromHex(body_hex),
      JSON.stringify(input_amounts),
      JSON.stringify(await fetch(`${net.url}/v1/transactions/manifest`).then((a) => a.json())),
    );
    const ofOthers = bob.call('shared_review', { package_hex: toHex(foreign) });
    await refuse(/which is another wallet/, ofOthers);
  }

  /** A proposal with something else in its body. */
  async function bodyChanged(proposal: string, changes: object, more = 0n): Promise<string> {
    const answer = await fetch(`${net.url}/v1/transactions/manifest`);
    const manifest = JSON.stringify(await answer.json());
    const { body_hex, input_amounts } = JSON.parse(
      decodeMultisigPackage(fromHex(proposal)),
    ) as PackageDocument;
    const said = JSON.parse(inspectTransactionBody(fromHex(body_hex), manifest)) as BodyInspection;
    const outputs = said.outputs.map(({ address: to, amount }) => ({ address: to, amount }));
    const [paid, back] = outputs as [OutputIn, OutputIn];
    const body = {
      valid_from_height: said.valid_from_height,
      valid_until_height: said.valid_until_height,
      fee: String(BigInt(said.fee ?? 0) + more),
      inputs: said.inputs.map(({ output_index, transaction_id }) => ({
        transaction_id,
        output_index,
      })),
      outputs: [paid, { ...back, amount: String(BigInt(back.amount) - more) }],
      payload_hex: '',
      ...changes,
    };
    const bytes = encodeTransactionBody(JSON.stringify(body), manifest);
    return toHex(createMultisigPackage(descriptor, bytes, JSON.stringify(input_amounts), manifest));
  }

  /** What a package has beside payments is in its review, and nobody signs it. */
  async function refusesHidden(proposal: string): Promise<void> {
    const review = (package_hex: string) => bob.call('shared_review', { package_hex });
    const refuse = async (message: RegExp, package_hex: string): Promise<void> => {
      const { digest } = await review(package_hex);
      const call = bob.call('shared_sign', { package_hex, digest });
      assert.match((await refused(-32000, 'package_refused', call)).message, message);
    };
    const text = 'we owe \u202e1,000\nSigned';
    const entries = [
      { output_index: '0', text },
      { output_index: '1', bytes_hex: '00ff' },
    ];
    const payload_hex = toHex(encodeRecipientPayloads(JSON.stringify(entries)));
    const written = await bodyChanged(proposal, { payload_hex }, 3_000_000n);
    assert.deepEqual((await review(written)).payloads, [
      { output: 0, payload_text: text, payload_hex: null },
      { output: 1, payload_text: null, payload_hex: '00ff' },
    ]);
    await refuse(/carries a payload/, written);
    const bare = await bodyChanged(proposal, { payload_hex: 'abcd' }, 3_000_000n);
    assert.deepEqual((await review(bare)).payloads, [
      { output: null, payload_text: null, payload_hex: 'abcd' },
    ]);
    await refuse(/carries a payload/, bare);
    const window = { valid_from_height: '5000000', valid_until_height: '5000100' };
    const later = await bodyChanged(proposal, window);
    assert.equal((await review(later)).valid_from_height, 5_000_000);
    await refuse(/begins at height 5000000, and the chain is at/, later);
    const package_hex = written;
    writeFileSync(
      join(directory, 'written.package'),
      JSON.stringify({ svc_shared_package: 1, package_hex }),
    );
  }

  test('of payments that spend the same coin one is made, and the others end on every device', async () => {
    const first = await alice.call('shared_propose', { ...pay('0.5'), request_id: 'rival-1' });
    const second = await bob.call('shared_propose', { ...pay('0.6'), request_id: 'rival-2' });
    assert.equal(first.inputs[0]?.transaction, second.inputs[0]?.transaction);
    const signed = async ({ digest, package_hex }: { digest: string; package_hex: string }) => [
      (await alice.call('shared_sign', { package_hex, digest })).package_hex,
      (await bob.call('shared_sign', { package_hex, digest })).package_hex,
    ];
    const [made, lost] = [await signed(first), await signed(second)];
    await observer.call('shared_submit', { packages_hex: made });
    const late = alice.call('shared_submit', { packages_hex: lost });
    await refused(-32004, 'node_refused', late);
    const rest = first.change[0]?.amount ?? '';
    for (const daemon of [alice, bob, observer]) await holds(daemon, rest);
    // The conflict may be proven before the node is asked.
    const again = observer.call('shared_submit', { packages_hex: lost });
    await again.then(
      ({ outcome: found }) => assert.equal(found, 'conflict'),
      () => refused(-32004, 'node_refused', again),
    );
    assert.equal((await bob.call('shared_submit', { packages_hex: made })).duplicate, false);
    const outcome = async (daemon: TestDaemon, request_id: string) =>
      (await daemon.call('request', { request_id })).outcome;
    // What another device has paid is settled once it is proven.
    await until('finalized', async () => (await outcome(alice, 'rival-1')) === 'finalized', net);
    for (const [daemon, name] of [
      [alice, `shared:${second.transaction}`],
      [bob, 'rival-2'],
      [observer, `shared:${second.transaction}`],
    ] as const) {
      await until('conflict', async () => (await outcome(daemon, name)) === 'conflict', net);
      assert.equal((await daemon.call('balance', {})).reserved, '0.00000000');
      const isSettled = async () => (await daemon.call('pending', {})).transactions.length === 0;
      await until('settled', isSettled, net);
    }
  });

  test('a proposal that nobody signs gives its coins back when its time has passed', async () => {
    const named = { ...pay('1'), request_id: 'forgotten', valid_cuts: 10 };
    const { spent, valid_until_height } = await alice.call('shared_propose', named);
    const early = alice.call('shared_propose', { ...pay('1'), request_id: 'next' });
    const { data, message } = await refused(-32000, 'insufficient_funds', early);
    assert.match(message, /not cover amount and fee; coins that would are waiting/);
    const { change, proposed, repeat_after } = data['funds'] as Funds;
    assert.deepEqual([change, proposed], ['0.00000000', spent]);
    assert.deepEqual(repeat_after, { event: 'settled', height: valid_until_height });
    await alice.close();
    alice = await startShared('alice', 'alice', false);
    const outcome = async () => (await alice.call('request', { request_id: 'forgotten' })).outcome;
    await until('expired', async () => (await outcome()) === 'expired', net);
    const repeated = await alice.call('shared_propose', named);
    assert.deepEqual([repeated.duplicate, repeated.outcome], [true, 'expired']);
    const next = await alice.call('shared_propose', { ...pay('1'), request_id: 'next' });
    assert.notEqual(next.transaction, repeated.transaction);
  });

  test('the same on the command line, with files', async (t) => {
    const line = new CommandLine(net, directory, 'treasury-a');
    t.after(() => line.close());
    for (const name of MEMBERS)
      await line.json(['shared-key', '--file', name, '--out', `${name}.key`]);
    const keys = MEMBERS.flatMap((name) => ['--key', `${name}.key`]);
    const make = (file: string, own: string) =>
      line.json(['shared-init', '--file', file, '--keys-file', own, ...keys]);
    assert.equal((await make('treasury-a', 'alice'))['address'], address);
    assert.equal((await make('treasury-b', 'bob'))['threshold'], 2);
    await line.refused(5, /exists already/, ['shared-init', '--file', 'treasury-b', ...keys]);
    await line.refused(2, /3 members or 5/, ['shared-init', '--file', 'x', ...keys.slice(2)]);
    const propose = ['shared-propose', '--pay', `${payee}=0.25`, '--request-id', 'cli-1'];
    const proposed = await line.json([...propose, '--out', 'pay.package']);
    assert.deepEqual(proposed['payments'], [{ to: payee, amount: '0.25000000' }]);
    const other = ['shared-propose', '--pay', `${payee}=0.5`, '--request-id', 'cli-1'];
    await line.refused(5, /used before with other parameters/, [...other, '--out', 'x.package']);
    const shown = await line.run(['shared-review', '--package', 'pay.package']);
    assert.match(shown.stdout, /^PAID +to$/m);
    assert.match(shown.stdout, new RegExp(`^0\\.25000000 +${payee}$`, 'm'));
    assert.match(shown.stdout, /^BACK TO THE SHARED WALLET +to$/m);
    assert.match(shown.stdout, /^fee +0\.00[0-9]{6}$/m);
    assert.match(shown.stdout, /^valid_from_height +[0-9]+$/m);
    assert.match(shown.stdout, /^no payloads$/m);
    const carrying = await line.run(['shared-review', '--package', 'written.package']);
    assert.match(carrying.stdout, /^CARRIED FOR OUTPUT +bytes +text$/m);
    assert.match(carrying.stdout, /^0 +- +"we owe \\u\{202e\}1,000\\nSigned"$/m);
    assert.match(carrying.stdout, /^1 +00ff +-$/m);
    const sign = ['shared-sign', '--package', 'pay.package', '--yes'];
    await line.json([...sign, '--out', 'a.package']);
    const signed = await line.json([...sign, '--file', 'treasury-b', '--out', 'b.package']);
    assert.equal(signed['signatures_missing'], 1);
    const submit = ['shared-submit', '--package', 'a.package'];
    await line.refused(5, /expected 2 signers, found 1/, submit);
    const both = [...submit, '--package', 'b.package', '--file', 'treasury-b', '--wait'];
    const sent = await line.whileCutting(line.json(both));
    assert.deepEqual(
      [sent['outcome'], sent['transaction']],
      ['finalized', proposed['transaction']],
    );
  });

  test('a wallet without keys credits what its addresses get, and refuses to pay in words', async (t) => {
    const line = new CommandLine(net, directory, 'watched');
    t.after(() => line.close());
    await line.json(['watch-export', '--file', 'carol', '--count', '3', '--out', 'cold.addresses']);
    const text = readFileSync(join(directory, 'cold.addresses'), 'utf8');
    const list = JSON.parse(text) as { signer: string; addresses: { address: string }[] };
    const addresses = list.addresses.map(({ address }) => address) as [string, string, string];
    const own = join(directory, 'watching-device');
    mkdirSync(own, { mode: 0o700 });
    const wallet = join(own, 'wallet');
    const init = ['watch-init', '--file', wallet, '--addresses', 'cold-2.addresses'];
    const labels = join(directory, 'labels');
    writeFileSync(labels, 'till 1\n\n');
    const listed = ['watch-export', '--file', 'carol', '--count'];
    await line.json([...listed, '2', '--labels', labels, '--out', 'cold-2.addresses']);
    await line.json([...listed, '1', '--from', '2', '--out', 'cold-3.addresses']);
    await line.json([...listed, '1', '--from', '4', '--out', 'cold-5.addresses']);
    writeFileSync(join(directory, 'changed'), text.replace(addresses[2], payee));
    const signer = ['--signer', list.signer];
    await line.refused(5, /not what its signer signed/, [...init.slice(0, -1), 'changed']);
    await line.refused(5, /is signed by/, [...init, '--signer', payee]);
    assert.equal((await line.json([...init, ...signer]))['addresses'], 2);
    const add = ['watch-add', '--file', wallet, '--addresses'];
    await line.refused(2, /begins at 4, and the wallet has 2/, [...add, 'cold-5.addresses']);
    const start = () => startDaemon({ directory: own, service: net.url, isNew: false });
    let daemon = await start();
    t.after(() => daemon.close());
    await following(daemon);
    const paid = async (to: string, requestId: string) =>
      await rich.call('send', { to, amount: '2', request_id: requestId });
    await paid(addresses[1], 'cold-1');
    await holds(daemon, '2.00000000');
    assert.equal((await daemon.call('receive', {})).address, addresses[0]);
    const send = { to: payee, amount: '1', request_id: 'cold' };
    const { data } = await refused(-32000, 'cannot_sign', daemon.call('send', send));
    assert.match(String(data['hint']), /offline-request/);
    await refused(-32000, 'fixed_addresses', daemon.call('new_address', {}));
    await refused(-32000, 'not_shared', daemon.call('shared_review', { package_hex: 'ab' }));

    const ask = ['offline-request', '--from', addresses[1], '--to', payee, '--amount', '0.5'];
    const { fee } = await line.json([...ask, '--out', 'cold.json']);
    const sign = ['sign-offline', '--request', 'cold.json', '--file', 'carol', '--gap', '20'];
    const signed = await line.json([...sign, '--yes', '--out', 'cold.signed']);
    assert.deepEqual(signed['payments'], [{ to: payee, amount: '0.50000000' }]);
    await line.json(['submit-offline', '--signed', 'cold.signed']);
    await holds(daemon, (1.5 - Number(fee)).toFixed(8));
    const received = async () => (await daemon.call('received', { since_height: 0 })).payments;
    assert.equal((await received()).length, 1, 'change is no deposit');

    await paid(addresses[2], 'cold-2');
    await until(
      'paid',
      async () => (await rich.call('pending', {})).transactions.length === 0,
      net,
    );
    const shown = (await daemon.call('addresses', {})).addresses;
    assert.deepEqual(
      shown.map(({ label }) => label),
      ['till 1', null],
    );
    await daemon.close();
    assert.equal((await line.json([...add, 'cold-3.addresses']))['addresses'], 3);
    daemon = await start();
    await holds(daemon, (3.5 - Number(fee)).toFixed(8));
    await until('told', async () => (await received()).length === 2, net);
    assert.deepEqual(
      (await received()).map((payment) => payment.address).sort(),
      addresses.slice(1).sort(),
    );
  });

  test('a daemon of a shared wallet does nothing by itself, and takes the keys of members only', async () => {
    const own = join(directory, 'alice-device');
    const automatic = { directory: own, service: net.url, isNew: false, autoCompound: 2 };
    await assert.rejects(startDaemon(automatic), /pays nothing by itself/);
    await newKeys('stranger');
    await assert.rejects(startShared('stranger', 'stranger'), /those of no member/);
  });
});

/** The lines that the audit file of a device has. */
function auditOf({ file }: TestDaemon): Record<string, unknown>[] {
  const lines = readFileSync(`${file}.audit`, 'utf8').trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function strangers(): Promise<string[]> {
  return ['11', '22', '33'].map((byte) => {
    using root = WalletRoot.fromMnemonic(net.words, byte, 'development');
    return memberKeyOf(root);
  });
}

/** Eight bytes, the least significant first, as packages have amounts. */
function hexOf(atoms: string | undefined): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(atoms ?? 0));
  return bytes.toString('hex');
}

/** The same body with one atom more for the recipient. */
function twisted(bodyHex: string): string {
  const found = bodyHex.replace(hexOf('150000000'), hexOf('150000001'));
  assert.notEqual(found, bodyHex);
  return found;
}
