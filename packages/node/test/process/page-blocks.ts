/**
 * The blocks of a page for operators, and what running them takes: other ports, and what the nodes wrote to their logs.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';

const PAGES = new URL('../../../../docs/operate/', import.meta.url);
const PAGE_PORT = 28_700;
const PORTS = 90;

export function pageOf(name: string): string {
  return readFileSync(new URL(name, PAGES), 'utf8');
}

/** The blocks marked `sh`; those within a list are indented. */
export function blocksOf(text: string): string[] {
  const blocks = [...text.matchAll(/^( *)```sh\n(.*?)^ *```$/gms)];
  assert.ok(blocks.length > 0);
  return blocks.map(([, indent, block]) =>
    (block as string).replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

/** A block with ports of a range in place of those of the pages, which others may use. */
export function withPorts(block: string, basePort: number): string {
  return block.replaceAll(/\b287\d\d\b/g, (port) => String(Number(port) - PAGE_PORT + basePort));
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  const listening = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => resolve(true));
  });
  if (listening) await new Promise((resolve) => server.close(resolve));
  return listening;
}

/** The first of so many free ports below those that the system gives to connections. */
export async function freeRange(): Promise<number> {
  for (let tries = 0; tries < 50; tries++) {
    const base = 10_000 + Math.floor(Math.random() * 2_000) * 10;
    let port = base;
    while (port < base + PORTS && (await isFree(port))) port++;
    if (port === base + PORTS) return base;
  }
  return assert.fail('no free ports');
}

/** The ends of the logs of the nodes below a folder. */
export function logsIn(directory: string): string {
  if (!existsSync(join(directory, 'net'))) return '';
  const folders = readdirSync(join(directory, 'net')).filter((name) =>
    /^(validator-\d|node-\d|moved|anew|standby|joining)$/.test(name),
  );
  const files = folders.map((name) => join(directory, 'net', name, 'node.err'));
  const tails = files.filter((file) => existsSync(file)).map((file) => readFileSync(file, 'utf8'));
  return tails.map((tail) => tail.slice(-2_000)).join('\n---\n');
}
