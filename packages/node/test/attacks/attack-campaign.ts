/**
 * Attacks a real node and says what an honest client of another address has of it meanwhile:
 * `node packages/node/test/attacks/attack-campaign.ts [connections] [requests] [attack]`, 1,100 connections and 200
 * requests of the honest client for each attack unless told, and at most ten seconds of them.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { text } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type AttackedNode, startAttackedNode } from './attacked-node.ts';
import { ATTACKS, type AttackName, type Listener } from './attacks.ts';
import { askHonestly, type Experience, quantile } from './honest-client.ts';

const [sizeText = '1100', requestsText = '200', only] = process.argv.slice(2);
const [size, requests] = [Number(sizeText), Number(requestsText)];
const PROGRAM = fileURLToPath(new URL('crowd-process.ts', import.meta.url));
const HONEST = '127.0.0.3';
/** Below the rate of a public API, 40 units in a second. */
const PAUSE_MILLIS = 40;
/** The attack is in full swing before the honest client begins. */
const LEAD_MILLIS = 1_000;
/** Cuts that the chain has before the first attack, so that lists are long. */
const CUTS = 100;
const PATHS: Readonly<Record<Listener, string>> = {
  http: '/v1/chain/head',
  mining: '/v1/mining/chain',
  metrics: '/metrics',
};

interface Row {
  readonly name: string;
  readonly listener: Listener;
  readonly experience: Experience;
  readonly opened: number;
  /** Milliseconds of processor that the node used. */
  readonly processor: number;
}

function ask(node: AttackedNode, listener: Listener): Promise<Experience> {
  const port = node.ports[listener];
  const path = PATHS[listener];
  return askHonestly({
    port,
    path,
    from: HONEST,
    requests,
    pauseMillis: PAUSE_MILLIS,
    millisMax: 10_000,
  });
}

/** Milliseconds of processor that the node has used. */
function processorOf({ pid }: AttackedNode): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user = 0, system = 0] = fields.split(' ').slice(11, 13).map(Number);
  return (user + system) * 10;
}

async function measured(
  node: AttackedNode,
  listener: Listener,
  name: string,
  opened: () => Promise<number>,
): Promise<Row> {
  const before = processorOf(node);
  const experience = await ask(node, listener);
  const processor = processorOf(node) - before;
  return { name, listener, experience, opened: await opened(), processor };
}

/** Each attack has an address of its own: the node remembers who went on over the rate. */
async function attackWith(node: AttackedNode, name: AttackName, from: string): Promise<Row> {
  const { listener } = ATTACKS[name];
  const words = [PROGRAM, name, String(node.ports[listener]), String(size), from];
  const attacker = spawn(process.execPath, words, { stdio: ['pipe', 'pipe', 'inherit'] });
  const said = text(attacker.stdout);
  await pause(LEAD_MILLIS);
  return measured(node, listener, name, async () => {
    attacker.stdin.end();
    await once(attacker, 'close');
    return (JSON.parse(await said) as { opened: number }).opened;
  });
}

function print({ name, listener, experience, opened, processor }: Row): void {
  const { millis, failed } = experience;
  const [half, most] = [quantile(millis, 0.5).toFixed(1), quantile(millis, 0.99).toFixed(1)];
  say(`| ${[name, listener, opened, millis.length, half, most, failed, processor].join(' | ')} |`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

async function untilThereAreCuts({ ports }: AttackedNode): Promise<void> {
  for (let tries = 0; tries < 600; tries++) {
    const answer = await fetch(`http://127.0.0.1:${ports.http}/v1/chain/head`);
    const { cut } = (await answer.json()) as { cut: { height: number } };
    if (cut.height >= CUTS) return;
    await pause(500);
  }
  throw new Error('the chain makes no cuts');
}

await using node = await startAttackedNode();
await untilThereAreCuts(node);
say(`${size} connections at the same time, load of the machine ${loadavg()[0]?.toFixed(1)}\n`);
say('| attack | listener | opened | answers | p50 ms | p99 ms | failed | processor ms |');
say('|---|---|---:|---:|---:|---:|---:|---:|');
for (const listener of Object.keys(PATHS) as Listener[]) {
  print(await measured(node, listener, 'none', async () => 0));
}
let address = 10;
for (const name of Object.keys(ATTACKS) as AttackName[]) {
  if (only !== undefined && only !== name) continue;
  print(await attackWith(node, name, `127.0.0.${address++}`));
  await pause(LEAD_MILLIS);
}
