/**
 * The node of a removed validator as a process: its log, status and metrics name the removal.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { StatusDocument } from 'svc-api';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { sealKeyFile } from 'svc-wasm/protocol';
import { ChainCore } from '../../src/chain/chain-core.ts';
import { SvcdProcess, svcd } from '../../src/cli/testing/svcd.ts';
import { keepGenesis } from '../../src/config/genesis-file.ts';
import { ChainFixture } from '../../src/testing/chain-fixture.ts';
import { cutToInstall } from '../../src/testing/cut-to-install.ts';

const REMOVED_AT = 7;
const OFFENDER = 2;
const PASSWORD = 'correct horse battery staple';
const CHEAP = '{"memory_kib": "7168", "passes": "5", "lanes": "1"}';
const TOLD = new RegExp(`this validator was removed for equivocation at height ${REMOVED_AT}: `);
const WORDS = [
  ...['run', '--config', 'node.json', '--data-dir', '.', '--log-format', 'json'],
  ...[
    '--http-bind',
    '127.0.0.1:0',
    '--mining-bind',
    '127.0.0.1:0',
    '--metrics-bind',
    '127.0.0.1:0',
  ],
];
const NODE_JSON = {
  network: 'development',
  storage: { mode: 'archive' },
  peers: { inbound_max: 0 },
  validator: { consensus_key_file: 'consensus.key', password_file: 'password' },
};

/** A data directory with a chain in which the validator of the key beside it is removed. */
async function makeRemoved(directory: string): Promise<void> {
  const fixture = await ChainFixture.create({ validators: 4 });
  const { publicKey } = fixture.epoch.members[OFFENDER] as { publicKey: Uint8Array };
  const key = fixture.keys.consensus.find((one) => Buffer.compare(one.publicKey, publicKey) === 0);
  const seed = key?.seed as Uint8Array;
  await fixture.runTo(REMOVED_AT - 1);
  await fixture.cut([], [fixture.contradiction(3, OFFENDER)]);
  await fixture.runTo(fixture.parameters.interval + 1);
  keepGenesis(directory, { genesis: fixture.genesis, chainId: fixture.chainId });
  const chain = await ChainCore.open({
    directory: join(directory, 'chain'),
    genesis: fixture.genesis,
    mode: 'archive',
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    onFatal: (error) => assert.fail(String(error)),
  });
  while (chain.head.height < fixture.head.height)
    await chain.install(await cutToInstall(fixture, chain.head.height + 1));
  await chain.close();
  await fixture.close();
  const kind = { kind: 'consensus', network: 'development' } as const;
  const secret = { mode: 0o600 };
  writeFileSync(join(directory, 'consensus.key'), sealKeyFile(seed, kind, PASSWORD, CHEAP), secret);
  writeFileSync(join(directory, 'password'), `${PASSWORD}\n`, secret);
  writeFileSync(join(directory, 'node.json'), JSON.stringify(NODE_JSON));
}

interface Line {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

function linesOf(text: string): Line[] {
  const lines = text.split('\n').filter((line) => line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as Line);
}

test('the node of a removed validator names height and reason at its start, in its status and in its metrics', async (t) => {
  await init();
  const directory = temporaryDirectory(t, MEMORY_PARENT);
  await makeRemoved(directory);
  // The record of the key is missing, and the removal is named instead.
  const refused = await svcd(WORDS, { directory });
  assert.equal(refused.code, 5, refused.stderr);
  const [cannot] = linesOf(refused.stderr).filter(({ message }) => message === 'cannot start');
  assert.match(String(cannot?.['error']), TOLD);

  const node = new SvcdProcess([...WORDS, '--new-sign-state'], { directory });
  t.after(() => node.child.kill('SIGKILL'));
  await node.said('"ready"');
  const lines = linesOf(node.stderr);
  const told = lines.find(({ message }) => TOLD.test(message));
  assert.deepEqual(
    [told?.level, told?.['height'], told?.['reason'], told?.['burned']],
    ['error', REMOVED_AT, 'equivocation', '100000000000000'],
  );
  const ready = lines.find(({ message }) => message === 'ready');
  const read = async (listener: string, path: string): Promise<string> =>
    (await fetch(`http://${ready?.[listener]}${path}`)).text();
  const status = JSON.parse(await read('http', '/v1/node/status')) as StatusDocument;
  assert.deepEqual([status.validator?.state, status.validator?.committee], ['removed', false]);
  assert.equal(status.validator?.removal?.height, REMOVED_AT);
  const trouble = status.troubles.find(({ name }) => name === 'validator_removed');
  assert.match(trouble?.message ?? '', TOLD);
  const metrics = await read('metrics', '/metrics');
  assert.match(metrics, /^svc_node_trouble\{name="validator_removed"\} 1$/m);
  assert.match(metrics, /^svc_node_trouble\{name="validator_stopped"\} 0$/m);
  assert.match(metrics, /^svc_node_removed_validators 1$/m);
  assert.match(metrics, /^svc_node_committee_removed_share 0$/m);
  assert.doesNotMatch(metrics, /^svc_node_validator_heartbeats_left /m);
  node.child.kill('SIGTERM');
  assert.equal((await node.end()).code, 0);
});
