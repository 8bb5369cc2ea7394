/**
 * A real PostgreSQL server for tests, where the machine has its programs: a cluster in a directory of its own, on a
 * socket there, that ends with the tests. The server refuses to run for root, so it runs for another user then.
 */
import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory, until } from 'svc-base/testing';

const PLACES = '/usr/lib/postgresql';

export interface PostgresServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** The folder of the server's programs; undefined where there is none. */
export function postgresPrograms(): string | undefined {
  if (!existsSync(PLACES)) return undefined;
  const folders = readdirSync(PLACES).map((version) => join(PLACES, version, 'bin'));
  return folders.findLast((folder) => existsSync(join(folder, 'postgres')));
}

export async function startPostgres(programs: string): Promise<PostgresServer> {
  const directory = join(temporaryDirectory(), 'postgres');
  mkdirSync(directory, { mode: 0o700 });
  chmodSync(join(directory, '..'), 0o755);
  const user = process.getuid?.() === 0 ? ownerOfPostgres() : undefined;
  if (user !== undefined) chownSync(directory, user.uid, user.gid);
  const as = user ?? {};
  const data = join(directory, 'data');
  const cluster = ['-D', data, '-U', 'pool', '-A', 'trust', '-N', '--no-locale', '-E', 'UTF8'];
  execFileSync(join(programs, 'initdb'), cluster, { ...as, stdio: 'ignore', cwd: directory });
  // No port: the socket is in the directory, where no other program looks for it.
  const settings = ['-c', 'listen_addresses=', '-c', `unix_socket_directories=${directory}`];
  const words = ['-D', data, ...settings, '-c', 'fsync=off'];
  const child = spawn(join(programs, 'postgres'), words, {
    ...as,
    stdio: 'ignore',
    cwd: directory,
  });
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const isReady = ['-h', directory];
  await until(() => {
    try {
      execFileSync(join(programs, 'pg_isready'), isReady, { stdio: 'ignore' });
      return true;
    } catch {
      if (child.exitCode !== null) throw new Error('PostgreSQL did not start');
      return false;
    }
  }, 'PostgreSQL is ready');
  return {
    url: `postgresql://pool@localhost/postgres?host=${encodeURIComponent(directory)}`,
    stop: async () => {
      child.kill('SIGQUIT');
      await closed;
    },
  };
}

function ownerOfPostgres(): { readonly uid: number; readonly gid: number } {
  const id = (flag: string) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}
