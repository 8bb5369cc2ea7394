/**
 * Validators with real disks, keys, signatures and time decide cuts, in one process.
 */
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import {
  encodeMessage,
  height as heightOf,
  NIL,
  NO_ROUND,
  readInputs,
  round as roundOf,
  signedBytesOf,
  TAGS,
  type UnsignedVote,
} from 'svc-consensus/machine';
import { readAtHead } from 'svc-storage';
import { ChainCore } from '../src/chain/chain-core.ts';
import { SwitchedFaults } from '../src/dev/committee.ts';
import { Cluster, type ClusterNode, type ClusterOptions } from '../src/testing/cluster.ts';
import { RecordedLog } from '../src/testing/cluster-log.ts';
import { startNodeValidator } from '../src/validator/start-validator.ts';
import { ValidatorDirectory } from '../src/validator/validator-disk.ts';

const MEMORY = '/dev/shm';

interface Ending {
  after(end: () => Promise<void>): void;
}

/** Most of these tests are about what is written, not about how slow the disk is. */
async function clusterFor(t: Ending, options: ClusterOptions): Promise<Cluster> {
  const root = existsSync(MEMORY) ? { root: MEMORY } : {};
  const cluster = await Cluster.create({ ...root, ...options });
  t.after(() => cluster.end());
  return cluster;
}

