/**
 * The part of the contract that the declarations of the client name, as plain TypeScript: a reader outside sees fields
 * and comments instead of schemas, and needs no schema library. Made from the schemas of `svc-api`.
 */
import * as api from '../../packages/api/src/index.ts';
import * as rpc from '../../packages/api/src/rpc/index.ts';

interface Schema {
  readonly description?: string;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema | readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: boolean | Schema;
}

/** Schemas that have a name of their own in the contract: documents refer to them by it. */
function namedSchemas(): Map<Schema, string> {
  const named = new Map<Schema, string>();
  for (const [name, value] of [...Object.entries(api), ...Object.entries(rpc)]) {
    const isSchema = typeof value === 'object' && value !== null && /^[A-Z][a-z]/.test(name);
    if (isSchema && (value as Schema).type === 'object') named.set(value as Schema, name);
  }
  named.set(api.Lifecycle, 'Lifecycle');
  named.set(api.Failure, 'Failure');
  named.set(api.TopicEvent, 'TopicEvent');
  return named;
}

class Renderer {
  readonly #named = namedSchemas();

  /** Every named schema as a declaration. */
  declarations(): string[] {
    return [...this.#named].map(
      ([schema, name]) => `${comment(schema, '')}export type ${name} = ${this.#text(schema, '')};`,
    );
  }

  /** The type of a schema as it is written inside another one. */
  type(schema: Schema, indent: string): string {
    return this.#named.get(schema) ?? this.#text(schema, indent);
  }

  #text(schema: Schema, indent: string): string {
    if ('const' in schema) return JSON.stringify(schema.const);
    if (schema.enum !== undefined)
      return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
    if (schema.anyOf !== undefined) return this.#joined(schema.anyOf, ' | ', indent);
    if (schema.allOf !== undefined) return this.#joined(schema.allOf, ' & ', indent);
    switch (schema.type) {
      case 'string':
      case 'boolean':
      case 'null':
        return schema.type;
      case 'integer':
      case 'number':
        return 'number';
      case 'array':
        return this.#array(schema, indent);
      case 'object':
        return this.#object(schema, indent);
      default:
        return 'unknown';
    }
  }

  #joined(parts: readonly Schema[], operator: string, indent: string): string {
    return parts
      .map((part) => this.type(part, indent))
      .map((text) => (operator === ' & ' && text.includes(' | ') ? `(${text})` : text))
      .join(operator);
  }

  #array({ items }: Schema, indent: string): string {
    if (Array.isArray(items))
      return `[${items.map((item: Schema) => this.type(item, indent)).join(', ')}]`;
    const item = this.type((items ?? {}) as Schema, indent);
    return /^[\w.]+$/.test(item) ? `${item}[]` : `(${item})[]`;
  }

  #object(schema: Schema, indent: string): string {
    const { properties = {}, required = [], patternProperties, additionalProperties } = schema;
    const inner = `${indent}  `;
    const lines = Object.entries(properties).map(([name, field]) => {
      const mark = required.includes(name) ? '' : '?';
      const key = /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
      return `${comment(field, inner)}${inner}${key}${mark}: ${this.type(field, inner)};`;
    });
    const [values] = Object.values(patternProperties ?? {});
    const others =
      values ?? (typeof additionalProperties === 'object' ? additionalProperties : null);
    if (others !== null) lines.push(`${inner}[key: string]: ${this.type(others, inner)};`);
    return lines.length === 0 ? '{}' : `{\n${lines.join('\n')}\n${indent}}`;
  }
}

function comment({ description }: Schema, indent: string): string {
  return description === undefined
    ? ''
    : `${indent}/** ${description.replaceAll('*/', '* /')} */\n`;
}

function unionOf(values: readonly string[]): string {
  return values.map((value) => JSON.stringify(value)).join(' | ');
}

/** One type with a member for each name, such as the answers of all routes. */
function table(name: string, rows: readonly (readonly [string, string, string])[]): string {
  const lines = rows.map(([key, summary, type]) => `  /** ${summary} */\n  ${key}: ${type};`);
  return `export interface ${name} {\n${lines.join('\n')}\n}`;
}

/** A body without its version: the client fills that in. */
function inputOf(renderer: Renderer, route: (typeof api.ROUTE_LIST)[number]): string {
  const { params, query, body } = route as { params?: Schema; query?: Schema; body?: Schema };
  const parts = [params, query].filter((part) => part !== undefined);
  const texts = parts.map((part) => renderer.type(part, '  '));
  if (body !== undefined) texts.push(`Omit<${renderer.type(body, '  ')}, 'api_version'>`);
  return texts.length === 0 ? '{}' : texts.join(' & ');
}

export function contractDeclarations(): string {
  const renderer = new Renderer();
  const routes = api.ROUTE_LIST;
  const methods = rpc.METHOD_LIST;
  const parts = [
    '/** The documents of routes, sockets and the wallet daemon. Made from the schemas of the contract. */',
    ...renderer.declarations(),
    table(
      'RouteInputs',
      routes.map((route) => [route.name, route.summary, inputOf(renderer, route)]),
    ),
    table(
      'RouteAnswers',
      routes.map((route) => [
        route.name,
        route.summary,
        renderer.type(route.answer as Schema, '  '),
      ]),
    ),
    'export type RouteName = keyof RouteAnswers;',
    'export type RouteInput<N extends RouteName> = RouteInputs[N];',
    'export type RouteAnswer<N extends RouteName> = RouteAnswers[N];',
    table(
      'MethodParameters',
      methods.map((method) => [
        method.name,
        method.summary,
        renderer.type(method.params as Schema, '  '),
      ]),
    ),
    table(
      'MethodResults',
      methods.map((method) => [
        method.name,
        method.summary,
        renderer.type(method.result as Schema, '  '),
      ]),
    ),
    'export type MethodName = keyof MethodResults;',
    'export type MethodParams<N extends MethodName> = MethodParameters[N];',
    'export type MethodResult<N extends MethodName> = MethodResults[N];',
    `export type Retry = ${unionOf([...new Set(Object.values(rpc.RPC_ERRORS).map(({ retry }) => retry))])};`,
    `export type ResyncReason = ${unionOf(Object.keys(api.RESYNC_REASONS))};`,
    `export type PlainTopic = ${unionOf(api.PLAIN_TOPICS)};`,
  ];
  return `${parts.join('\n\n')}\n`;
}
