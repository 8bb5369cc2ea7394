/**
 * `svcd inspect`: what the store of a stopped node holds.
 */
import { CliError, EXIT } from 'svc-base/cli';
import { suggestion } from '../../config/nearest.ts';
import type { CommandOptions } from '../config-options.ts';
import { showDocument } from './show-document.ts';
import type { Wanted } from './store-document.ts';

const KINDS: readonly Wanted['kind'][] = ['cut', 'block', 'transaction'];

export async function inspect(
  kind: string | undefined,
  id: string | undefined,
  options: CommandOptions,
): Promise<void> {
  const wanted = kind === undefined ? null : expectWanted(kind, id);
  const { storeDocument } = await import('./store-document.ts');
  showDocument(await storeDocument(wanted, options), options['json'] === true);
}

function expectWanted(kind: string, id: string | undefined): Wanted {
  const found = KINDS.find((name) => name === kind);
  if (found === undefined) {
    throw new CliError(
      EXIT.usage,
      `expected one of ${KINDS.join(', ')}, found ${kind}${suggestion(kind, KINDS)}`,
    );
  }
  if (id === undefined) throw new CliError(EXIT.usage, `expected the id of a ${kind}`);
  return { kind: found, id };
}