function expectAgreement(cluster: Cluster, height: number): void {
  for (let at = 1; at <= height; at++)
    assert.equal(cluster.idsAt(at).size, 1, `one cut at height ${at}`);
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Gives a chain everything that a node has decided and it has not, while the node goes on. */
async function installAll(node: ClusterNode, follower: ChainCore): Promise<void> {
  const { height: last } = node.chain.head;
  for (let height = follower.head.height + 1; height <= last; height++) {
    const cut = node.cuts.find((known) => known.height === height);
    const { headerBytes: header, certificate, input } = cut ?? assert.fail(`no cut ${height}`);
    const { body, blocks } = await readAtHead(node.chain, async (reader) => ({
      body: (await reader.cutBody(height)) ?? assert.fail(`cut ${height} has no body`),
      blocks: await Promise.all(
        input.registered.map(async ({ id }) => ({
          id,
          header: (await reader.blockHeader(id)) as Uint8Array,
          body: (await reader.blockBody(id)) as Uint8Array,
        })),
      ),
    }));
    const installed = await follower.install({ header, body, certificate, blocks });
    assert.equal(installed.type, 'installed');
  }
}

test('four validators on a real disk decide over the end of an epoch, while one is killed and one is paused', async (t) => {
  const cluster = await Cluster.create({ interval: 48, paceMillis: 100 });
  t.after(() => cluster.end());
  await cluster.startAll();
  const [first, , third, last] = cluster.nodes as [
    ClusterNode,
    ClusterNode,
    ClusterNode,
    ClusterNode,
  ];
  await cluster.mine([]);
  await cluster.reach(10);
  await last.stop();
  await cluster.mine([], { to: [0, 1, 2] });
  await cluster.reach(16, [0, 1, 2]);
  await last.start('existing');
  await cluster.reach(24);
  third.driver.pause();
  assert.equal(third.driver.status.signing, 'paused');
  await cluster.reach(29, [0, 1, 3]);
  third.driver.resume();
  await cluster.reach(52);
  assert.deepEqual(cluster.fatal, []);
  expectAgreement(cluster, 52);
  assert.deepEqual(
    cluster.nodes.map(({ chain }) => chain.next.epoch),
    [1, 1, 1, 1],
  );
  const registered = first.cuts.flatMap(({ input }) => input.registered);
  assert.equal(registered.length, 2);

  await cluster.stopAll();
  await first.openChain();
  const directory = join(cluster.directory, 'follower');
  const follower = await ChainCore.open(cluster.chainOptions(directory));
  await installAll(first, follower);
  assert.deepEqual(follower.head, first.chain.head);
  await follower.close();
});

test('all of them stop and go on: what was decided stays, what was signed is not signed again', async (t) => {
  const cluster = await clusterFor(t, { paceMillis: 100 });
  await cluster.startAll();
  await cluster.reach(5);
  await cluster.stopAll();
  for (const node of cluster.nodes) await node.start('existing');
  await cluster.reach(9);
  await cluster.stopAll();
  for (const node of cluster.nodes) await node.start('existing');
  await cluster.reach(12);
  assert.deepEqual(cluster.fatal, []);
  expectAgreement(cluster, 12);
  assert.ok(cluster.nodes.every(({ driver }) => driver.evidence === 0));
});

test('a sign state that is missing, older than the log, of another key or in use is refused with what to do', async (t) => {
  const cluster = await clusterFor(t, { paceMillis: 100 });
  await cluster.startAll();
  await cluster.reach(3);
  const node = cluster.node(0);
  const directory = join(node.directory, 'validator');
  const record = join(directory, 'sign-state');
  const copy = join(cluster.directory, 'old-sign-state');
  copyFileSync(record, copy);
  await assert.rejects(node.startDriver('existing'), {
    name: 'ValidatorStartError',
    reason: 'key_locked',
    message: /another process on this machine uses this consensus key; stop it first/,
  });
  await cluster.reach(6);
  await cluster.until(
    () => node.driver.status.step === 'precommit' || node.driver.status.step === 'prevote',
    () => 'a vote',
  );
  node.driver.close();
  const newest = join(cluster.directory, 'newest-sign-state');
  copyFileSync(record, newest);
  copyFileSync(copy, record);
  await assert.rejects(node.startDriver('existing'), {
    reason: 'sign_state_rolled_back',
    message: /put the newer file sign-state back/,
  });
  rmSync(record);
  await assert.rejects(node.startDriver('first'), {
    reason: 'sign_state_missing',
    message: /--new-sign-state/,
  });
  copyFileSync(join(cluster.node(1).directory, 'validator', 'sign-state'), record);
  await assert.rejects(node.startDriver('existing'), { reason: 'sign_state_of_another_key' });
  copyFileSync(newest, record);
  await node.startDriver('existing');
  await cluster.reach(8);
  assert.deepEqual(cluster.fatal, []);
});

test('blocks and cuts that a validator lacks are fetched, from the proposer or from others', async (t) => {
  const isBareProposal = (message: Uint8Array) => message[0] === TAGS.proposalWithCut;
  let lost = 0;
  const cluster = await clusterFor(t, {
    paceMillis: 200,
    // Proposals reach the last validator only as cuts that it asks for after the others decided.
    delay: (_from, to, message) => {
      if (to !== lastId || !isBareProposal(message)) return 0;
      lost += 1;
      return null;
    },
  });
  let lastId = '';
  await cluster.startAll();
  lastId = cluster.node(3).validatorId;
  const id = await cluster.mine([], { to: [0, 1, 2] });
  await cluster.until(
    () =>
      cluster.node(3).cuts.some(({ input }) => input.registered.some((block) => block.id === id)),
    () => 'the block',
  );
  const { height } = cluster.node(3).chain.head;
  lastId = '';
  await cluster.reach(height + 4);
  assert.ok(lost > 0);
  const second = await cluster.mine([], { to: [0, 1, 2] });
  await cluster.until(
    () => cluster.node(3).blocks.get(second) !== undefined,
    () => 'a block that only a proposal named',
  );
  assert.deepEqual(cluster.fatal, []);
  expectAgreement(cluster, height);
});

test('[ECON-18] who signs twice loses its bond: seen, proven, proposed, executed by all', async (t) => {
  const guilty = 2;
  const cluster = await clusterFor(t, {
    paceMillis: 100,
    faultsOf: (place, { nodes }) => {
      if (place !== guilty) return undefined;
      const node = nodes[guilty] as ClusterNode;
      const faults = new SwitchedFaults(node.key, node.chain.wire);
      faults.equivocate();
      return faults;
    },
  });
  await cluster.startAll();
  const { validatorId } = cluster.node(guilty);
  const bond = cluster.genesis.validators[guilty]?.amount;
  await cluster.until(
    () => cluster.nodes.every(({ cuts }) => cuts.some(({ input }) => input.evidence.length > 0)),
    () => 'the evidence',
  );
  for (const { cuts, chain: own } of cluster.nodes) {
    const punished = cuts.filter(({ input }) => input.evidence.length > 0);
    assert.equal(punished.length, 1);
    const burns = punished.flatMap(({ result }) => result.events.burns);
    assert.deepEqual(burns, [{ cause: 'equivocation', validatorId, amount: bond }]);
    assert.notEqual(own.view.get('validators', validatorId)?.status, 'active');
  }
  const { height } = cluster.node(0).chain.head;
  await cluster.reach(height + 3, [0, 1, 3]);
  assert.deepEqual(cluster.fatal, []);
});

test('four validators on one chain; one that is away for whole windows is told so, and why', async (t) => {
  const logs = [0, 1, 2, 3].map(() => new RecordedLog());
  const cluster = await clusterFor(t, {
    isShared: true,
    paceMillis: 100,
    interval: 24,
    logOf: (place) => logs[place] as RecordedLog,
    faultsOf: (place) =>
      place === 1 ? { isAbsent: (height) => height >= 5 && height <= 10 } : undefined,
  });
  await cluster.startAll();
  await cluster.reach(14);
  const [, log] = logs as [RecordedLog, RecordedLog];
  const absent = log.entries.filter(({ message }) => message === 'absent in an attendance window');
  // On a busy machine it may be too late for the windows before and after as well.
  for (const window of [4, 5]) {
    const told = absent.find(({ fields }) => fields['window'] === window);
    assert.match(String(told?.fields['reasons']), /paused/, `window ${window}`);
  }
  const missed = log.entries.find(
    ({ message, fields }) => message === 'missed a cut' && fields['reason'] === 'paused',
  );
  assert.ok(missed !== undefined);
  assert.deepEqual(cluster.fatal, []);
});

test('a validator whose chain was moved by others goes on behind it, and signs again', async (t) => {
  let isolated = '';
  const cluster = await clusterFor(t, {
    paceMillis: 100,
    delay: (from, to) => (from === isolated || to === isolated ? null : 0),
  });
  await cluster.startAll();
  await cluster.reach(3);
  const [first, , , last] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode, ClusterNode];
  isolated = last.validatorId;
  const { height } = last.chain.head;
  await cluster.mine([], { to: [0, 1, 2] });
  await cluster.reach(height + 6, [0, 1, 2]);
  await installAll(first, last.chain);
  await cluster.until(
    () => last.driver.status.height > last.chain.head.height,
    () => 'the driver to follow',
  );
  assert.ok(last.chain.head.height >= height + 6);
  isolated = '';
  const index = cluster.indexOf(3);
  const from = first.chain.head.height;
  await cluster.until(
    () =>
      first.cuts.some(
        (cut) =>
          cut.height > from + 1 && ((cut.header.previousSigners >> BigInt(index)) & 1n) === 1n,
      ),
    () => 'its signature',
  );
  assert.deepEqual(cluster.fatal, []);
  expectAgreement(cluster, height);
});

