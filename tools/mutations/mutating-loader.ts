/**
 * Loaded before everything else in the processes and threads of a mutated test: replaces the text of one file
 * while Node loads it. No file is changed. What it mutates is in the environment, where child processes find it.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../check/repository.ts';
import { type Mutation, mutated } from './mutation-table.ts';

export const MUTATION_VARIABLE = 'SVC_MUTATION';

export interface MutationOrder {
  readonly mutation: Mutation;
  /** Made when the mutated file has been loaded. */
  readonly appliedPath: string;
}

const order = process.env[MUTATION_VARIABLE];
if (order !== undefined) applyMutation(JSON.parse(order) as MutationOrder);

function applyMutation({ mutation, appliedPath }: MutationOrder): void {
  const wanted = pathToFileURL(join(ROOT, mutation.file)).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== wanted) return loaded;
      const source = mutated(readFileSync(new URL(url), 'utf8'), mutation);
      if (source === undefined) throw new Error(`${mutation.file} has no such text to mutate`);
      writeFileSync(appliedPath, '');
      return { ...loaded, source };
    },
  });
}
