/**
 * Rules broken on purpose: each mutant is a piece of a source file and what replaces it while the file is loaded. The ledger
 * has no hook for them.
 */
import { registerHooks } from 'node:module';

export interface RuleMutant {
  readonly name: string;
  readonly breaks: string;
  /** Below `src`. */
  readonly file: string;
  readonly piece: string;
  readonly becomes: string;
}

const SOURCE = new URL('../../src/', import.meta.url).href;
const PACKAGE = new URL('../../', import.meta.url).href;

/** A module of this package, below `test`, loaded a second time over a ledger with the broken rule. */
export async function importMutated<Module>(mutant: RuleMutant, path: string): Promise<Module> {
  const mark = `?mutant=${mutant.name}`;
  let isChanged = false;
  const hooks = registerHooks({
    resolve(specifier, context, nextResolve) {
      const resolved = nextResolve(specifier, context);
      const isOurs = context.parentURL?.endsWith(mark) && resolved.url.startsWith(PACKAGE);
      return isOurs ? { ...resolved, url: resolved.url + mark } : resolved;
    },
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== SOURCE + mutant.file + mark) return loaded;
      const source = String(
        typeof loaded.source === 'string' ? loaded.source : new TextDecoder().decode(loaded.source),
      );
      if (source.split(mutant.piece).length !== 2)
        throw new Error(`${mutant.file} does not hold the piece of ${mutant.name} once`);
      isChanged = true;
      return { ...loaded, source: source.replace(mutant.piece, () => mutant.becomes) };
    },
  });
  try {
    const module = (await import(`${PACKAGE}test/${path}${mark}`)) as Module;
    if (!isChanged) throw new Error(`${mutant.file} was not loaded`);
    return module;
  } finally {
    hooks.deregister();
  }
}
