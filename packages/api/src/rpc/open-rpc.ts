/**
 * The methods as an OpenRPC document, for tools that read one.
 */
import type { TSchema } from 'typebox';
import { Funds, RetryAfterMillis } from './documents.ts';
import { RPC_ERRORS, type RpcErrorKind } from './errors.ts';
import { EVENTS } from './events.ts';
import type { RpcMethod } from './method.ts';
import { METHOD_LIST, type MethodName } from './methods.ts';
import { METHOD_SCOPES } from './scopes.ts';

const OPEN_RPC_VERSION = '1.3.2';

/** Refusals that every call may get. */
export const COMMON_ERRORS = [
  'invalid_params',
  'read_only',
  'out_of_scope',
  'token_revoked',
  'busy',
  'internal',
] as const satisfies RpcErrorKind[];

/** Further fields of `error.data`, by kind; a refusal of the kind has them unless another cause led to it. */
export const ERROR_FIELDS = {
  insufficient_funds: { funds: Funds },
  wallet_busy: { funds: Funds },
  busy: { retry_after_millis: RetryAfterMillis },
} as const satisfies { readonly [Kind in RpcErrorKind]?: Readonly<Record<string, TSchema>> };

export function openRpcDocument(version: string): object {
  return {
    openrpc: OPEN_RPC_VERSION,
    info: {
      title: 'svc wallet daemon',
      version,
      description:
        'JSON-RPC 2.0 over POST /v1/rpc with a bearer token, and over the WebSocket /v1/ws. Parameters are objects.',
    },
    servers: [{ name: 'local', url: 'http://127.0.0.1:28703/v1/rpc' }],
    methods: METHOD_LIST.map(describeMethod),
    'x-events': Object.entries(EVENTS).map(([name, { summary, data }]) => ({
      name,
      summary,
      params: plain(data),
    })),
    'x-error-fields': plain(ERROR_FIELDS),
  };
}

function describeMethod(method: RpcMethod): object {
  const required: readonly string[] = method.params.required ?? [];
  const properties = method.params.properties as Readonly<Record<string, TSchema>>;
  return {
    name: method.name,
    summary: method.summary,
    tags: [{ name: method.group }],
    paramStructure: 'by-name',
    params: Object.entries(properties).map(([name, schema]) => ({
      name,
      required: required.includes(name),
      schema: plain(schema),
    })),
    result: { name: 'result', schema: plain(method.result) },
    errors: [...COMMON_ERRORS, ...method.errors].map(describeError),
    examples: [
      {
        name: 'example',
        params: Object.entries(method.example.params).map(([name, value]) => ({ name, value })),
        result: { name: 'result', value: method.example.result },
      },
    ],
    'x-extension': method.extension,
    'x-scope': METHOD_SCOPES[method.name as MethodName],
  };
}

function describeError(kind: RpcErrorKind): object {
  const { code, retry, sentence } = RPC_ERRORS[kind];
  return { code, message: sentence, data: { kind, retry } };
}

/** The JSON of a schema, without the symbols that the library adds. */
function plain(schema: unknown): unknown {
  return JSON.parse(JSON.stringify(schema));
}
