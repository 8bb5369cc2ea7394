/**
 * A directory with everything that a node and a wallet keep, made by the classes that keep it, and a reader of all of
 * it: what rot does to answers is seen by reading twice.
 */
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LogFile } from 'svc-base/node';
import { type Log, LogWriter, readLog, SILENT_LOG } from 'svc-base/pure';
import { SYSTEM_CLOCK } from 'svc-base/system-clock';
import { decodeSignState, encodeSignState, height } from 'svc-consensus/machine';
import type { Genesis } from 'svc-ledger';
import {
  CHAIN_CONTENTS,
  LAYOUT,
  type LedgerStore,
  type StoreOptions,
  scrubBodies,
  scrubTables,
} from 'svc-storage';
import { planState, StateFiles, writeState } from 'svc-storage/ranges';
import { fromHex } from 'svc-wasm/base';
import { FileSignState } from '../../../consensus/src/signer/file-sign-state.ts';
import { expectSoundBucket } from '../../../storage/src/tree/bucket.ts';
import { BlockStore, openBlockDatabase } from '../../src/blocks/block-store.ts';
import { ChainCore } from '../../src/chain/chain-core.ts';
import { DirectoryDisk } from '../../src/chain/chain-disk.ts';
import { keepGenesis, readGenesisFile } from '../../src/config/genesis-file.ts';
import { Journal } from '../../src/mempool/journal.ts';
import { ChainFixture } from '../../src/testing/chain-fixture.ts';
import { cutToInstall } from '../../src/testing/cut-to-install.ts';
import { HeartbeatFile } from '../../src/validator/validator-disk.ts';
import { makeKeys, makePeers, readKeys, readPeers } from './node-files.ts';
import type { Add, Tell } from './reading.ts';
import { makeKilledWallet, makeWallet, readKilledWallet, readWallet } from './wallet-directory.ts';

const CUTS = 12;
const EVERYTHING = { from: new Uint8Array(0), to: new Uint8Array(60).fill(0xff) };

/** The entries that a part answers with, and what it told about itself. */
export interface Reading {
  readonly entries: ReadonlySet<string>;
  readonly told: readonly string[];
}

/** Logs what changes the trees, small as they are, and never replaces the log. */
class LoggingDisk extends DirectoryDisk {
  override openStore(options: StoreOptions): Promise<LedgerStore> {
    const treeFilesPace = {
      tableBytesMin: 0,
      logBytesMin: 1 << 30,
      pieceBytes: 1 << 20,
      pauseMillis: 1,
    };
    const logging = { ...options, treeFilesPace };
    return super.openStore(logging);
  }
}

function openChain(
  directory: string,
  genesis: Genesis,
  disk = new DirectoryDisk(join(directory, 'chain'), 1 << 20),
): Promise<ChainCore> {
  return ChainCore.open({
    disk,
    directory: join(directory, 'chain'),
    genesis,
    mode: 'archive',
    clock: { ...SYSTEM_CLOCK, after: () => () => {} },
    log: SILENT_LOG,
    onFatal: () => {},
  });
}

export async function makeNodeDirectory(directory: string): Promise<void> {
  const fixture = await ChainFixture.create({ validators: 4 });
  for (let account = 0; fixture.head.height < CUTS; account = (account + 1) % 5) {
    const wire = await fixture.pay(account, fixture.address(7), 5_000n);
    await fixture.cut([fixture.mine([wire])]);
  }
  keepGenesis(directory, { genesis: fixture.genesis, chainId: fixture.chainId });
  for (const upTo of [CUTS - 4, CUTS - 2, CUTS]) {
    const disk = new LoggingDisk(join(directory, 'chain'));
    const chain = await openChain(directory, fixture.genesis, disk);
    while (chain.head.height < upTo)
      await chain.install(await cutToInstall(fixture, chain.head.height + 1));
    if (upTo === CUTS)
      await writeState(planState(chain.store), join(directory, 'states', String(CUTS)), nextTurn);
    await chain.close();
  }
  await makePools(directory, fixture);
  makeValidator(directory);
  await makeKeys(directory);
  await makePeers(directory);
  await makeWallet(directory);
  makeKilledWallet(directory);
  await fixture.close();
}

async function makePools(directory: string, fixture: ChainFixture): Promise<void> {
  const journal = await Journal.open(join(directory, 'mempool'));
  for (let name = 0; name < 30; name++) {
    const key = Buffer.alloc(58, name);
    await journal.write([{ type: 'put', key, value: Buffer.alloc(700, name) }], { sync: false });
  }
  await journal.close();
  for (const name of ['blocks', 'blocks', 'proposals', 'proposals']) {
    const database = await openBlockDatabase(join(directory, name), SILENT_LOG);
    const store = new BlockStore(database, () => {});
    for (let at = 0; at < 4; at++) {
      const { bytes } = fixture.mine([]);
      await store.put({ ...bytes, receivedAtMillis: at });
    }
    await store.close();
  }
}

function makeValidator(directory: string): void {
  const folder = join(directory, 'validator');
  mkdirSync(folder, { recursive: true });
  const state = new FileSignState(folder);
  const keyId = new Uint8Array(48).fill(3);
  const record = { keyId, silentThrough: height(4), stopped: false, last: undefined };
  state.writeTemporary(encodeSignState(record));
  state.syncTemporary();
  state.renameTemporary();
  const log = new LogFile(join(folder, 'log'), { kind: 'validator log' });
  const writer = new LogWriter(log);
  for (let at = 0; at < 10; at++) {
    writer.append(Buffer.alloc(200, at));
    writer.sync();
  }
  log.close();
  const transactionId = '0b'.repeat(48);
  new HeartbeatFile(folder).write({ epoch: 3, transactionId, wire: new Uint8Array(600).fill(9) });
}

