import assert from 'node:assert/strict';
import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { LevelStore } from 'svc-storage';
import { init } from 'svc-wasm';
import { ChainCore } from '../../src/chain/chain-core.ts';
import { SvcdProcess } from '../../src/cli/testing/svcd.ts';
import { keepGenesis } from '../../src/config/genesis-file.ts';
import { ChainFixture } from '../../src/testing/chain-fixture.ts';
import { cutToInstall } from '../../src/testing/cut-to-install.ts';

const CUTS = 6;
const WORDS = [
  ...['run', '--network', 'development', '--data-dir', '.', '--storage-mode', 'archive'],
  ...['--http-bind', '127.0.0.1:0', '--mining-bind', '127.0.0.1:0', '--listen', '127.0.0.1'],
  ...['--peer-port', '0'],
];

/** A data directory whose chain lies in tables, with nothing in the engine's memory once it is opened. */
async function makeChain(directory: string): Promise<void> {
  const fixture = await ChainFixture.create({ validators: 4 });
  for (let account = 0; fixture.head.height < CUTS; account = (account + 1) % 5) {
    const wire = await fixture.pay(account, fixture.address(7), 5_000n);
    await fixture.cut([fixture.mine([wire])]);
  }
  keepGenesis(directory, { genesis: fixture.genesis, chainId: fixture.chainId });
  const chain = await ChainCore.open({
    directory: join(directory, 'chain'),
    genesis: fixture.genesis,
    mode: 'archive',
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    onFatal: (error) => assert.fail(String(error)),
  });
  while (chain.head.height < CUTS)
    await chain.install(await cutToInstall(fixture, chain.head.height + 1));
  await chain.close();
  await fixture.close();
  await (await LevelStore.open(join(directory, 'chain', 'db'))).close();
}

function tablesIn(database: string): string[] {
  const names = readdirSync(database).filter((name) => name.endsWith('.ldb'));
  return names.map((name) => join(database, name));
}

test('a table that is cut short under a running node ends it with the name of the file, and with a code', async (t) => {
  await init();
  const directory = temporaryDirectory(t);
  await makeChain(directory);
  const node = new SvcdProcess(WORDS, { directory });
  t.after(() => node.child.kill('SIGKILL'));
  await node.said('"ready"');
  const ready = node.stderr.split('\n').find((line) => line.includes('"ready"')) ?? '';
  const { http } = JSON.parse(ready) as { http: string };
  assert.doesNotMatch(node.stderr, /SIGBUS/);
  const [table = ''] = tablesIn(join(directory, 'chain', 'db'));
  const { size } = statSync(table);
  truncateSync(table, 0);
  for (let height = 1; height <= CUTS; height++)
    await fetch(`http://${http}/v1/cuts/${height}`).catch(() => {}); // The node ends with the first.
  const { code, signal, stderr } = await node.end();
  assert.deepEqual([code, signal], [1, null], stderr);
  const said = JSON.parse(stderr.trim().split('\n').at(-1) ?? '') as Record<string, string>;
  assert.equal(said['message'], 'fatal error, the node ends');
  assert.match(said['error'] ?? '', new RegExp(`ldb has 0 bytes instead of ${size} .*svcd repair`));
  const again = await new SvcdProcess(WORDS, { directory }).end();
  assert.equal(again.code, 1);
  assert.match(again.stderr, new RegExp(`ldb is damaged: it has 0 bytes instead of ${size}`));
});
