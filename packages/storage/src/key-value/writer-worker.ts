/**
 * The program of the thread that writes batches of many records for `LevelStore`, in the database that the process has opened.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { type ChainedBatch, ClassicLevel } from 'classic-level';
import { PassingRecords } from '../codec/checksum.ts';
import { TABLES } from '../codec/table-checksums.ts';
import { forEachPacked, type PackedRecords } from './packed-records.ts';
import type { WriterReply, WriterRequest, WriterSettings } from './writer-thread.ts';

type Level = ClassicLevel<Uint8Array, Uint8Array>;
type Batch = ChainedBatch<Level, Uint8Array, Uint8Array>;

const { location } = workerData as WriterSettings;
/** Shared with the process: the engine finds what is open there by the location. */
const level: Level = new ClassicLevel(location, {
  keyEncoding: 'view',
  valueEncoding: 'view',
  createIfMissing: false,
  multithreading: true,
});
const passing = new PassingRecords();

function putAll(batch: Batch, records: PackedRecords): void {
  const { getChecksums } = records;
  forEachPacked(records, (key, value) => {
    if (value === undefined) batch.del(key);
    else if (getChecksums && TABLES[key[0] as number]?.isAdded === true)
      batch.put(key, passing.record(key, value));
    else batch.put(key, value);
  });
}

async function write({ records, others, sync }: NonNullable<WriterRequest>): Promise<void> {
  await level.open();
  const batch = level.batch();
  putAll(batch, records);
  for (const operation of others) {
    if (operation.type === 'put') batch.put(operation.key, operation.value);
    else batch.del(operation.key);
  }
  await batch.write({ sync });
}

async function handle(request: WriterRequest): Promise<void> {
  if (request === null) {
    await level.close();
    parentPort?.close();
    return;
  }
  const failure = await write(request).then(
    () => null,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
  const memory = request.records.bytes.buffer;
  const reply: WriterReply = { failure, memory };
  parentPort?.postMessage(reply, [memory]);
}

parentPort?.on('message', (request: WriterRequest) => void handle(request));
