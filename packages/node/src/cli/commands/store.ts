/** `svcd inspect`, `svcd repair` and `svcd reindex`, which work on the store of a node that does not run; and `svcd snapshot`. */
import type { Command } from 'commander';
import { addConfigOptions, type CommandOptions, STORE_SETTINGS } from '../config-options.ts';

export function addStoreCommands(program: Command): void {
  addInspect(program);
  addRepair(program);
  addReindex(program);
  addSnapshot(program);
}

function addInspect(program: Command): void {
  const command = program
    .command('inspect')
    .summary('look into the store of a node that does not run')
    .description(
      'Shows how far the store is, what it keeps and how large it is; or one thing in it.',
    )
    .argument('[kind]', 'cut, block or transaction')
    .argument('[id]', 'its id; for a cut also its height')
    .option('--json', 'print it as JSON');
  addConfigOptions(command, STORE_SETTINGS).action(
    async (kind: string | undefined, id: string | undefined, options: CommandOptions) => {
      const { inspect } = await import('../store/inspect.ts');
      await inspect(kind, id, options);
    },
  );
}

function addRepair(program: Command): void {
  const command = program
    .command('repair')
    .summary('mend a damaged store with what peers have')
    .description(
      'Reads every file and record. If something is damaged it builds a store of what is sound, turns single bits back, fetches headers, bodies and blocks from peers and proves them, makes tables anew that follow from others, executes the cuts of an archive again if it must, and puts the result in the place of the damaged store.',
    )
    .option('--keep-old', 'keep the damaged store beside the new one');
  const settings = [...STORE_SETTINGS, 'storage.mode', 'peers.bootstrap'] as const;
  addConfigOptions(command, settings).action(async (options: CommandOptions) => {
    const { repair } = await import('../store/repair.ts');
    await repair(options);
  });
}

function addReindex(program: Command): void {
  const command = program
    .command('reindex')
    .summary('build the store anew from its own blocks')
    .description(
      'Executes every cut of an archive again, holds every root against its header, and puts the new store in the place of the old one.',
    )
    .option('--keep-old', 'keep the old store beside the new one');
  addConfigOptions(command, STORE_SETTINGS).action(async (options: CommandOptions) => {
    const { reindexStore } = await import('../store/reindex-store.ts');
    await reindexStore(options);
  });
}

function addSnapshot(program: Command): void {
  const snapshot = program
    .command('snapshot')
    .summary('write the state to a file, or start from one')
    .description(
      'Writes the state of the head to a file, or fills an empty data directory from one.',
    );
  const made = snapshot
    .command('export <file>')
    .summary('write the state of the head to a file')
    .description(
      'Writes the state of the newest cut to a file, whether the node of the data directory runs or not, and prints the id of the cut.',
    );
  addConfigOptions(made, STORE_SETTINGS).action(async (file: string, options: CommandOptions) => {
    const { exportToFile } = await import('../store/snapshot-export.ts');
    await exportToFile(file, options);
  });
  const taken = snapshot
    .command('import <file>')
    .summary('start from the state in a file')
    .description(
      'Fills an empty data directory from a snapshot. The cut it claims to be of must be named, as it was read from a source you trust.',
    )
    .requiredOption('--trust-cut <id>', 'the id of the cut, from a node or person you trust');
  addConfigOptions(taken, [...STORE_SETTINGS, 'storage.mode']).action(
    async (file: string, options: CommandOptions) => {
      const { importFromFile } = await import('../store/snapshot-import.ts');
      await importFromFile(file, options);
    },
  );
}
