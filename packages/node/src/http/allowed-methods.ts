/**
 * Which methods a path has, for refusals of others and for preflights.
 */
import { ROUTE_LIST } from 'svc-api';

interface PathMethods {
  readonly pattern: RegExp;
  readonly methods: readonly string[];
}

const PATHS: readonly PathMethods[] = [...new Set(ROUTE_LIST.map(({ path }) => path))]
  // A path without parameters comes before one that would match it with a parameter.
  .sort((a, b) => Number(a.includes('{')) - Number(b.includes('{')))
  .map((path) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{[a-z]+\}/g, '[^/]+')}$`),
    methods: ROUTE_LIST.filter((route) => route.path === path).flatMap(({ method }) =>
      method === 'GET' ? ['GET', 'HEAD'] : [method],
    ),
  }));

/** Undefined for a path that no route has. */
export function allowedMethods(target: string): readonly string[] | undefined {
  const path = target.split('?', 1)[0] as string;
  return PATHS.find(({ pattern }) => pattern.test(path))?.methods;
}
