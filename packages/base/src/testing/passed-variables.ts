/**
 * What a test passes on to a program that it starts with an environment of its own. `npm run mutate` reaches processes by
 * two variables of its own; the folder of compiled sources saves a program a part of its start.
 */
export function passedVariables(): Record<string, string> {
  const { NODE_OPTIONS, SVC_MUTATION, NODE_COMPILE_CACHE } = process.env;
  return {
    ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }),
    ...(NODE_OPTIONS === undefined || SVC_MUTATION === undefined
      ? {}
      : { NODE_OPTIONS, SVC_MUTATION }),
  };
}