test('a message of its own key that a validator never signed stops it for good', async (t) => {
  const log = new RecordedLog();
  const cluster = await clusterFor(t, {
    paceMillis: 100,
    logOf: (place) => (place === 0 ? log : SILENT_LOG),
  });
  await cluster.startAll();
  await cluster.reach(2);
  const [node, neighbour] = cluster.nodes as [ClusterNode, ClusterNode];
  const { wire } = node.chain;
  const vote: UnsignedVote = {
    kind: 'prevote',
    height: heightOf(node.driver.status.height + 1),
    round: roundOf(1),
    validRound: NO_ROUND,
    value: NIL,
    validatorIndex: cluster.indexOf(0),
  };
  const signature = node.key.sign(signedBytesOf(wire, vote), 'prevote');
  const bytes = encodeMessage(wire, { ...vote, signature });
  cluster.hub.deliver(neighbour.validatorId, node.validatorId, bytes);
  await cluster.until(
    () => node.driver.status.signing === 'stopped',
    () => 'the key to stop',
  );
  assert.match(
    log.entries.find(({ level }) => level === 'error')?.message ?? '',
    /in use elsewhere/,
  );
  await cluster.reach(node.chain.head.height + 3);
  node.driver.close();
  await assert.rejects(node.startDriver('existing'), { reason: 'key_in_use_elsewhere' });
  assert.deepEqual(cluster.fatal, []);
});

