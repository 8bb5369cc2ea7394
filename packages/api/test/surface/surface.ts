/** The whole interface of version 1: routes, frames, methods, events and codes of errors. */
import { CLIENT_FRAMES, ERROR_CATALOGUE, ROUTE_LIST, SERVER_FRAMES } from '../../src/index.ts';
import { EVENTS, METHOD_LIST, RPC_ERRORS } from '../../src/rpc/index.ts';
import { type Shape, shapeOf } from './shape.ts';

export interface Surface {
  readonly requests: Readonly<Record<string, Shape>>;
  readonly answers: Readonly<Record<string, Shape>>;
  /** Code → status over HTTP, or number over JSON-RPC. */
  readonly errors: Readonly<Record<string, number>>;
}

export function currentSurface(): Surface {
  const requests: Record<string, Shape> = {};
  const answers: Record<string, Shape> = {};
  for (const { method, path, params, query, body, answer } of ROUTE_LIST) {
    const name = `${method} ${path}`;
    for (const [part, schema] of Object.entries({ params, query, body }))
      if (schema !== undefined) requests[`${name} ${part}`] = shapeOf(schema, 'request');
    answers[name] = shapeOf(answer, 'answer');
  }
  for (const [type, frame] of Object.entries(CLIENT_FRAMES))
    requests[`frame ${type}`] = shapeOf(frame, 'request');
  for (const [socket, frames] of Object.entries(SERVER_FRAMES)) {
    for (const [type, frame] of Object.entries(frames))
      answers[`frame ${socket} ${type}`] = shapeOf(frame, 'answer');
  }
  for (const { name, params, result } of METHOD_LIST) {
    requests[`method ${name}`] = shapeOf(params, 'request');
    answers[`method ${name}`] = shapeOf(result, 'answer');
  }
  for (const [name, event] of Object.entries(EVENTS))
    answers[`event ${name}`] = shapeOf(event, 'answer');
  const errors = Object.fromEntries([
    ...Object.entries(ERROR_CATALOGUE).map(([code, { status }]) => [code, status]),
    ...Object.entries(RPC_ERRORS).map(([kind, { code }]) => [`rpc ${kind}`, code]),
  ]);
  return { requests, answers, errors };
}
