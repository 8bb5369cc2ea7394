/**
 * The heartbeat of an epoch on disk, so that a node that starts again sends the same one and not a second.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFileSync } from 'svc-base/node';
import type { HeartbeatRecord, HeartbeatStore } from 'svc-validator';
import { Fields, SvcError, toHex } from 'svc-wasm/base';

const FIELDS = ['epoch', 'transaction_id', 'wire_hex'];
const ID_BYTES = 48;

export class HeartbeatFile implements HeartbeatStore {
  readonly #path: string;

  /** The directory exists. */
  constructor(directory: string) {
    this.#path = join(directory, 'heartbeat.json');
  }

  /** What was sent last; a file that cannot be read counts as none, since a repeated heartbeat costs nothing. */
  read(): HeartbeatRecord | undefined {
    try {
      const fields = Fields.parse(readFileSync(this.#path, 'utf8'), '', FIELDS);
      return {
        epoch: Number(fields.decimal('epoch', { max: BigInt(Number.MAX_SAFE_INTEGER) })),
        transactionId: toHex(fields.hex('transaction_id', ID_BYTES)),
        wire: fields.hex('wire_hex'),
      };
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isMissing || error instanceof SvcError) return undefined;
      throw error;
    }
  }

  write({ epoch, transactionId, wire }: HeartbeatRecord): void {
    const document = {
      epoch: String(epoch),
      transaction_id: transactionId,
      wire_hex: toHex(wire),
    };
    replaceFileSync(this.#path, `${JSON.stringify(document)}\n`);
  }
}
