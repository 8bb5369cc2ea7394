import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { foreignFunctions } from './foreign-functions.ts';
import { askForHugePages } from './huge-pages.ts';

const WASM_PAGE_BYTES = 65_536;
const LEAST_BYTES = 32 << 20;
/** Whether the kernel knows huge pages at all; how many it has left plays no part here. */
const HAS_HUGE_PAGES = existsSync('/sys/kernel/mm/transparent_hugepage/enabled');

function sharedMemory(bytes: number): ArrayBufferLike {
  const pages = bytes / WASM_PAGE_BYTES;
  return new WebAssembly.Memory({ initial: pages, maximum: pages, shared: true }).buffer;
}

/** The flags that Linux keeps for the mapping in which the middle of a memory is. */
function flagsOf(memory: ArrayBufferLike): readonly string[] {
  const address = foreignFunctions().getRawPointer(new Uint8Array(memory));
  const middle = address + BigInt(memory.byteLength / 2);
  let isInside = false;
  for (const line of readFileSync('/proc/self/smaps', 'utf8').split('\n')) {
    const range = /^([0-9a-f]+)-([0-9a-f]+) /.exec(line);
    if (range !== null)
      isInside = BigInt(`0x${range[1]}`) <= middle && middle < BigInt(`0x${range[2]}`);
    if (isInside && line.startsWith('VmFlags:')) return line.split(/\s+/).slice(1);
  }
  throw new Error('the memory is in no mapping');
}

for (const [name, memoryOf] of Object.entries({
  'of a module': sharedMemory,
  'of an array, which begins anywhere in a page,': (bytes: number) => new Uint8Array(bytes).buffer,
})) {
  test(`memory ${name} is marked for huge pages`, () => {
    const memory = memoryOf(LEAST_BYTES);
    const isAsked = askForHugePages(memory, LEAST_BYTES);
    assert.equal(isAsked, process.platform === 'linux' && HAS_HUGE_PAGES);
    if (isAsked) assert.ok(flagsOf(memory).includes('hg'));
  });

  test(`memory ${name} that is smaller is left as it is`, () => {
    const memory = memoryOf(LEAST_BYTES / 2);
    assert.equal(askForHugePages(memory, LEAST_BYTES), false);
    if (process.platform === 'linux') assert.ok(!flagsOf(memory).includes('hg'));
  });
}
