/**
 * `svcd inspect`: what the store of a stopped node holds.
 */
import { CliError, columns, EXIT, result, resultJson } from 'svc-base/cli';
import { suggestion } from '../../config/nearest.ts';
import { safeText } from '../../log/log-text.ts';
import type { CommandOptions } from '../config-options.ts';
import type { Wanted } from './store-document.ts';

/**
 * Prints a document: as JSON, or as one line for each value.
 */
function showDocument(document: object, json: boolean): void {
  if (json) resultJson(document);
  else result(columns(rowsOf(document, '')));
}

function rowsOf(value: unknown, path: string): string[][] {
  if (Array.isArray(value)) {
    if (value.length === 0) return [[path, 'none']];
    return value.flatMap((item, index) => rowsOf(item, `${path}[${index}]`));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, item]) =>
      rowsOf(item, path === '' ? name : `${path}.${name}`),
    );
  }
  return [[path, scalarText(value)]];
}

function scalarText(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return safeText(value);
    case 'number':
    case 'bigint':
    case 'boolean':
      return value.toString();
    default:
      return 'none';
  }
}

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
