/**
 * Supply, emission and what staking earns.
 */
import {
  emissionDocument,
  MAX_SUPPLY,
  type SupplyDocument,
  stakingEstimate,
  supplyDocument,
} from 'svc-ledger';
import { formatAmount } from 'svc-wasm';
import { Refused } from '../../refusal.ts';
import { finalizedAt, type Handler, type RoutePorts } from './handler.ts';

interface Supply {
  readonly height: number;
  readonly supply: SupplyDocument;
}

function readSupply({ readers }: RoutePorts): Promise<Supply> {
  return readers.read(async (snapshot) => ({
    height: snapshot.height,
    supply: await snapshot.once('supply', async () =>
      supplyDocument(await snapshot.reader.economy()),
    ),
  }));
}

export const economicsSupply: Handler<'economicsSupply'> = async (ports) => {
  const { height, supply } = await readSupply(ports);
  return finalizedAt(height, {
    max_supply: String(supply.maxSupply),
    minted: String(supply.minted),
    burned: String(supply.burned),
    total_supply: String(supply.totalSupply),
    circulating_supply: String(supply.circulatingSupply),
    bonded: String(supply.bonded),
    unbonding: String(supply.unbonding),
    work_reserve: String(supply.workReserve),
    stake_reserve: String(supply.stakeReserve),
    unscheduled_emission: String(supply.unscheduledEmission),
  });
};

async function supplyText(ports: RoutePorts, name: keyof SupplyDocument) {
  const { height, supply } = await readSupply(ports);
  return { height, text: formatAmount(String(supply[name])) };
}

export const economicsSupplyCirculating: Handler<'economicsSupplyCirculating'> = (ports) =>
  supplyText(ports, 'circulatingSupply');

export const economicsSupplyTotal: Handler<'economicsSupplyTotal'> = (ports) =>
  supplyText(ports, 'totalSupply');

export const economicsSupplyMax: Handler<'economicsSupplyMax'> = (ports) =>
  supplyText(ports, 'maxSupply');

export const economicsEmission: Handler<'economicsEmission'> = ({ services, readers }) =>
  readers.read(async ({ reader, height }) => {
    const emission = emissionDocument(services.chain.parameters, await reader.economy());
    return finalizedAt(height, {
      epoch: emission.epoch,
      subsidy: String(emission.subsidy),
      interval_amount: String(emission.intervalAmount),
      next_interval_amount: String(emission.nextIntervalAmount),
      next_reduction_height: emission.nextReductionHeight,
      cuts_to_next_reduction: emission.cutsToNextReduction,
      next_reduction_millis: emission.nextReductionMillis,
      issued: String(emission.issued),
      to_come: String(emission.toCome),
    });
  });

export const economicsEstimateStaking: Handler<'economicsEstimateStaking'> = (
  { readers },
  { query },
) => {
  const amount = BigInt(query.amount);
  if (amount > MAX_SUPPLY) {
    throw new Refused('bad_amount', `expected at most ${MAX_SUPPLY} atoms`, { path: 'amount' });
  }
  return readers.read(async ({ reader, height }) => {
    const estimate = stakingEstimate(await reader.economy(), await reader.epoch(), amount);
    return finalizedAt(height, {
      amount: String(amount),
      reward_per_day: String(estimate.rewardPerDay),
      committee_stake: String(estimate.committeeStake),
      pool_per_day: String(estimate.poolPerDay),
    });
  });
};
