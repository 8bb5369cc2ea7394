/**
 * Prints a document: as JSON, or as one line for each value.
 */
import { columns, result, resultJson } from 'svc-base/cli';
import { safeText } from '../../log/log-text.ts';

export function showDocument(document: object, json: boolean): void {
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
