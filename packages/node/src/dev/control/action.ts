/**
 * One thing that a development network can be told to do over HTTP.
 */
import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { DevNetwork } from '../dev-network.ts';

export interface Outcome {
  /** Beside `api_version`. */
  readonly answer: object;
  /** What ends the connection that the answer goes out on. */
  readonly afterwards?: () => Promise<unknown>;
}

export interface Action<Fields extends TProperties = TProperties> {
  /** Behind `/v1/dev/`. */
  readonly name: string;
  readonly summary: string;
  readonly fields: Fields;
  run(network: DevNetwork, request: Static<TObject<Fields>>): Promise<Outcome>;
}

/** The body of every request names the version, and nothing that is not asked for. */
export function requestSchema(fields: TProperties): TObject {
  const properties = { api_version: Type.Literal(1), ...fields };
  return Type.Object(properties, { additionalProperties: false });
}

export function defineAction<Fields extends TProperties>(action: Action<Fields>): Action {
  return action as unknown as Action;
}
