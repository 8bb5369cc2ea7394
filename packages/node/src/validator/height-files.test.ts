import assert from 'node:assert/strict';
import { appendFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { LogFile } from 'svc-base/node';
import { temporaryDirectory } from 'svc-base/testing';
import { decodeCut, type EncodedCut, height, type Input } from 'svc-consensus/machine';
import { HeightFiles } from 'svc-consensus/shell';
import { ChainFixture } from '../testing/chain-fixture.ts';

const WIRE = { chainId: new Uint8Array(48), setIdAt: () => new Uint8Array(48) };

async function cutOf(chain: ChainFixture): Promise<EncodedCut> {
  const { headerBytes, height: at } = await chain.cut();
  const reader = chain.reader();
  const body = (await reader.cutBody(at)) as Uint8Array;
  await reader.close();
  return decodeCut(headerBytes, body);
}

test('a sync makes cuts durable, and then the log that may say of them that they are valid', async (t) => {
  const chain = await ChainFixture.create();
  t.after(() => chain.close());
  const directory = temporaryDirectory(t);
  const synced: string[] = [];
  const fileOf = (name: string): LogFile => {
    const file = new LogFile(join(directory, name), { kind: name });
    const sync = file.sync.bind(file);
    file.sync = () => {
      synced.push(name);
      sync();
    };
    return file;
  };
  const files = new HeightFiles({ wire: WIRE, log: fileOf('log'), cuts: fileOf('cuts') });
  t.after(() => files.close());
  const cut = await cutOf(chain);
  files.storeCut(cut);
  files.append({ type: 'verdict', height: height(1), value: cut.value, verdict: 'valid' });
  assert.deepEqual(synced, []);
  files.sync();
  assert.deepEqual(synced, ['cuts', 'log']);
});

function filesIn(directory: string): HeightFiles {
  const fileOf = (kind: string) => new LogFile(join(directory, kind), { kind });
  const [log, cuts] = [fileOf('log'), fileOf('cuts')];
  return new HeightFiles({ wire: WIRE, log, cuts });
}

test('cuts and inputs come back after a restart; what was torn at the end is cut off', async (t) => {
  const chain = await ChainFixture.create();
  t.after(() => chain.close());
  const directory = temporaryDirectory(t);
  const [first, second] = [await cutOf(chain), await cutOf(chain)];
  const input: Input = { type: 'verdict', height: height(1), value: first.value, verdict: 'valid' };
  const files = filesIn(directory);
  const emptyBytes = statSync(join(directory, 'log')).size;
  files.storeCut(first);
  files.append(input);
  files.sync();
  files.storeCut(first);
  files.storeCut(second);
  files.sync();
  files.close();
  const size = statSync(join(directory, 'cuts')).size;
  appendFileSync(join(directory, 'cuts'), Uint8Array.of(5, 5, 5));

  const again = filesIn(directory);
  assert.deepEqual(
    again.foundCuts.map(({ value }) => value),
    [first.value, second.value],
  );
  assert.equal(statSync(join(directory, 'cuts')).size, size);
  const logBytes = statSync(join(directory, 'log')).size;
  assert.ok(logBytes > 48);
  const reason = 'log_undecodable';
  assert.deepEqual(again.foundLog, { type: 'refused', reason }, 'a log begins with its height');
  again.resume(logBytes, 1);
  again.storeCut(second);
  again.reset();
  again.close();
  assert.equal(statSync(join(directory, 'log')).size, emptyBytes);
  assert.equal(statSync(join(directory, 'cuts')).size, size);
});
