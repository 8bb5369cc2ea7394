/**
 * The thread that moves pages of a state's log to their places, each time it is told to. Its connection lives as long as one
 * move and changes nothing else.
 */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { type MoveAnswer, type MoveData, MoveTurn } from './move-turn.ts';

/** The connection that writes holds what this one needs for moments only. */
const WAIT_MILLIS_MAX = 5_000;

const { location, memory } = workerData as MoveData;
const turn = new MoveTurn(memory);

function move(): void {
  const database = new DatabaseSync(new URL(location), { timeout: WAIT_MILLIS_MAX });
  try {
    database.exec('PRAGMA synchronous = NORMAL');
    database.prepare('PRAGMA wal_checkpoint(PASSIVE)').get();
  } finally {
    database.close();
  }
}

parentPort?.on('message', () => {
  if (!turn.begin()) return;
  let answer: MoveAnswer = {};
  try {
    move();
  } catch (error) {
    answer = { failure: error instanceof Error ? error.message : String(error) };
  } finally {
    turn.end();
  }
  parentPort?.postMessage(answer);
});
