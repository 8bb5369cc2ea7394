/** `GET /v1/chain/series`. */
import { ROUTES } from 'svc-api';
import type { Handler } from './handler.ts';

const { page } = ROUTES.chainSeries;

export const chainSeries: Handler<typeof ROUTES.chainSeries> = async (
  { services, series },
  { query },
) => {
  const { metric, step = 1, limit = page.default } = query;
  await series.filled();
  const { height } = services.chain.head;
  const document = {
    api_version: 1,
    finalized_height: height,
    metric,
    step,
    points: series.read(metric, step, limit).map((point) => ({
      height: point.height,
      time_millis: point.timeMillis,
      value: String(point.value),
    })),
  } as const;
  return { height, document };
};
