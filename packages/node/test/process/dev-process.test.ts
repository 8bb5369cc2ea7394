/**
 * `svcd dev` as a process: it holds its directory alone, ends in order, and goes on where it stopped.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { MEMORY_PARENT, temporaryDirectory } from 'svc-base/testing';
import { SvcdProcess, svcd } from '../../src/cli/testing/svcd.ts';
import { read } from './kit.ts';

const WORDS = ['dev', '--port', '0', '--no-wallet', '--state', 'state', '--config-out', 'dev.json'];

interface Facts {
  readonly chain_id: string;
  readonly api_url: string;
  readonly validators: number;
  readonly cut_time: number;
  readonly state_dir: string;
  readonly accounts: readonly { readonly address: string; readonly balance: string }[];
}

async function headOf({ api_url }: Facts): Promise<{ height: number; cut_id: string }> {
  const url = `${api_url}/v1/chain/head`;
  return (await read<{ cut: { height: number; cut_id: string } }>(url)).cut;
}

async function cutAt({ api_url }: Facts, height: number): Promise<unknown> {
  const url = `${api_url}/v1/cuts?before=${height + 1}&limit=1`;
  return (await read<{ cuts: { cut_id: string }[] }>(url)).cuts[0]?.cut_id;
}

/** Starts it and waits for its first cut. */
async function startIn(directory: string, words: readonly string[]) {
  const network = new SvcdProcess([...WORDS, '--json', ...words], { directory });
  await network.said(' is final');
  const facts = JSON.parse(network.stdout) as Facts;
  assert.deepEqual(JSON.parse(readFileSync(join(directory, 'dev.json'), 'utf8')), facts);
  return { network, facts };
}

/** A process that needs longer than the limit of a shutdown ends itself with another code. */
async function interrupt(network: SvcdProcess): Promise<void> {
  network.child.kill('SIGINT');
  const { code, stderr } = await network.end();
  assert.equal(code, 0, stderr);
}

test('svcd dev holds its directory alone, ends within 10 s, and goes on at the next start', async (t) => {
  const directory = temporaryDirectory(undefined, MEMORY_PARENT);
  const running: SvcdProcess[] = [];
  t.after(() => {
    for (const { child } of running) child.kill('SIGKILL');
    rmSync(directory, { recursive: true, force: true });
  });
  const first = await startIn(directory, ['--validators', '2', '--cut-time', '100ms']);
  running.push(first.network);
  const second = await svcd(WORDS, { directory });
  assert.equal(second.code, 5);
  assert.match(second.stderr, new RegExp(`is held by process ${first.network.child.pid} on host`));
  assert.ok(existsSync(first.facts.state_dir));
  const before = await headOf(first.facts);
  await interrupt(first.network);

  const next = await startIn(directory, ['--validators', '4', '--cut-time', '5s']);
  running.push(next.network);
  const { chain_id, validators, cut_time } = next.facts;
  assert.equal(chain_id, first.facts.chain_id);
  assert.deepEqual([validators, cut_time], [2, 100], 'a network goes on as it was made');
  assert.ok((await headOf(next.facts)).height > before.height);
  assert.equal(await cutAt(next.facts, before.height), before.cut_id);
  const [, , account] = next.facts.accounts;
  assert.equal(account?.balance, first.facts.accounts[2]?.balance);
  await interrupt(next.network);
});
