/** `GET /v1/economics/emission`. */
import type { ROUTES } from 'svc-api';
import { emissionDocument } from 'svc-ledger';
import type { Handler } from './handler.ts';

export const economicsEmission: Handler<typeof ROUTES.economicsEmission> = ({
  services,
  readers,
}) =>
  readers.read(async ({ reader, height }) => {
    const emission = emissionDocument(services.chain.parameters, await reader.economy());
    const document = {
      api_version: 1,
      finalized_height: height,
      epoch: emission.epoch,
      subsidy: String(emission.subsidy),
      interval_amount: String(emission.intervalAmount),
      next_interval_amount: String(emission.nextIntervalAmount),
      next_reduction_height: emission.nextReductionHeight,
      cuts_to_next_reduction: emission.cutsToNextReduction,
      next_reduction_millis: emission.nextReductionMillis,
      issued: String(emission.issued),
      to_come: String(emission.toCome),
    } as const;
    return { height, document };
  });
