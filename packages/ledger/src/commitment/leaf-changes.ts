/**
 * Which leaves a cut changes, from its record changes. An output's record holds more than its leaf, but
 * never changes; a position, validator or key is rewritten as a whole.
 */

import { invariant } from '../assertion.ts';
import { principalOf } from '../rules/positions.ts';
import type { Change } from '../view.ts';
import { keyValue, positionValue, recordKey, validatorValue } from './leaf-values.ts';
import type { LeafChange } from './trees.ts';

export function leafChanges(changes: readonly Change[]): LeafChange[] {
  return changes.flatMap((change) => leafChange(change) ?? []);
}

function leafChange(change: Change): LeafChange | undefined {
  switch (change.table) {
    case 'outputs': {
      const { key, before, after } = change;
      const output = after ?? before;
      invariant(output !== undefined, 'a change of nothing');
      invariant(before === undefined || after === undefined, 'an output was changed');
      return { tree: 'outputs', outpoint: key, output, present: after !== undefined };
    }
    case 'positions': {
      const { after } = change;
      const sum = after === undefined ? 0n : principalOf(after);
      const value = after === undefined ? undefined : positionValue(after);
      return { tree: 'positions', key: recordKey(change.key), value, sum };
    }
    case 'validators': {
      const { after } = change;
      const value = after === undefined ? undefined : validatorValue(after);
      return { tree: 'validators', key: recordKey(change.key), value, sum: after?.stake ?? 0n };
    }
    case 'keys': {
      const { after } = change;
      const value = after === undefined ? undefined : keyValue(after);
      return { tree: 'keys', key: recordKey(change.key), value, sum: 0n };
    }
    default:
      return undefined;
  }
}
