/**
 * Wires between nodes that each live in a network namespace of their own. Every connection of one node to
 * another passes through this process, which knows both ends and can slow it down, hold it back or cut it. The
 * ends notice nothing of it: addresses stay as they are. Works as a plain user where namespaces are allowed; the
 * process must have been started by `inNamespace`.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { createServer, type Server, type Socket } from 'node:net';
import type { Place } from './place.ts';
import { CLEAR, Pipe, type Weather } from './wire-pipe.ts';

const INSIDE = 'SVC_CLUSTER_INSIDE';
const NODES = '10.78.0';
const OWN = '10.79.0.1';
const TABLE = '200';
const PEER_PORT = 28_700;
const OVERLAY_PORT = 28_704;
const MINING_PORT = 28_702;

/** `open`, `dark` as behind a broken router, `refused` as behind a firewall that says so. */
export type Gate = 'open' | 'dark' | 'refused';
export type GateOf = (from: string, to: string, port: 'peers' | 'overlay') => Gate;

/** Runs this very program again as the root of namespaces of its own, and ends with its code. */
export function inNamespace(): void {
  if (process.env[INSIDE] === '1') return;
  const words = ['-Urnm', process.execPath, ...process.execArgv, ...process.argv.slice(1)];
  const environment = { ...process.env, [INSIDE]: '1' };
  const { status, error } = spawnSync('unshare', words, { stdio: 'inherit', env: environment });
  if (error !== undefined) throw error;
  process.exit(status ?? 1);
}

export class Wires {
  gateOf: GateOf = () => 'open';
  weather: Weather = CLEAR;
  /** Bytes that nodes sent to each other. */
  bytes = 0;
  readonly #names: string[] = [];
  readonly #pipes = new Set<Pipe>();
  readonly #servers: Server[] = [];

  static async open(): Promise<Wires> {
    run('mount', '-t', 'tmpfs', 'cluster', '/run');
    run('mkdir', '/run/netns');
    run('ip', 'link', 'set', 'lo', 'up');
    run('ip', 'addr', 'add', `${OWN}/32`, 'dev', 'lo');
    run('ip', 'rule', 'add', 'pref', '100', 'lookup', 'local');
    // What leaves this process goes to the node; what comes from a node for another ends here.
    run('ip', 'rule', 'add', 'pref', '50', 'iif', 'lo', 'to', `${NODES}.0/24`, 'lookup', TABLE);
    run('ip', 'rule', 'del', 'pref', '0');
    run('ip', 'route', 'add', 'local', `${NODES}.0/24`, 'dev', 'lo', 'table', 'local');
    const wires = new Wires();
    for (const port of [PEER_PORT, OVERLAY_PORT]) await wires.#listen(port);
    return wires;
  }

  private constructor() {}

  /** A namespace for a node, with a wire to it. */
  readonly placeOf = async (name: string): Promise<Place> => {
    const number = this.#names.push(name);
    const [near, far, space] = [`v${number}`, `e${number}`, `n${number}`];
    const host = `${NODES}.${number}`;
    const prefix = ['nsenter', `--net=/run/netns/${space}`];
    run('ip', 'netns', 'add', space);
    run('ip', 'link', 'add', near, 'type', 'veth', 'peer', 'name', far);
    run('ip', 'link', 'set', far, 'netns', space);
    run('ip', 'link', 'set', near, 'up');
    run('ip', 'route', 'add', `${host}/32`, 'dev', near, 'table', TABLE);
    for (const words of [
      ['link', 'set', 'lo', 'up'],
      ['addr', 'add', `${host}/32`, 'dev', far],
      ['link', 'set', far, 'up'],
      ['route', 'add', 'default', 'dev', far],
    ])
      run(...prefix, 'ip', ...words);
    for (const setting of ['proxy_arp=1', 'rp_filter=0', 'accept_local=1'])
      run('sysctl', '-qw', `net.ipv4.conf.${near}.${setting}`);
    return {
      host,
      peerPort: PEER_PORT,
      overlayPort: OVERLAY_PORT,
      miningPort: MINING_PORT,
      prefix,
    };
  };

  /** Makes connections that exist already follow what `gateOf` says now. */
  apply(): void {
    for (const pipe of this.#pipes) this.#applyTo(pipe);
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const pipe of this.#pipes) pipe.destroy();
  }

  #listen(port: number): Promise<void> {
    const server = createServer({ noDelay: true, pauseOnConnect: true }, (socket) =>
      this.#accept(socket),
    );
    this.#servers.push(server);
    return new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '0.0.0.0', resolve);
    });
  }

  #accept(socket: Socket): void {
    const { remoteAddress = '', localAddress = '', localPort = 0 } = socket;
    const ends = { from: remoteAddress, to: localAddress, port: localPort };
    const pipe = new Pipe(socket, ends, {
      weather: () => this.weather,
      counted: (bytes) => {
        this.bytes += bytes;
      },
      onClose: () => this.#pipes.delete(pipe),
    });
    this.#pipes.add(pipe);
    this.#applyTo(pipe);
  }

  #applyTo(pipe: Pipe): void {
    const { from, to, port } = pipe.ends;
    const kind = port === OVERLAY_PORT ? 'overlay' : 'peers';
    switch (this.gateOf(this.#nameOf(from), this.#nameOf(to), kind)) {
      case 'open':
        pipe.open();
        break;
      case 'dark':
        pipe.hold();
        break;
      case 'refused':
        pipe.destroy();
    }
  }

  #nameOf(address: string): string {
    return this.#names[Number(address.split('.').at(-1)) - 1] ?? address;
  }
}

function run(...[command = '', ...words]: readonly string[]): void {
  execFileSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] });
}
