/**
 * Turns a call into an HTTP request: path parameters in their places, the rest as query or body.
 */
import type { RouteName } from 'svc-api';
import { ClientError } from '../client-error.ts';
import { PATHS } from './paths.ts';

export interface WireRequest {
  readonly method: string;
  /** Path and query, from the first slash. */
  readonly target: string;
  readonly body: string | undefined;
  /** In place of the document, for a route that takes bytes. */
  readonly bytes?: BytesBody;
}

/** A body that is no document. */
export class BytesBody {
  readonly media: string;
  readonly bytes: Uint8Array<ArrayBuffer>;

  constructor(media: string, bytes: Uint8Array<ArrayBuffer>) {
    this.media = media;
    this.bytes = bytes;
  }
}

const API_VERSION = 1;

export function makeRequest(name: RouteName, input: object): WireRequest {
  const [method, path] = PATHS[name].split(' ') as [string, string];
  if (input instanceof BytesBody) return { method, target: path, body: undefined, bytes: input };
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const filled = path.replaceAll(/\{([a-z_]+)\}/g, (_, field: string) => {
    const value = rest.get(field);
    rest.delete(field);
    if (typeof value === 'string' || typeof value === 'number') return encodeURIComponent(value);
    throw new ClientError('refused', `${name} needs ${field}`, {
      code: 'missing_field',
      path: field,
    });
  });
  if (method === 'POST') {
    const body = JSON.stringify({ api_version: API_VERSION, ...Object.fromEntries(rest) });
    return { method, target: filled, body };
  }
  const query = new URLSearchParams([...rest].map(([field, value]) => [field, String(value)]));
  return { method, target: rest.size === 0 ? filled : `${filled}?${query}`, body: undefined };
}
