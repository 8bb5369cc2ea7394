import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChainFixture } from '../testing/chain-fixture.ts';
import { RecordedLog } from '../testing/cluster-log.ts';
import { ValidatorReport } from './validator-report.ts';

test('a seat that is lost is told once, in the log, the status and the figures', async (t) => {
  const chain = await ChainFixture.create();
  t.after(() => chain.close());
  const [member] = chain.epoch.members;
  const id = member?.validatorId as string;
  const key = chain.view.get('validators', id)?.consensusKey as { keyHash: string };
  const log = new RecordedLog();
  const status = { signing: 'active', lastSignedHeight: 0 } as const;
  const report = new ValidatorReport(chain, { key, driver: { status }, heartbeats: null }, log);
  assert.deepEqual(report.document, {
    validator_id: id,
    state: 'active',
    committee: true,
    last_signed_height: 0,
  });
  assert.deepEqual([report.figures.isInCommittee, report.figures.isLapsed], [true, false]);
  await chain.runTo(3 * chain.parameters.interval);
  const told = log.entries.map(({ level, fields }) => [level, fields['standing']]);
  assert.deepEqual(told, [
    ['info', 'committee'],
    ['warn', 'lapsed'],
  ]);
  assert.equal(report.document?.state, 'lapsed', 'no heartbeat was sent for two epochs');
  assert.equal(report.figures.isLapsed, true);
});

test('a removal is logged at error level with height and amount; heartbeats left are unknown before the first one', async (t) => {
  const chain = await ChainFixture.create({ validators: 4 });
  t.after(() => chain.close());
  const id = chain.epoch.members[1]?.validatorId as string;
  const key = chain.view.get('validators', id)?.consensusKey as { keyHash: string };
  const log = new RecordedLog();
  const status = { signing: 'active', lastSignedHeight: 0 } as const;
  const heartbeats = { state: 'due', heartbeatsLeft: null } as const;
  const report = new ValidatorReport(chain, { key, driver: { status }, heartbeats }, log);
  assert.equal(report.figures.heartbeatsLeft, null);
  assert.equal(report.document?.removal, undefined);
  await chain.cut();
  await chain.cut([], [chain.contradiction(1, 1)]);
  const removal = { height: 2, reason: 'equivocation', burned: '100000000000000' };
  assert.deepEqual(report.document, {
    ...{ validator_id: id, state: 'removed', committee: true, last_signed_height: 0, removal },
  });
  await chain.cut();
  const [, entry, ...others] = log.entries;
  assert.deepEqual(others, []);
  assert.equal(entry?.level, 'error');
  assert.equal(entry?.fields['burned'], removal.burned);
  assert.match(entry?.message ?? '', /this validator was removed for equivocation at height 2: /);
});

test('a key that no validator holds has no document', async (t) => {
  const chain = await ChainFixture.create();
  t.after(() => chain.close());
  const log = new RecordedLog();
  const status = { signing: 'active', lastSignedHeight: null } as const;
  const key = { keyHash: 'ab'.repeat(48) };
  const report = new ValidatorReport(chain, { key, driver: { status }, heartbeats: null }, log);
  assert.equal(report.document, null);
  assert.deepEqual(log.entries[0]?.fields['standing'], 'unknown');
});
