/**
 * The heartbeat of an epoch on disk, so that a node that starts again sends the same one and not a second.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { replaceFileSync } from 'svc-base/node';
import type { HeartbeatRecord, HeartbeatStore } from 'svc-consensus/shell';
import { Fields, SvcError, toHex } from 'svc-wasm/base';

const FIELDS = ['epoch', 'transaction_id', 'wire_hex', 'sum'];
const ID_BYTES = 48;
const SUM_CHARACTERS_MAX = 8;

export class HeartbeatFile implements HeartbeatStore {
  readonly #path: string;

  /** The directory exists. */
  constructor(directory: string) {
    this.#path = join(directory, 'heartbeat.json');
  }

  /** What was sent last; a file that cannot be read, or is not what was written, counts as none, since a repeated heartbeat costs nothing. */
  read(): HeartbeatRecord | undefined {
    try {
      const fields = Fields.parse(readFileSync(this.#path, 'utf8'), '', FIELDS);
      const record = {
        epoch: Number(fields.decimal('epoch', { max: BigInt(Number.MAX_SAFE_INTEGER) })),
        transactionId: toHex(fields.hex('transaction_id', ID_BYTES)),
        wire: fields.hex('wire_hex'),
      };
      return fields.string('sum', SUM_CHARACTERS_MAX) === sumOf(record) ? record : undefined;
    } catch (error) {
      const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
      if (isMissing || error instanceof SvcError) return undefined;
      throw error;
    }
  }

  write(record: HeartbeatRecord): void {
    const { epoch, transactionId, wire } = record;
    const document = {
      epoch: String(epoch),
      transaction_id: transactionId,
      wire_hex: toHex(wire),
      sum: sumOf(record),
    };
    replaceFileSync(this.#path, `${JSON.stringify(document)}\n`);
  }
}

function sumOf({ epoch, transactionId, wire }: HeartbeatRecord): string {
  return crc32(wire, crc32(`${epoch} ${transactionId}`)).toString(16);
}
