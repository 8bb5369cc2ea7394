/**
 * The shares that pools acknowledged, on the miner's own disk: a log for each pool and payout address, compared with the
 * rounds that a pool publishes. A log that is full is renamed; two are kept. Several miners may write to one log.
 */
import { existsSync, mkdirSync, renameSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { LogFile, scanLogFile } from 'svc-base/node';
import { encodeRecord } from 'svc-base/pure';
import type { CountedShare } from '../sources/work-source.ts';

const KIND = 'miner shares';
const FILE_BYTES_MAX = 16 << 20;
const ADDRESS = /^[a-z0-9]{1,90}$/;
const SHARE = /^([0-9]{1,15}) ([0-9]{1,15}) ([1-9][0-9]{0,39})$/;

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
    const payload = Buffer.from(`${jobHeight} ${newestHeight} ${work}`);
    const log = new LogFile(path, { kind: KIND });
    try {
      log.append(encodeRecord({ sequence: 0, synced: 0, payload }));
    } finally {
      log.close();
    }
  }

  /** Oldest first. Torn and corrupt records are skipped. */
  read(poolAddress: string, address: string): CountedShare[] {
    const path = this.#path(poolAddress, address);
    return [`${path}.1`, path]
      .filter((file) => existsSync(file))
      .flatMap((file) => [...scanLogFile(file, KIND)])
      .flatMap((part) => {
        if (part.type !== 'record') return [];
        const text = Buffer.from(part.record.payload).toString('latin1');
        const [, jobHeight, newestHeight, work] = SHARE.exec(text) ?? [];
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
