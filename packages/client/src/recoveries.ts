/**
 * Recovery files as text, of which those that were read last are kept: each has a signature of every member, and a reader
 * makes one light client after the other.
 */
import { SvcError } from 'svc-wasm';
import { type ChainRecovery, parseRecovery, RECOVERIES_MAX } from 'svc-wasm/protocol';

const known = new Map<string, ChainRecovery>();

/** As `parseRecovery`, in the order of their heights. */
export function readRecoveries(texts: readonly string[]): ChainRecovery[] {
  if (texts.length > RECOVERIES_MAX)
    throw new SvcError(
      'out_of_range',
      `at most ${RECOVERIES_MAX} recoveries, found ${texts.length}`,
    );
  return texts.map(readRecovery).sort((a, b) => a.height - b.height);
}

function readRecovery(text: string): ChainRecovery {
  const recovery = known.get(text) ?? parseRecovery(text);
  known.delete(text);
  known.set(text, recovery);
  const [oldest] = known.keys();
  if (known.size > RECOVERIES_MAX && oldest !== undefined) known.delete(oldest);
  return recovery;
}
