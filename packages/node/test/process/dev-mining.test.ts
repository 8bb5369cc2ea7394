/**
 * `npm start` with its bridge and miner, and the first paid block of somebody who read two lines of the guide. What it
 * starts ends with it, however it ends.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { temporaryDirectory, until } from 'svc-base/testing';
import { SvcdProcess } from '../../src/cli/testing/svcd.ts';
import { read } from './kit.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const PAGE = readFileSync(new URL('../../../../docs/operate/mining.md', import.meta.url), 'utf8');

interface Facts {
  readonly api_url: string;
  readonly bridge_url: string;
  readonly bridge_ws_url: string;
  readonly accounts: readonly { readonly address: string }[];
}

interface BlockDocument {
  readonly payout_address: string;
  readonly miner_tag: string;
  readonly reward: { readonly state: string };
}

/** The lines of the section about a development network that are commands. */
function guideCommands(): string[] {
  const section = PAGE.split('\n## ').find((text) => text.startsWith('From nothing')) as string;
  const blocks = section.split('```').filter((_, index) => index % 2 === 1);
  return (blocks[0] as string).split('\n').slice(1, -1);
}

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
}

/** The processes of this machine that run, as Linux tells them; those that only wait to be reaped have ended. */
function runningProcesses(): ProcessRow[] {
  return readdirSync('/proc')
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/stat`, 'utf8');
        const [state, parent] = text.slice(text.lastIndexOf(')') + 2).split(' ');
        return state === 'Z' ? [] : [{ pid: Number(name), parent: Number(parent) }];
      } catch {
        return []; // The process has ended since the folder was listed.
      }
    });
}

/** The processes below one, by their numbers. */
function descendants(pid: number): number[] {
  const rows = runningProcesses();
  const found = [pid];
  for (const above of found)
    found.push(...rows.filter(({ parent }) => parent === above).map((row) => row.pid));
  return found.slice(1);
}

async function mineCuts({ api_url }: Facts, cuts: number): Promise<void> {
  const answer = await fetch(`${api_url}/v1/dev/mine`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ api_version: 1, cuts }),
  });
  assert.equal(answer.status, 200, await answer.text());
}

describe('npm start', () => {
  const directory = temporaryDirectory({ after });
  const [start = '', mine = ''] = guideCommands();
  let network: SvcdProcess;
  let facts: Facts;

  before(async () => {
    assert.equal(start, 'npm start');
    const words = ['tools/start.ts', '--port', '0', '--state', directory, '--json'];
    const fewer = ['--no-wallet', '--validators', '1', '--cut-time', '250ms'];
    network = new SvcdProcess([...words, ...fewer], {
      directory: ROOT,
      program: 'tools/bootstrap.mjs',
    });
    await network.said('ready in');
    facts = JSON.parse(network.stdout) as Facts;
  });

  after(() => void network.child.kill('SIGKILL'));

  const blockAt = (id: string): Promise<BlockDocument> => read(`${facts.api_url}/v1/blocks/${id}`);

  /** Waits for blocks of which this holds; their ids. */
  async function seen(what: string, holds: (block: BlockDocument) => boolean): Promise<string[]> {
    const found: string[] = [];
    await until(async () => {
      const url = `${facts.api_url}/v1/blocks/recent?limit=100`;
      const { blocks } = await read<{ blocks: { block_id: string }[] }>(url);
      for (const { block_id: id } of blocks) if (holds(await blockAt(id))) found.push(id);
      return found.length > 0;
    }, what);
    return found;
  }

  test('says how to mine, and its own miner mines through its bridge', async () => {
    assert.ok(network.stderr.includes(`svc-miner --url ${facts.bridge_url} --user`));
    assert.match(facts.bridge_ws_url, /^ws:\/\/127\.0\.0\.1:[0-9]+\/$/);
    const payee = facts.accounts[9]?.address;
    const ids = await seen('its own blocks', ({ miner_tag: tag }) => tag === 'dev miner');
    for (const id of ids) assert.equal((await blockAt(id)).payout_address, payee);
  });

  test('two commands of the guide lead from nothing to a paid block', async () => {
    const payee = facts.accounts[5]?.address as string;
    const [, program = '', ...words] = mine
      .replace('svc+tcp://127.0.0.1:28780', facts.bridge_url)
      .replace('<address>', payee)
      .split(' ');
    const quiet = ['--no-stats', '--no-metrics', '--device', 'cpu', '--threads', '1'];
    const miner = new SvcdProcess([...words, ...quiet, '--dataset-dir', `${directory}/dataset`], {
      directory: ROOT,
      program,
    });
    let ids: string[] = [];
    try {
      await miner.said('block accepted');
      ids = await seen('a block of the payee', (block) => block.payout_address === payee);
    } finally {
      miner.child.kill('SIGINT');
      assert.equal((await miner.end()).code, 0, miner.stderr);
    }
    await mineCuts(facts, 98);
    for (const id of ids) assert.equal((await blockAt(id)).reward.state, 'paid');
  });

  test('bridge, miner and node end when whoever started them is killed', async (t) => {
    if (!existsSync('/proc/self/stat')) return t.skip('passed over: no /proc on this machine');
    const started = descendants(network.child.pid as number);
    assert.equal(started.length, 3, 'the network, its bridge and its miner');
    network.child.kill('SIGKILL');
    await until(() => {
      const running = new Set(runningProcesses().map(({ pid }) => pid));
      return started.every((pid) => !running.has(pid));
    }, 'the end of everything that was started');
  });
});

test('an interrupt of a terminal, which reaches starter and network, ends npm start in order', async (t) => {
  if (!existsSync('/proc/self/stat')) return t.skip('passed over: no /proc on this machine');
  const directory = temporaryDirectory(t);
  const words = ['tools/start.ts', '--port', '0', '--state', directory, '--no-wallet'];
  const fewer = ['--no-miner', '--validators', '1', '--cut-time', 'manual'];
  const program = 'tools/bootstrap.mjs';
  const network = new SvcdProcess([...words, ...fewer], { directory: ROOT, program });
  try {
    await network.said('ready in');
    const [node] = descendants(network.child.pid as number);
    process.kill(node as number, 'SIGINT');
    network.child.kill('SIGINT');
    const { code, stderr } = await network.end();
    assert.deepEqual([code, stderr.endsWith('stopped\n')], [0, true], stderr);
    assert.ok(stderr.includes(`stopping; the state is kept in ${directory} …`), stderr);
  } finally {
    network.child.kill('SIGKILL');
  }
});
