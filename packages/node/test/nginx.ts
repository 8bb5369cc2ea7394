/**
 * A real nginx for tests, where the machine has one: a process of its own that ends with the tests, with the
 * configuration that the page on proxies shows.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { selfSigned } from 'svc-base/node';
import { temporaryDirectory, until } from 'svc-base/testing';

const PAGE = new URL('../../../docs/operate/proxy.md', import.meta.url);
const PLACES = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/usr/bin/nginx'];
/** Somebody else may take a free port before nginx does. */
const TRIES_MAX = 5;

export interface Nginx {
  readonly port: number;
  /** PEM. */
  readonly certificate: string;
  stop(): Promise<void>;
}

/** Undefined where it is not installed. */
export function nginxProgram(): string | undefined {
  return PLACES.find((path) => existsSync(path));
}

/** Passes requests on to a node at a port of this machine. */
export async function startNginx(program: string, nodePort: number): Promise<Nginx> {
  const directory = temporaryDirectory();
  const { cert, key } = selfSigned('node.example');
  writeFileSync(join(directory, 'fullchain.pem'), cert);
  writeFileSync(join(directory, 'privkey.pem'), key);
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const port = await freePort();
    writeFileSync(join(directory, 'nginx.conf'), configuration(directory, port, nodePort));
    const words = ['-p', directory, '-c', 'nginx.conf', '-e', 'error.log'];
    const child = spawn(program, words, { stdio: 'ignore' });
    if (await isServing(child, port))
      return { port, certificate: cert, stop: () => stopped(child) };
  }
  return assert.fail(readFileSync(join(directory, 'error.log'), 'utf8'));
}

/** The block of the page, with ports and files of the test, in what a package of nginx has around it. */
function configuration(directory: string, port: number, nodePort: number): string {
  const [, block] = /^```nginx\n(.*?)^```$/ms.exec(readFileSync(PAGE, 'utf8')) ?? [];
  assert.ok(block !== undefined);
  const own = block
    .replace('listen 443 ssl', `listen 127.0.0.1:${port} ssl`)
    .replace('127.0.0.1:28701', `127.0.0.1:${nodePort}`)
    .replaceAll('/etc/letsencrypt/live/node.example', directory);
  const folders = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${name};`,
  );
  return `daemon off;
master_process off;
pid nginx.pid;
events {}
http {
access_log off;
${folders.join('\n')}
${own}
}
`;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** False if the process has ended, because it found the port taken. */
async function isServing(child: ChildProcess, port: number): Promise<boolean> {
  let isOpen = false;
  await until(async () => {
    if (child.exitCode !== null) return true;
    isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1', () => resolve(true));
      socket.once('error', () => resolve(false)).once('connect', () => socket.destroy());
    });
    return isOpen;
  }, 'nginx to listen');
  return isOpen && child.exitCode === null;
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}
