/**
 * Lets the memory that a node has outside the engine's heap grow to three times what is alive of it before everything is
 * collected. The engine otherwise marks and sweeps the whole heap after every 64 MB of buffers that live longer than a
 * moment, and bodies of blocks on their way between sockets, threads and files are such buffers, whether a node catches up
 * or serves others. It concerns the whole process, so that only programs call it.
 */
import { setFlagsFromString } from 'node:v8';

/** How many times what is alive there may be before a collection. */
const GROWTH = 3;

export function letOutsideMemoryGrow(): void {
  setFlagsFromString('--external-memory-accounted-in-global-limit');
  setFlagsFromString(`--external-memory-max-growing-factor=${GROWTH}`);
}
