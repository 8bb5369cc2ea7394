/**
 * The client of commands that need a node and no wallet.
 */
import { type Client, createClient } from 'svc-client';
import { checkAnswer } from '../../node/check-answer.ts';
import type { CommandOptions } from '../values.ts';
import { nodePlace } from '../wallet-options.ts';

const ANSWER_SECONDS = 10;

export function nodeClient(options: CommandOptions): Client {
  const { answerSeconds = ANSWER_SECONDS, identity, service } = nodePlace(options);
  return createClient({
    url: service,
    ...(identity === undefined ? {} : { identity }),
    timeoutMillis: 1_000 * answerSeconds,
    retry: { retries: 0 },
    check: checkAnswer,
  });
}
