/**
 * The outcome that an operation would have in a cut, found by applying it to changes that are thrown away. A
 * node asks before it admits a transaction. Witnesses, inputs and sums are checked elsewhere.
 */
import { present } from '../assertion.ts';
import { type CutContext, emptyEvents, type LedgerPorts } from '../context.ts';
import { Overlay } from '../overlay.ts';
import { epochOf } from '../parameters.ts';
import { SINGLE_KEY } from '../records.ts';
import type { ExecutableTransaction } from '../transaction.ts';
import type { StateView } from '../view.ts';
import { applyOperation, operationOwner } from './operations.ts';
import type { Refusal } from './refusal.ts';

/** Why the operation of a transaction would be refused at a height; null if it would take effect. */
export function rehearseOperation(
  ports: Pick<LedgerPorts, 'chainId' | 'parameters' | 'hash'>,
  view: StateView,
  height: number,
  transaction: ExecutableTransaction,
): Refusal | null {
  const { operation } = transaction;
  if (operation === null) return null;
  const owner = operationOwner(view, operation);
  if (typeof owner !== 'string') return owner;
  return applyOperation(contextAt(ports, view, height), transaction);
}

function contextAt(
  { chainId, parameters, hash }: Pick<LedgerPorts, 'chainId' | 'parameters' | 'hash'>,
  view: StateView,
  height: number,
): CutContext {
  const state = new Overlay(view);
  return {
    chainId,
    parameters,
    hash,
    signatures: { verify: () => true },
    state,
    height,
    epoch: epochOf(height, parameters.interval),
    economy: { ...present(state.get('economy', SINGLE_KEY), 'economy') },
    get epochRecord() {
      return present(state.get('epoch', SINGLE_KEY), 'epoch');
    },
    payoutCounts: new Map(),
    spent: [],
    events: emptyEvents(),
  };
}
