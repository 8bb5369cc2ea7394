/**
 * Opens the engine of a chain's database with the files of its bodies, and nothing that checks records.
 */
import type { KeyValueStore } from '../key-value/key-value-store.ts';
import { type LevelOptions, LevelStore } from '../key-value/level-store.ts';
import { BodyStore } from './body-store.ts';

export async function openEngine(
  database: string,
  options: LevelOptions = {},
): Promise<KeyValueStore> {
  return await BodyStore.open(await LevelStore.open(database, options), database);
}
