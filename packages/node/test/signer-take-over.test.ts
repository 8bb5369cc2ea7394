/**
 * A validator whose key is with a signer, and two nodes that ask it, as real processes. Another validator has enough stake
 * to go on alone, so that the chain shows who signed and who did not.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { expectNoInspector, type ProbedProgram, programPath, until } from 'svc-base/testing';
import { Cluster } from './cluster/testing/cluster.ts';
import type { ClusterNode } from './cluster/testing/cluster-node.ts';

const PACE_MILLIS = 1_000;
const WAIT_MILLIS_MAX = 120_000;

interface Status {
  readonly finalized_height: number;
  readonly validator: { readonly state: string; readonly last_signed_height: number | null } | null;
  readonly troubles: readonly { readonly name: string }[];
}

/** The process of a signer, which can be killed and started again. */
class SignerProcess {
  readonly #words: readonly string[];
  #child: ChildProcess | undefined;
  /** What it wrote in all of its lives. */
  stderr = '';

  constructor(words: readonly string[]) {
    this.#words = words;
  }

  async start(): Promise<void> {
    const child = spawn(process.execPath, [programPath('svc-signer'), 'run', ...this.#words]);
    this.#child = child;
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.stderr += text));
    await until(() => {
      assert.equal(child.exitCode, null, this.stderr);
      return stdout.includes('\n');
    }, 'the signer to listen');
  }

  get probe(): ProbedProgram {
    return { pid: this.#child?.pid as number, stderr: () => this.stderr };
  }

  async kill(): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  async stop(): Promise<number | null> {
    const child = this.#child as ChildProcess;
    const ended = once(child, 'close');
    child.kill('SIGTERM');
    await ended;
    return child.exitCode;
  }

  /** Leases in the order of the log: given and ended take turns, or two nodes had one together. */
  leases(): readonly string[] {
    const lines = this.stderr.split('\n').filter((line) => /lease (given|ended)/.test(line));
    return lines.map((line) => (line.includes('lease given') ? 'given' : 'ended'));
  }
}

/** Moves key and record of the node `first` to a signer, and lets `second` ask it too. */
function moveKey({ network }: Cluster, first: ClusterNode, second: ClusterNode): SignerProcess {
  const place = (name: string) => join(network.directory, 'signer', name);
  const [from, to] = [first.planned.directory, second.planned.directory];
  cpSync(from, place('.'), { recursive: true, filter: (path) => !path.includes('data') });
  renameSync(join(from, 'data', 'validator', 'own'), place('state'));
  const overlay = join('data', 'network', 'validator-overlay');
  cpSync(join(from, overlay), join(to, overlay), { recursive: true });
  for (const name of ['fee.key', 'password']) cpSync(join(from, name), join(to, name));
  const settings = JSON.parse(readFileSync(join(from, 'node.json'), 'utf8'));
  const { heartbeat } = settings.validator;
  for (const { planned } of [first, second]) {
    const file = join(planned.directory, 'node.json');
    const { host, overlayPort } = planned.place;
    const changed = {
      ...JSON.parse(readFileSync(file, 'utf8')),
      validator: { signer: place('socket'), heartbeat },
      validator_overlay: {
        listen_addrs: [`${host}:${overlayPort}`],
        announced_routes: [`${host}:${overlayPort}`],
      },
    };
    writeFileSync(file, JSON.stringify(changed));
  }
  return new SignerProcess([
    ...['--network', 'development', '--chain-id', network.chainId, '--socket', place('socket')],
    ...['--key-file', place('consensus.key'), '--password-file', place('password')],
    ...['--state-dir', place('state'), '--json'],
  ]);
}

function statusOf(node: ClusterNode): Promise<Status> {
  return node.get<Status>('/v1/node/status');
}

async function untilState(node: ClusterNode, state: string): Promise<void> {
  await until(async () => {
    node.expectAlive();
    return (await statusOf(node)).validator?.state === state;
  }, `${node.name} to be ${state}`);
}

/** Waits for a signature above a height and for the header that names it. */
async function untilSigned(
  node: ClusterNode,
  witness: ClusterNode,
  after: number,
): Promise<number> {
  let signed = 0;
  await until(async () => {
    node.expectAlive();
    signed = (await statusOf(node)).validator?.last_signed_height ?? 0;
    return signed > after;
  }, `${node.name} to sign above ${after}`);
  let first = 0;
  await until(async () => {
    const tip = await witness.height();
    for (let height = Math.max(after, first) + 1; height < tip; height++) {
      if ((await signersOf(witness, height)) === 2) {
        first = height;
        return true;
      }
    }
    return false;
  }, 'a header that names both as signers');
  return first;
}

/** How many signers of a cut the header after it names. */
async function signersOf(node: ClusterNode, height: number): Promise<number> {
  const { cut } = await node.get<{ cut: { previous_signers: readonly number[] } }>(
    `/v1/cuts/${height + 1}`,
  );
  return cut.previous_signers.length;
}

test('a standby takes over from a node that is killed, and never do both sign', async (t) => {
  const cluster = await Cluster.make({
    paceMillis: PACE_MILLIS,
    nodes: [
      { name: 'large', validator: 'routed' },
      { name: 'first', validator: 'routed', isSmall: true, bootstrap: ['large'] },
      { name: 'second', bootstrap: ['large'] },
    ],
  });
  const [large, first, second] = ['large', 'first', 'second'].map((name) => cluster.node(name)) as [
    ClusterNode,
    ClusterNode,
    ClusterNode,
  ];
  const signer = moveKey(cluster, first, second);
  t.after(async () => {
    await signer.kill();
    await cluster.close();
  });
  await signer.start();
  await expectNoInspector(signer.probe);
  await cluster.start([large, first]);
  await untilSigned(first, large, 0);
  await second.start();
  await untilState(second, 'standby');
  await cluster.advance(2, WAIT_MILLIS_MAX);
  const lacks = (await statusOf(second)).troubles.map(({ name }) => name);
  assert.deepEqual(
    lacks.filter((name) => name.startsWith('validator')),
    [],
  );

  const before = await large.height();
  await first.kill();
  const taken = await untilSigned(second, large, before);
  t.diagnostic(`killed at ${before}, the standby signed at ${taken}`);

  await signer.kill();
  await until(async () => {
    const { troubles } = await statusOf(second);
    return troubles.some(({ name }) => name === 'validator_signer_away');
  }, 'the node to miss its signer');
  const away = await large.height();
  await signer.start();
  await untilSigned(second, large, away);

  assert.equal(await second.stop(), 0, second.stderr);
  const [, lastWords = ''] = second.stderr.split('shutting down');
  assert.match(lastWords, /"message":"stopped"/);
  assert.ok(!lastWords.includes('the signer is away'), 'a node that ends asks for no lease');
  assert.equal(await signer.stop(), 0, signer.stderr);
  // The signer that was killed said nothing of the end of its last lease.
  assert.deepEqual(signer.leases(), ['given', 'ended', 'given', 'given', 'ended']);
  const id = cluster.network.validatorId(first.planned);
  const { validator } = await large.get<{ validator: { state: string } }>(
    `/v1/staking/validators/${id}`,
  );
  assert.equal(validator.state, 'live', 'nobody has shown two signatures for one position');
});
