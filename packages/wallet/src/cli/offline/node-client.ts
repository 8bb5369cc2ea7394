/**
 * The client of commands that need a node and no wallet.
 */
import { type Client, createClient } from 'svc-client';
import { checkAnswer } from '../../node/check-answer.ts';
import type { CommandOptions } from '../values.ts';
import { nodePlace } from '../wallet-options.ts';

const TIMEOUT_MILLIS = 10_000;

export function nodeClient(options: CommandOptions): Client {
  const { identity, service } = nodePlace(options);
  return createClient({
    url: service,
    ...(identity === undefined ? {} : { identity }),
    timeoutMillis: TIMEOUT_MILLIS,
    retry: { retries: 0 },
    check: checkAnswer,
  });
}
