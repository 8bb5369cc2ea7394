/** `GET /v1/economics/supply`, and its single figures as plain text. */
import type { ROUTES } from 'svc-api';
import { type SupplyDocument, supplyDocument } from 'svc-ledger';
import { formatAmount } from 'svc-wasm';
import type { Handler, RoutePorts } from './handler.ts';

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

export const economicsSupply: Handler<typeof ROUTES.economicsSupply> = async (ports) => {
  const { height, supply } = await readSupply(ports);
  const document = {
    api_version: 1,
    finalized_height: height,
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
  } as const;
  return { height, document };
};

async function supplyText(ports: RoutePorts, name: keyof SupplyDocument) {
  const { height, supply } = await readSupply(ports);
  return { height, text: formatAmount(String(supply[name])) };
}

export const economicsSupplyCirculating: Handler<typeof ROUTES.economicsSupplyCirculating> = (
  ports,
) => supplyText(ports, 'circulatingSupply');

export const economicsSupplyTotal: Handler<typeof ROUTES.economicsSupplyTotal> = (ports) =>
  supplyText(ports, 'totalSupply');

export const economicsSupplyMax: Handler<typeof ROUTES.economicsSupplyMax> = (ports) =>
  supplyText(ports, 'maxSupply');
