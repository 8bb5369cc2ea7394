/**
 * Lets the memory that a node has outside the engine's heap grow to three times what is alive of it before everything is
 * collected. The engine otherwise marks and sweeps the whole heap after every 64 MB of buffers that live longer than a
 * moment, and bodies of blocks on their way between sockets, threads and files are such buffers, whether a node catches up
 * or serves others. It concerns the whole process, so that only programs call it.
 */
import { setFlagsFromString } from 'node:v8';

/** How many times what is alive there may be before a collection. */
const GROWTH = 3;
/** The trees of a large state live as long as the node; without this limit they would allow twice as much again. */
const ALIVE_BYTES_MAX = 256 << 20;

/** Where much is alive the engine's setting is kept. Call it again when a store is open. */
export function letOutsideMemoryGrow(alive: number = process.memoryUsage().arrayBuffers): void {
  const no = alive > ALIVE_BYTES_MAX ? 'no-' : '';
  setFlagsFromString(`--${no}external-memory-accounted-in-global-limit`);
  setFlagsFromString(`--external-memory-max-growing-factor=${GROWTH}`);
}
