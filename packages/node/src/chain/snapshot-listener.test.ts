import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, test } from 'node:test';
import { SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { temporaryDirectory, until } from 'svc-base/testing';
import { formatGenesis } from 'svc-ledger';
import { withInterval } from 'svc-ledger/testing';
import { expectWholeSnapshot } from 'svc-storage';
import { svcd } from '../cli/testing/svcd.ts';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { SnapshotListener, snapshotSocket } from './snapshot-listener.ts';

const EPOCH_CUTS = 8;

describe('a snapshot of a node that runs', () => {
  const directory = temporaryDirectory();
  const dataDir = join(directory, 'node');
  let chain: ChainFixture;
  let listener: SnapshotListener;

  const socket = (): string => snapshotSocket(dataDir) ?? assert.fail('the path is too long');
  const call = (words: readonly string[], data: string) =>
    svcd([...words, '--network', 'development', '--data-dir', data], { directory });

  before(async () => {
    chain = await ChainFixture.create({ validators: 2 });
    for (const data of ['node', 'other']) {
      mkdirSync(join(directory, data));
      writeFileSync(join(directory, data, 'genesis.json'), formatGenesis(chain.genesis));
    }
    await chain.runTo(5);
    const { store, finalized } = chain;
    const parameters = withInterval(chain.parameters, EPOCH_CUTS);
    const ports = { chain: { store, finalized, parameters }, clock: SYSTEM_CLOCK, log: SILENT_LOG };
    listener =
      (await SnapshotListener.open({ ...ports, dataDir })) ?? assert.fail('the path is too long');
  });

  after(async () => {
    await listener.close();
    await chain.close();
  });

  test('is exported over a socket that only its user may open, and another node begins with it', async () => {
    assert.equal(statSync(socket()).mode & 0o777, 0o600);
    const made = await call(['snapshot', 'export', 'state.svc'], 'node');
    assert.equal(made.code, 0, made.stderr);
    const trusted = made.stdout.trim();
    assert.equal(trusted, chain.head.cutId);
    const taken = await call(['snapshot', 'import', 'state.svc', '--trust-cut', trusted], 'other');
    assert.equal(taken.code, 0, taken.stderr);
    assert.equal(taken.stdout.trim(), '5');
  });

  test('waits for a cut that others can begin with, and is exported once at a time', async () => {
    await chain.runTo(EPOCH_CUTS);
    const [first, second] = [connect(socket()), connect(socket())];
    assert.match(await text(second), /^!another snapshot is being exported\n$/);
    await chain.runTo(EPOCH_CUTS + 1);
    const { height } = await expectWholeSnapshot(first);
    assert.equal(height, EPOCH_CUTS + 1);
  });

  test('ends with whoever wanted it, and the next one is exported', async () => {
    const gone = connect(socket());
    await once(gone, 'connect');
    gone.destroy();
    await until(async () => {
      const found = await text(connect(socket()));
      await chain.runTo(chain.head.height + 1);
      return found.startsWith('SVCSNAP');
    }, 'the next one to be exported');
  });
});
