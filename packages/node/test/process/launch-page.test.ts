/**
 * The pages about launching a network with nodes that follow it, about validators of it that join, earn, rotate, are jailed, move, get a signer,
 * return, leave and lose their disks, word for word: every block marked `sh` is run by one shell, with real processes. Only the ports are other ones, since
 * others may use those of the pages.
 *
 * A machine may be so slow that a validator is away for more than three windows of an epoch, and jailed. The pages stand still
 * then, and go on two epochs later: their network has a miner from its beginning, so heartbeats are final and seats come back.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { blocksOf, freeRange, logsIn, pageOf, withPorts } from './page-blocks.ts';
import { PageShell } from './page-shell.ts';

/** The other pages go on where that on launching has stopped one of the validators. */
const FOLLOWING = '### Nodes that sign nothing';
const STOPPING = 'Stop everything that is left:';
/** A jail goes on while a validator is moved and another one gets a signer. */
const LATER = '## What the next epochs bring';
/** Joining and signers come before a disk is lost: a validator without its record is silent for many cuts. */
const LOSS = '## The disk is lost';
/** Processes of the other pages, which the page on launching does not know and its `wait` would wait for. */
const STOP = 'kill $(cat net/anew.pid net/signer.pid)';
const PROGRAMS = ['svcd', 'svc-wallet', 'svc-signer', 'svc-miner'] as const;
/** Far longer than the pages take on a busy machine, with a jail or two on the way. */
const PATIENCE_MILLIS = 2_400_000;
/** Less than any test may take: a block that takes longer goes on in another test, so that its progress is seen. */
const PART_MILLIS = 120_000;

/** The two parts of a text around words that occur once. */
function halvesOf(text: string, words: string): [string, string] {
  const [begin, end, ...more] = text.split(words);
  assert.ok(begin !== undefined && end !== undefined && more.length === 0);
  return [begin, end];
}

/**
 * The blocks in the order in which they are run. Nodes that follow come when half of the life of the network is over: they execute what has
 * happened before at once, which costs less than every cut by itself.
 */
function blocks(basePort: number): string[] {
  const [begin, rest] = halvesOf(pageOf('launch.md'), FOLLOWING);
  const [following, end] = halvesOf(rest, STOPPING);
  const [moving, losing] = halvesOf(pageOf('backup.md'), LOSS);
  const [joining, returning] = halvesOf(pageOf('validator.md'), LATER);
  const pages = [begin, joining, moving, pageOf('signer.md'), following, returning, losing];
  return [...pages.flatMap(blocksOf), STOP, ...blocksOf(end)].map((block) =>
    withPorts(block, basePort),
  );
}

test('no command of these pages is passed over', () => {
  for (const name of ['launch.md', 'validator.md', 'backup.md', 'signer.md']) {
    const kinds = [...pageOf(name).matchAll(/^ *```(\w+)$/gm)].map(([, kind]) => kind);
    assert.deepEqual(
      kinds.filter((kind) => kind !== 'sh' && kind !== 'json'),
      [],
      name,
    );
  }
});

test('the commands of the pages on launching, moving, joining, signers and losing work as they are written', {
  timeout: PATIENCE_MILLIS,
}, async (t) => {
  const directory = temporaryDirectory(undefined, MEMORY_PARENT);
  const shell = new PageShell(directory, PROGRAMS);
  t.after(async () => {
    await shell.close();
    rmSync(directory, { recursive: true, force: true });
  });
  for (const [place, block] of blocks(await freeRange()).entries()) {
    const title = `${place + 1}: ${block.split('\n')[0]}`;
    const running = shell.run(block).then(
      () => true,
      (error: Error) => {
        const { stdout, stderr } = shell;
        return assert.fail(`${error.message}\n${stdout}\n${stderr}\n${logsIn(directory)}`);
      },
    );
    running.catch(() => {
      // The test that waits for the block fails with it.
    });
    let isDone = false;
    for (let isOver = false; !isOver; )
      await t.test(title, async () => {
        isOver = true;
        isDone = await Promise.race([running, sleep(PART_MILLIS, false, { ref: false })]);
        isOver = isDone;
      });
    if (!isDone) return;
  }
  const { stdout, stderr } = shell;
  const chainIds = stdout.split('\n').filter((line) => /^[0-9a-f]{96}$/.test(line));
  assert.equal(chainIds.length, 4, 'network new, check, make and check print chain ids');
  assert.equal(chainIds[0], chainIds[1]);
  assert.equal(chainIds[2], chainIds[3]);
  assert.notEqual(chainIds[0], chainIds[2]);
  assert.match(stderr, /svc-miner --node http:\/\/127\.0\.0\.1:\d+ --user dsvc1/);
  assert.match(stdout, /^health \d+\/10$/m);
  assert.match(stdout, /"committee":true/);
  const folders = [1, 2, 3, 4].map((place) => `validator-${place}`);
  const followers = [1, 2, 3].map((place) => `node-${place}`);
  for (const folder of [...folders, ...followers, 'moved', 'anew', 'standby', 'joining']) {
    const log = readFileSync(join(directory, 'net', folder, 'node.err'), 'utf8');
    const errors = log.split('\n').filter((line) => line.includes('"level":"error"'));
    assert.deepEqual(errors, [], folder);
    if (!followers.includes(folder)) assert.match(log, /"validator started"/);
    const isStopped = log.includes('"message":"stopped"');
    assert.ok(isStopped, `${folder} ended in order: ${log.slice(-2_000)}`);
  }
});
