/**
 * Method and path of every route for the client, which carries no schemas with it.
 */
import { ROUTE_LIST } from '../../packages/api/src/routes.ts';

export function clientPaths(): string {
  const lines = ROUTE_LIST.map(({ name, method, path }) => `  ${name}: '${method} ${path}',\n`);
  return `/**
 * Method and path of every route, under the names of the contract: the client carries no schemas with it.
 * Written by tools/generate.ts from the contract; the compiler compares it with the contract.
 */
import type { ROUTES, RouteName } from 'svc-api';

type Line<N extends RouteName> = \`\${(typeof ROUTES)[N]['method']} \${(typeof ROUTES)[N]['path']}\`;

export const PATHS = {
${lines.join('')}} as const satisfies { readonly [N in RouteName]: Line<N> };
`;
}
