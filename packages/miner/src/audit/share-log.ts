/**
 * The shares that pools acknowledged, on the miner's own disk: a line for each, a file for each pool and payout
 * address. Published rounds are compared with them. A full file makes room for the next; two are kept.
 */
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { CountedShare } from '../sources/work-source.ts';

const FILE_BYTES_MAX = 16 << 20;
const ADDRESS = /^[a-z0-9]{1,90}$/;
const LINE = /^([0-9]{1,15}) ([0-9]{1,15}) ([1-9][0-9]{0,39})$/;

/** `~/.local/state/svc/shares`, unless the system says where state is kept. */
export function userSharesFolder(): string {
  const state = process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state');
  return join(state, 'svc', 'shares');
}

export class ShareLog {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  append(address: string, { poolAddress, jobHeight, newestHeight, work }: CountedShare): void {
    const path = this.#path(poolAddress, address);
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    if (existsSync(path) && statSync(path).size > FILE_BYTES_MAX) renameSync(path, `${path}.1`);
    appendFileSync(path, `${jobHeight} ${newestHeight} ${work}\n`, { mode: 0o600 });
  }

  /** Oldest first. A line that was cut off by a crash is passed over. */
  read(poolAddress: string, address: string): CountedShare[] {
    const path = this.#path(poolAddress, address);
    const files = [`${path}.1`, path].filter((file) => existsSync(file));
    return files
      .flatMap((file) => readFileSync(file, 'latin1').split('\n'))
      .flatMap((line) => {
        const [, jobHeight, newestHeight, work] = LINE.exec(line) ?? [];
        if (jobHeight === undefined || newestHeight === undefined || work === undefined) return [];
        return [
          {
            poolAddress,
            jobHeight: Number(jobHeight),
            newestHeight: Number(newestHeight),
            work: BigInt(work),
          },
        ];
      });
  }

  #path(poolAddress: string, address: string): string {
    if (!ADDRESS.test(poolAddress) || !ADDRESS.test(address))
      throw new Error('a pool and a miner are known by their addresses');
    // Both addresses are long: their ends distinguish them.
    return join(this.#folder, `${poolAddress.slice(-32)}-${address.slice(-32)}.shares`);
  }
}
