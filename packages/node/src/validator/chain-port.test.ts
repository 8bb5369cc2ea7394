import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory } from 'svc-base/testing';
import { ChainCore } from '../chain/chain-core.ts';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { cutToInstall } from '../testing/cut-to-install.ts';
import { ChainPort } from './chain-port.ts';

test('a validator that is removed, or that the state does not know any more, is punished', async (t) => {
  const fixture = await ChainFixture.create({ validators: 4 });
  t.after(() => fixture.close());
  const chain = await ChainCore.open({
    directory: temporaryDirectory(t),
    genesis: fixture.genesis,
    mode: 'archive',
    clock: SYSTEM_CLOCK,
    log: SILENT_LOG,
    onFatal: assert.ifError,
    cacheBytes: 1 << 20,
  });
  const port = new ChainPort(chain);
  const ids = fixture.epoch.members.map(({ validatorId }) => validatorId) as [string, string];
  assert.deepEqual(
    ids.slice(0, 2).map((id) => port.isPunished(id)),
    [false, false],
  );
  assert.equal(port.isPunished('00'.repeat(48)), true);
  await fixture.cut();
  await fixture.cut([], [fixture.contradiction(1, 0)]);
  for (const height of [1, 2]) await chain.install(await cutToInstall(fixture, height));
  assert.deepEqual(
    ids.slice(0, 2).map((id) => port.isPunished(id)),
    [true, false],
  );
  await chain.close();
});
