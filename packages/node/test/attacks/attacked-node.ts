/**
 * A public node as a process of its own, with one validator and every listener, on free ports of loopback.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from 'svc-base/testing';
import { SvcdProcess, svcd } from '../../src/cli/testing/svcd.ts';
import type { Listener } from './attacks.ts';

const NETWORK = ['--validators', '1', '--network', 'development', '--hosts', '127.0.0.1'];
const RUN = [
  ...['run', '--data-dir', '.', '--public', '--log-format', 'json'],
  ...[
    '--http-bind',
    '127.0.0.1:0',
    '--mining-bind',
    '127.0.0.1:0',
    '--metrics-bind',
    '127.0.0.1:0',
  ],
];

export interface AttackedNode extends AsyncDisposable {
  readonly pid: number;
  readonly ports: Readonly<Record<Listener, number>>;
}

export async function startAttackedNode(): Promise<AttackedNode> {
  const directory = temporaryDirectory();
  const made = await svcd(['network', 'new', 'net', ...NETWORK, '--start', '+2s'], { directory });
  if (made.code !== 0) throw new Error(made.stderr);
  const node = new SvcdProcess(RUN, {
    directory: join(directory, 'net', 'validator-1'),
    environment: { SVC_PEERS_INBOUND_MAX: '0' },
  });
  await node.said('"ready"');
  const line = node.stderr.split('\n').find((text) => text.includes('"ready"')) ?? '{}';
  const ready = JSON.parse(line) as Record<Listener, string>;
  const portOf = (listener: Listener): number => Number(ready[listener].split(':').at(-1));
  return {
    pid: node.child.pid as number,
    ports: { http: portOf('http'), mining: portOf('mining'), metrics: portOf('metrics') },
    [Symbol.asyncDispose]: async () => {
      node.child.kill('SIGTERM');
      await node.end();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