/** The parts of the directory, by the folder or file that they begin with. */
const PARTS: Readonly<Record<string, (directory: string, add: Add, tell: Tell) => Promise<void>>> =
  {
    chain: readChain,
    blocks: (directory, add, tell) => readBlocks(join(directory, 'blocks'), add, tell),
    proposals: (directory, add, tell) => readBlocks(join(directory, 'proposals'), add, tell),
    states: readStates,
    mempool: readMempool,
    validator: readValidator,
    identity: readKeys,
    network: readPeers,
    wallet: readWallet,
    killed: readKilledWallet,
  };

/** The part that a file belongs to. */
export function partOf(file: string): string {
  return file === 'genesis.json' ? 'chain' : (/^[a-z]+/.exec(file)?.[0] ?? file);
}

/** Everything that the directory answers, part by part. Errors are told, not thrown. */
export async function readNodeDirectory(
  directory: string,
  names: readonly string[] = Object.keys(PARTS),
): Promise<Map<string, Reading>> {
  const readings = new Map<string, Reading>();
  for (const [name, read] of Object.entries(PARTS)) {
    if (!names.includes(name)) continue;
    const entries = new Set<string>();
    const told: string[] = [];
    const add: Add = (...parts) => {
      const hash = createHash('sha256');
      for (const part of parts) hash.update(part).update('|');
      entries.add(hash.digest('hex'));
    };
    try {
      await read(directory, add, (words) => void told.push(words));
    } catch (error) {
      told.push(error instanceof Error ? `${error.name}: ${error.message}` : String(error));
    }
    readings.set(name, { entries, told });
  }
  return readings;
}

async function readChain(directory: string, add: Add, tell: Tell): Promise<void> {
  const { genesis } = readGenesisFile(join(directory, 'genesis.json'));
  const chain = await openChain(directory, genesis);
  try {
    for await (const entries of chain.store.keyValues.scan(EVERYTHING))
      for (const [key, value] of entries) {
        // Nobody is shown a bucket but through the trees, which check it when they read it.
        if (key[0] === LAYOUT.buckets.prefix) expectSoundBucket(value);
        add(key, value);
      }
    add(JSON.stringify(chain.head), String(chain.next.height));
    for (let at = 1; at <= CUTS; at++) add('set', chain.setAt(at)?.id ?? 'none');
  } finally {
    await chain.close();
  }
  try {
    const database = join(directory, 'chain', 'db');
    await scrubTables(database, {
      contents: CHAIN_CONTENTS,
      pieceBytes: 1 << 20,
      pause: async () => true,
    });
    await scrubBodies(database, { pieceBytes: 1 << 20, pause: async () => true });
  } catch (error) {
    tell(`scrub: ${(error as Error).message}`);
  }
}

async function readBlocks(directory: string, add: Add, tell: Tell): Promise<void> {
  const tellFacts = (facts: object) => tell(JSON.stringify(facts));
  const log: Log = { ...SILENT_LOG, error: tellFacts, warn: tellFacts };
  const store = new BlockStore(await openBlockDatabase(directory, log), () => {});
  for await (const [id, block] of store.load()) {
    if (block === null) tell(`block ${id}`);
    else add(fromHex(id), block.header, block.body, String(block.receivedAtMillis));
  }
  await store.close();
}

/** As a node offers it to newcomers. */
async function readStates(directory: string, add: Add, tell: Tell): Promise<void> {
  const folder = join(directory, 'states', String(CUTS));
  const files = await StateFiles.open(folder);
  if (files === undefined) throw new Error(`the files of ${folder} are gone`);
  add(files.id, String(files.manifest.height));
  for (const index of files.manifest.ranges.keys()) {
    const range = await files.range(index);
    if (range === undefined) tell(`range ${index} of the file ranges is not there`);
    else add(range);
  }
  await files.close();
}

async function readMempool(directory: string, add: Add, tell: Tell): Promise<void> {
  const onRot = (facts: object) => tell(JSON.stringify(facts));
  const journal = await Journal.open(join(directory, 'mempool'), { onRot, onCutOff: onRot });
  for await (const entries of journal.scan(EVERYTHING))
    for (const [key, value] of entries) add(key, value);
  await journal.close();
}

async function readValidator(directory: string, add: Add, tell: Tell): Promise<void> {
  const folder = join(directory, 'validator');
  const state = decodeSignState(new FileSignState(folder).read() ?? new Uint8Array(0));
  if (state === undefined) tell('the file sign-state is damaged');
  else add(state.keyId, String(state.silentThrough), String(state.stopped));
  const heartbeat = new HeartbeatFile(folder).read();
  if (heartbeat === undefined) tell('the file heartbeat.json counts as none');
  else add(String(heartbeat.epoch), heartbeat.transactionId, heartbeat.wire);
  const log = new LogFile(join(folder, 'log'), { kind: 'validator log' });
  const reading = readLog(log.read());
  log.close();
  if (reading.type === 'refused') tell(`the file log is refused: ${reading.reason}`);
  else {
    for (const { sequence, payload } of reading.records) add(String(sequence), payload);
    if (reading.droppedBytes > 0)
      tell(`the end of the file log is cut off at ${reading.intactBytes}`);
  }
}
