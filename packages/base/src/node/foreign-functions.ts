/**
 * Node's interface to functions of native libraries. Callers must work without it: it is experimental,
 * and a program that is started with permissions may not have it.
 */
type ForeignFunctions = typeof import('node:ffi');

let loaded: ForeignFunctions | undefined;

/** Loaded at the first need, and without the notice that it is experimental; throws where this Node has none. */
export function foreignFunctions(): ForeignFunctions {
  if (loaded !== undefined) return loaded;
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    loaded = process.getBuiltinModule('node:ffi');
  } finally {
    process.emitWarning = emitWarning;
  }
  return loaded;
}
