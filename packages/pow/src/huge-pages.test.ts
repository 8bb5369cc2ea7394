import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { foreignFunctions } from 'svc-base/node';
import { askForHugePages } from './huge-pages.ts';

const WASM_PAGE_BYTES = 65_536;
/** Whether the kernel knows huge pages at all; how many it has left plays no part here. */
const HAS_HUGE_PAGES = existsSync('/sys/kernel/mm/transparent_hugepage/enabled');

function sharedMemory(bytes: number): ArrayBufferLike {
  const pages = bytes / WASM_PAGE_BYTES;
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer;
}

/** The flags that Linux keeps for the mapping in which a memory begins. */
function flagsOf(memory: ArrayBufferLike): readonly string[] {
  const address = foreignFunctions().getRawPointer(new Uint8Array(memory));
  let isInside = false;
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    const range = /^([0-9a-f]+)-([0-9a-f]+) /.exec(line);
    if (range !== null)
      isInside = BigInt(`0x${range[1]}`) <= address && address < BigInt(`0x${range[2]}`);
    if (isInside && line.startsWith('VmFlags:')) return line.split(/\s+/).slice(1);
  }
  throw new Error('the memory is in no mapping');
}

test('the memory of a dataset is marked for huge pages', () => {
  const memory = sharedMemory(64 << 20);
  const isAsked = askForHugePages(memory);
  assert.equal(isAsked, process.platform === 'linux' && HAS_HUGE_PAGES);
  if (isAsked) assert.ok(flagsOf(memory).includes('hg'));
});

test('the memory of a development network is left as it is', () => {
  const memory = sharedMemory(16 << 20);
  assert.equal(askForHugePages(memory), false);
  if (process.platform === 'linux') assert.ok(!flagsOf(memory).includes('hg'));
});
