/**
 * The state that a chain starts from, height 0: the outputs and bonds of its genesis, the first
 * committee, and the emission of the first interval counted but not issued.
 */
import { leafChanges } from '../commitment/leaf-changes.ts';
import { stateRoot } from '../commitment/state-root.ts';
import { totalsRoot } from '../commitment/totals.ts';
import type { StagedTrees } from '../commitment/trees.ts';
import type { LedgerPorts } from '../context.ts';
import type { HistoryEntry } from '../cut.ts';
import { type Identifier, numberKey, outpointKey } from '../identifiers.ts';
import { Overlay } from '../overlay.ts';
import { checkParameters, GENESIS_SUPPLY } from '../parameters.ts';
import { LABELS, toHex } from '../protocol.ts';
import { type EconomyRecord, SINGLE_KEY } from '../records.ts';
import { epochRecordOf, nextCommittee } from '../rules/committee.ts';
import { firstEmission } from '../rules/emission.ts';
import { genesisBondId, PAYOUT_KINDS, type PayoutPorts, payoutId } from '../rules/outputs.ts';
import { positionIdOf } from '../rules/positions.ts';
import { newValidator, validatorIdOf } from '../rules/register-validator.ts';
import { assertTreeSums, assertValueEquation } from '../rules/value-equation.ts';
import type { Change, StateView } from '../view.ts';
import { chainIdOf } from './chain-id.ts';
import { checkGenesis, type Genesis, type GenesisValidator } from './document.ts';

export interface GenesisResult {
  readonly chainId: Identifier;
  readonly changes: readonly Change[];
  readonly history: readonly HistoryEntry[];
  readonly trees: StagedTrees;
  readonly stateRoot: Identifier;
  readonly workTarget: bigint;
  readonly validatorSetId: Identifier;
}

const NOTHING: StateView = {
  get: () => undefined,
  positionIdsOf: () => [],
  validatorIds: () => [],
  blockIdsOf: () => [],
};

/** The ports must be those of an empty state. */
export function genesisState(
  ports: Pick<LedgerPorts, 'parameters' | 'hash' | 'commitments'>,
  genesis: Genesis,
): GenesisResult {
  checkParameters(ports.parameters);
  checkGenesis(genesis);
  const state = new Overlay(NOTHING);
  const chainId = chainIdOf(ports.hash, genesis);
  const history = placeOutputs({ chainId, hash: ports.hash }, state, genesis);
  genesis.validators.forEach((validator, index) => {
    placeValidator(ports, state, validator, index);
  });
  const economy = firstEconomy(genesis);
  const epoch = epochRecordOf(ports.hash, 0, nextCommittee(state, 0, []));
  state.put('anchors', numberKey(0), { amount: 0n });
  state.put('epoch', SINGLE_KEY, epoch);
  state.put('economy', SINGLE_KEY, economy);
  const changes = state.changes();
  const trees = ports.commitments.stage(leafChanges(changes));
  assertValueEquation(economy);
  assertTreeSums(economy, trees.roots);
  const totals = totalsRoot(ports.hash, state, economy, epoch);
  return {
    chainId,
    changes,
    history,
    trees,
    stateRoot: stateRoot(ports.hash, trees.roots, totals),
    workTarget: economy.workTarget,
    validatorSetId: epoch.validatorSetId,
  };
}

/** The id of a validator of the genesis, by its place there. It stays whatever becomes of the validator. */
export function genesisValidatorId(hash: LedgerPorts['hash'], index: number): Identifier {
  return validatorIdOf(hash, genesisBondId(hash, index));
}

function placeOutputs(ports: PayoutPorts, state: Overlay, genesis: Genesis): HistoryEntry[] {
  return genesis.outputs.map(({ address, amount }, index) => {
    const transactionId = payoutId(ports, 0, PAYOUT_KINDS.genesis, index);
    const key = outpointKey({ transactionId, outputIndex: 0 });
    const output = { address, amount, source: 'genesis' as const };
    state.put('outputs', key, { ...output, height: 0 });
    return { kind: 'received', ...output, outpoint: key, transactionId };
  });
}

function placeValidator(
  { hash }: Pick<LedgerPorts, 'hash'>,
  state: Overlay,
  genesis: GenesisValidator,
  index: number,
): void {
  const { ownerAddress, rewardAddress, amount, consensusPublicKey } = genesis;
  const origin = genesisBondId(hash, index);
  const validatorId = genesisValidatorId(hash, index);
  const selfBondId = positionIdOf(hash, origin);
  const keyHash = toHex(hash(LABELS.key, consensusPublicKey));
  const consensusKey = { publicKey: consensusPublicKey, keyHash };
  state.put('validators', validatorId, newValidator({ ...genesis, consensusKey }, selfBondId));
  state.put('keys', keyHash, { publicKey: consensusPublicKey });
  state.put('positions', selfBondId, {
    kind: 'self_bond',
    validatorId,
    ownerAddress,
    rewardAddress,
    bonded: amount,
    unbonding: [],
    stood: [],
  });
}

function firstEconomy(genesis: Genesis): EconomyRecord {
  const bonded = genesis.validators.reduce((sum, { amount }) => sum + amount, 0n);
  return {
    height: 0,
    minted: GENESIS_SUPPLY,
    burned: 0n,
    outputs: GENESIS_SUPPLY - bonded,
    bonded,
    unbonding: 0n,
    slashed: 0n,
    workReserve: 0n,
    stakeReserve: 0n,
    emission: firstEmission(),
    workCarry: 0n,
    stakePool: 0n,
    openPool: null,
    workTarget: genesis.workTarget,
    paceMillis: genesis.paceMillis,
    paceBaseMillis: genesis.timeMillis,
    timeMillis: genesis.timeMillis,
  };
}