test('of three thousand votes of one member in rising rounds a few are logged', async (t) => {
  let isCut = false;
  const flood = new Set<Uint8Array>();
  const delay = (_from: string, _to: string, message: Uint8Array) =>
    isCut && !flood.has(message) ? null : 0;
  const cluster = await clusterFor(t, { paceMillis: 100, delay });
  await cluster.startAll();
  await cluster.reach(2);
  isCut = true;
  const [node, , , member] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode, ClusterNode];
  await turns(100);
  // It has voted in a height that nothing can decide any more.
  await cluster.until(
    () => ['prevote', 'precommit'].includes(node.driver.status.step),
    () => 'a vote without an answer',
  );
  const { wire } = node.chain;
  const { height } = node.driver.state.context;
  for (let rising = 0; rising < 3_000; rising++) {
    const round = roundOf(1_000 + rising);
    const place = { height, round, validRound: NO_ROUND, validatorIndex: cluster.indexOf(3) };
    const vote: UnsignedVote = { kind: 'prevote', value: NIL, ...place };
    const signature = member.key.sign(signedBytesOf(wire, vote), 'prevote');
    const bytes = encodeMessage(wire, { ...vote, signature });
    flood.add(bytes);
    cluster.hub.deliver(member.validatorId, node.validatorId, bytes);
    if (rising % 200 === 199) await turns(5);
  }
  const found = readInputs(wire, readFileSync(join(node.directory, 'validator', 'log')));
  const logged = found.type === 'read' ? found.inputs : [];
  const far = logged.filter((input) => input.type === 'vote' && input.vote.round >= 1_000);
  assert.ok(far.length >= 1 && far.length <= 20, `${far.length} votes are in the log`);
  assert.deepEqual(cluster.fatal, []);
});

test('lost and slow messages cost time, not agreement', async (t) => {
  let state = 7;
  const draw = () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
  const cluster = await clusterFor(t, {
    paceMillis: 100,
    delay: () => (draw() < 0.15 ? null : Math.floor(draw() * 40)),
  });
  await cluster.startAll();
  await cluster.reach(10);
  assert.deepEqual(cluster.fatal, []);
  expectAgreement(cluster, 10);
});

test('faults are refused on every network but the development network', async (t) => {
  const cluster = await clusterFor(t, { validators: 1 });
  const node = cluster.node(0);
  await node.openChain();
  const chain = new Proxy(node.chain, {
    get: (target, name) =>
      name === 'genesis' ? { ...target.genesis, network: 'testnet' } : Reflect.get(target, name),
  });
  const { key, blocks } = node;
  const disk = new ValidatorDirectory(node.directory);
  const overlay = cluster.hub.join(node.validatorId);
  const ports = { chain, blocks, overlay, key, disk, clock: cluster.clock, log: SILENT_LOG };
  await assert.rejects(
    startNodeValidator({ ...ports, signState: 'first', onFatal: () => {}, faults: {} }),
    /development network/,
  );
});

test('a validator signs nothing before others show that its chain is the newest', async (t) => {
  const cluster = await clusterFor(t, { paceMillis: 100 });
  const [, , , last] = cluster.nodes as [ClusterNode, ClusterNode, ClusterNode, ClusterNode];
  await cluster.startAll();
  await cluster.reach(3);
  await last.stop();
  await cluster.reach(cluster.node(0).chain.head.height + 3, [0, 1, 2]);
  await last.openChain();
  let isCurrent = false;
  await last.startDriver('existing', { isCurrent: () => isCurrent });
  const { lastSignedHeight, signing, height } = last.driver.status;
  assert.equal(signing, 'paused');
  await cluster.reach(height + 4, [0, 1, 2]);
  assert.equal(last.driver.status.lastSignedHeight, lastSignedHeight);

  await installAll(cluster.node(0), last.chain);
  isCurrent = true;
  const target = cluster.node(0).chain.head.height + 20;
  await cluster.reach(target);
  assert.equal(last.driver.status.signing, 'active');
  assert.ok((last.driver.status.lastSignedHeight ?? 0) > height);
  expectAgreement(cluster, target);
});
