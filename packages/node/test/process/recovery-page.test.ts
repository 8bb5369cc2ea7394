/**
 * The page about recoveries word for word, with real processes: four validators, two lost with their disks, the others
 * continue. Then light clients, and what a node says that is started with the old key.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { createClient, LightClient, trustCut } from 'svc-client';
import { decodeSignState, SILENT_FOR_GOOD } from 'svc-consensus/machine';
import { init } from 'svc-wasm';
import { formatRecovery, parseRecovery } from 'svc-wasm/protocol';
import { FileSignState } from '../../../consensus/src/signer/file-sign-state.ts';
import { svcd } from '../../src/cli/testing/svcd.ts';
import { blocksOf, freeRange, logsIn, pageOf, withPorts } from './page-blocks.ts';
import { PageShell } from './page-shell.ts';

/** Far longer than the page takes on a busy machine. */
const PATIENCE_MILLIS = 1_200_000;
/** Less than any test may take: a longer block is split over several tests, so that its progress is seen. */
const PART_MILLIS = 120_000;

test('the commands of the page on recoveries work as they are written, and no old key signs again', {
  timeout: PATIENCE_MILLIS,
}, async (t) => {
  await init();
  const directory = temporaryDirectory(undefined, MEMORY_PARENT);
  const shell = new PageShell(directory, ['svcd']);
  t.after(async () => {
    await shell.close();
    rmSync(directory, { recursive: true, force: true });
  });
  const basePort = await freeRange();
  for (const [place, block] of blocksOf(pageOf('recovery.md')).entries()) {
    const done = shell.run(withPorts(block, basePort)).then(
      () => true,
      (error: Error) => {
        const { stdout, stderr } = shell;
        return assert.fail(`${error.message}\n${stdout}\n${stderr}\n${logsIn(directory)}`);
      },
    );
    done.catch(() => {
      // The test that waits for the block fails with it.
    });
    for (let isDone = false; !isDone; )
      await t.test(`${place + 1}: ${block.split('\n')[0]}`, async () => {
        isDone = true;
        isDone = await Promise.race([done, sleep(PART_MILLIS, false, { ref: false })]);
      });
  }
  const net = join(directory, 'net');
  const text = readFileSync(join(net, 'recovery.json'), 'utf8');
  const { height, members, id } = parseRecovery(text);
  assert.ok(shell.stdout.split('\n').includes(id), 'assemble prints the id');
  assert.match(shell.stderr, /2 of 4 validators agree, with 50\.00 % of the stake/);
  assert.equal(members.length, 2);
  await t.test('a light client passes with the file, and not without it or with another', () =>
    passLightClients(basePort, text),
  );
  for (const name of ['validator-1', 'validator-2']) {
    const bytes = new FileSignState(join(net, name, 'validator', 'own')).read();
    const record = decodeSignState(bytes ?? new Uint8Array(0));
    assert.equal(record?.silentThrough, SILENT_FOR_GOOD, 'the old key is marked as replaced');
    assert.ok((record?.last?.height ?? 0) <= height + 1);
  }
  await t.test('the old key is refused, with the recovery and without it', async () => {
    await shell.run('kill $(cat net/validator-1.pid) && wait $(cat net/validator-1.pid)');
    await refuseOldKey(join(net, 'validator-1'));
  });
});

/** A node that has synced keeps few certificates, that of the recovery among them; a validator has those of all cuts. */
async function passLightClients(basePort: number, text: string): Promise<void> {
  const clientAt = (port: number) => createClient({ url: `http://127.0.0.1:${basePort + port}` });
  const client = clientAt(61);
  const { chain_id, cut } = await client.chainHead();
  const trusted = await trustCut(clientAt(1), 'development', chain_id, 2);
  const certify = async (...recoveries: string[]) => {
    const now = () => Date.now();
    return await new LightClient({ client, trusted, now, recoveries }).certify(cut.height);
  };
  assert.equal((await certify(text)).cutId, cut.cut_id);
  await assert.rejects(certify(), /continued with a recovery, give its file/);
  const recovery = parseRecovery(text);
  const fewer = formatRecovery(recovery, recovery.members.slice(1));
  await assert.rejects(certify(fewer), /other validators signed cut/);
  await assert.rejects(certify(text.replace(recovery.cutId, 'ab'.repeat(48))), /did not sign/);
}

/** The new key is taken away, and the old one is alone. */
async function refuseOldKey(directory: string): Promise<void> {
  for (const name of ['consensus.next', 'consensus.password.next'])
    rmSync(join(directory, 'keys', name));
  const refused = await svcd(['run', '--data-dir', '.'], { directory });
  assert.equal(refused.code, 5, refused.stderr);
  assert.match(refused.stderr, /no validator holds the consensus key any more/);
  const settings = join(directory, 'node.json');
  const named = readFileSync(settings, 'utf8');
  writeFileSync(settings, named.replace('"recovery": ["recovery.json"],', ''));
  const unnamed = await svcd(['run', '--data-dir', '.'], { directory });
  assert.notEqual(unnamed.code, 0);
  assert.match(unnamed.stderr, /the chain here continued with a recovery, and the setting/);
}
