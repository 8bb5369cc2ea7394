/**
 * What one cut does to the state: a pure function of the view, the ports and the cut. The order of the
 * steps is part of the protocol. The cut must have passed `checkCut`.
 */
import { invariant, present } from './assertion.ts';
import { changesRoot, outcomeRoot } from './commitment/cut-lists.ts';
import { leafChanges } from './commitment/leaf-changes.ts';
import { stateRoot } from './commitment/state-root.ts';
import { totalsRoot } from './commitment/totals.ts';
import type { LeafChange, TreeRoots, VouchedCut } from './commitment/trees.ts';
import { type CutContext, emptyEvents, type LedgerPorts } from './context.ts';
import type { CutInput, CutResult } from './cut.ts';
import type { Identifier } from './identifiers.ts';
import { Overlay } from './overlay.ts';
import { epochOf, epochStart } from './parameters.ts';
import { SINGLE_KEY } from './records.ts';
import { creditSigners } from './rules/attendance.ts';
import { appendParent } from './rules/cut-history.ts';
import { nextWorkTarget } from './rules/difficulty.ts';
import { subsidyOf } from './rules/emission.ts';
import { endEpoch } from './rules/end-epoch.ts';
import { punishEquivocations } from './rules/equivocation.ts';
import { blocksToExecute, executeBlocks } from './rules/execute-blocks.ts';
import { halvesOf } from './rules/halves.ts';
import { keepPace } from './rules/pace.ts';
import { recoverCommittee, recoveryAfter } from './rules/recovery.ts';
import { registerBlocks } from './rules/registration.ts';
import { releaseSlashable } from './rules/slashable.ts';
import { forgetSpent, rememberSpent } from './rules/spent-memory.ts';
import { payStake } from './rules/stake-payout.ts';
import { collectStakeHalf } from './rules/stake-pool.ts';
import { assertTreeSums, assertValueEquation } from './rules/value-equation.ts';
import { closeAnchor, openAnchor } from './rules/work-reward.ts';
import type { StateView } from './view.ts';

/** With a vouched state root the trees are not touched: the caller that vouches keeps them. */
export function applyCut(
  ports: LedgerPorts,
  view: StateView,
  input: CutInput,
  vouched?: VouchedCut,
): CutResult {
  const context = contextOf(ports, view, input);
  const { validatorSetId } = context.epochRecord;
  const registeredBefore = blocksToExecute(view, input.height).length;
  keepPace(context, input.timeMillis);
  context.economy.height = input.height;
  const historyRoot = appendParent(context, input.parentCutId);
  creditSigners(context, input.previousSigners);
  releaseSlashable(context);
  punishEquivocations(context, input.evidence);
  forgetSpent(context);
  executeBlocks(context, input.executed);
  closeAnchor(context);
  payStake(context);
  accrueSubsidy(context);
  context.economy.workTarget = nextWorkTarget(
    ports.parameters,
    context.economy.workTarget,
    registeredBefore,
  );
  endEpoch(context);
  registerBlocks(context, input.registered);
  rememberSpent(context);
  return { ...finish(ports, context, validatorSetId, vouched), historyRoot };
}

function contextOf(ports: LedgerPorts, view: StateView, input: CutInput): CutContext {
  const state = new Overlay(view);
  const economy = present(state.get('economy', SINGLE_KEY), 'economy');
  const events = emptyEvents();
  const recovery = recoveryAfter(ports.parameters, economy.height);
  if (recovery !== undefined) events.validators.push(...recoverCommittee(ports, state, recovery));
  const epochRecord = present(state.get('epoch', SINGLE_KEY), 'epoch');
  const epoch = epochOf(input.height, ports.parameters.interval);
  invariant(input.height === economy.height + 1, `cut ${input.height} after ${economy.height}`);
  invariant(epochRecord.epoch === epoch, `epoch ${epochRecord.epoch} at height ${input.height}`);
  const { chainId, parameters, hash, signatures } = ports;
  return {
    chainId,
    parameters,
    hash,
    signatures,
    state,
    height: input.height,
    epoch,
    economy: { ...economy },
    epochRecord,
    payoutCounts: new Map(),
    spent: [],
    events,
  };
}

function accrueSubsidy(context: CutContext): void {
  const { economy, height, epoch } = context;
  const { interval } = context.parameters;
  const index = height - epochStart(epoch, interval);
  const subsidy = subsidyOf(economy.emission.intervalAmount, index, interval);
  const { work, stake } = halvesOf(subsidy);
  economy.minted += subsidy;
  openAnchor(context, work);
  collectStakeHalf(context, stake);
}

function finish(
  ports: LedgerPorts,
  context: CutContext,
  validatorSetId: Identifier,
  vouched: VouchedCut | undefined,
): Omit<CutResult, 'historyRoot'> {
  const { state, economy, epochRecord, events } = context;
  assertValueEquation(economy);
  state.put('epoch', SINGLE_KEY, epochRecord);
  state.put('economy', SINGLE_KEY, economy);
  const changes = state.changes();
  const totals = totalsRoot(ports.hash, state, economy, epochRecord);
  const rootOf = (roots: TreeRoots): Identifier => {
    assertTreeSums(economy, roots);
    return stateRoot(ports.hash, roots, totals);
  };
  return {
    height: context.height,
    changes,
    events,
    ...commitmentOf(ports, context.height, leafChanges(changes), rootOf, vouched),
    outcomeRoot: outcomeRoot(ports.listRoot, events.outcomes),
    changesRoot: changesRoot(ports.listRoot, events.history),
    workTarget: economy.workTarget,
    validatorSetId,
    nextValidatorSetId: epochRecord.validatorSetId,
  };
}

type Commitment = Pick<CutResult, 'trees' | 'stateRoot'>;

function commitmentOf(
  { commitments }: LedgerPorts,
  height: number,
  changes: readonly LeafChange[],
  rootOf: (roots: TreeRoots) => Identifier,
  vouched: VouchedCut | undefined,
): Commitment {
  if (vouched === undefined) {
    const trees = commitments.stage(changes);
    return { trees, stateRoot: rootOf(trees.roots) };
  }
  const { stateRoot } = vouched;
  const check = (roots: TreeRoots): void => {
    const found = rootOf(roots);
    invariant(found === stateRoot, `cut ${height} leads to state ${found}, not ${stateRoot}`);
  };
  return { trees: vouched.defer(changes, check), stateRoot };
}
