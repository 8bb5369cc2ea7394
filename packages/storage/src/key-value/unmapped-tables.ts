/**
 * Tells the engine to read its tables instead of mapping them into memory. Reading past the end of a mapped file that
 * became shorter, or a sector of it that the disk cannot read, ends the process with SIGBUS; a read fails with words. The
 * binding has no option for it, but exports the function with which the engine's own tests set it. It counts for the whole
 * process and has to come before the first database is opened: later the engine would end the process.
 */
import { createRequire } from 'node:module';
import { isMainThread } from 'node:worker_threads';
import { foreignFunctions } from 'svc-base/node';

/** `leveldb::EnvPosixTestHelper::SetReadOnlyMMapLimit(int)`. */
const SET_LIMIT = '_ZN7leveldb18EnvPosixTestHelper20SetReadOnlyMMapLimitEi';
const SIGNATURES = { [SET_LIMIT]: { arguments: ['int32'], return: 'void' } } as const;
const BINDING = /classic[-_]level[^/\\]*\.node$/;

/** False where tables stay mapped: this Node has no foreign functions, or this system another engine. */
export function limitMappings(): boolean {
  const { cache } = createRequire(import.meta.url);
  const binding = Object.keys(cache).find((path) => BINDING.test(path));
  if (binding === undefined || !isMainThread) return false;
  try {
    const { functions } = foreignFunctions().dlopen(binding, SIGNATURES);
    functions[SET_LIMIT](0);
    return true;
  } catch {
    return false;
  }
}
