import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from 'svc-base/testing';
import { fromHex } from 'svc-wasm/base';
import { decodeCutHeader } from 'svc-wasm/protocol';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { cutToInstall } from '../testing/cut-to-install.ts';
import { FetchedState } from './fetched-state.ts';

const HEIGHT = 7;

test('from the cut of a recovery on, trust follows the set that the recovery names', async (t) => {
  const fixture = await ChainFixture.create({ validators: 4 });
  t.after(() => fixture.close());
  await fixture.runTo(HEIGHT);
  fixture.recover([0, 2]);
  await fixture.runTo(HEIGHT + 2);
  const { header: place } = await cutToInstall(fixture, HEIGHT);
  const { header, certificate } = await cutToInstall(fixture, HEIGHT + 2);
  const setAt = (height: number) => fixture.setAt(height) ?? assert.fail('no set');
  const { time } = decodeCutHeader(header);
  const refusalWith = async (recoveries: typeof fixture.parameters.recoveries) => {
    const state = await FetchedState.open({
      directory: join(temporaryDirectory(t), 'state'),
      trust: {
        network: 'development',
        chainId: fromHex(fixture.chainId),
        height: 0n,
        time: 0n,
        cutId: fromHex(fixture.chainId),
        encodedSet: setAt(1).encoded,
      },
      checkpoint: undefined,
      recoveries,
      clock: { now: () => Number(time) },
    });
    state.trust(place, setAt(HEIGHT));
    return state.refusalOfCut({
      header,
      certificate: certificate ?? assert.fail('no certificate'),
      set: setAt(HEIGHT + 2),
    });
  };
  assert.equal(await refusalWith(fixture.parameters.recoveries), null);
  assert.match((await refusalWith([])) ?? '', /a newer cut can be named with --trust/);
});
