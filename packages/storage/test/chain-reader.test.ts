import { rmSync } from 'node:fs';
import { temporaryDirectory } from 'svc-base/testing';
import { init } from 'svc-wasm';
import { MemoryStore } from '../src/key-value/memory-store.ts';
import type { LedgerStore } from '../src/ledger-store.ts';
import { openStoreOn } from '../src/open/open-store-on.ts';
import { chainReaderCompliance } from '../src/testing/chain-reader-compliance.ts';
import type { ChainScript } from '../src/testing/chain-script.ts';
import { MemoryChainReader } from '../src/testing/memory-chain-reader.ts';
import { ladderScript } from './testing/ladder-chain.ts';
import { ladderOptions, openLadder } from './testing/ladder-store.ts';

const HEIGHT = 110;

async function scriptInMemory(): Promise<ChainScript> {
  await init();
  return ladderScript(await openStoreOn(new MemoryStore(), ladderOptions()), HEIGHT);
}

chainReaderCompliance('in memory', {
  script: scriptInMemory,
  open: async (script) => new MemoryChainReader(script),
});

let directory = '';
let store: LedgerStore | undefined;

chainReaderCompliance('LevelDB', {
  script: scriptInMemory,
  async open({ genesis, commits }) {
    directory = temporaryDirectory();
    store = await openLadder(directory);
    await store.initialize(genesis);
    for (const commit of commits) await store.commit(commit);
    const reader = store.reader();
    return reader;
  },
  async close() {
    await store?.close();
    rmSync(directory, { recursive: true, force: true });
  },
});
