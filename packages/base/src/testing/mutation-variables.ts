/**
 * The variables by which `npm run mutate` reaches a process: none of them are there otherwise. Tests that start programs
 * with an environment of their own pass them on, so that the programs can be mutated too.
 */
export function mutationVariables(): Record<string, string> {
  const { NODE_OPTIONS, SVC_MUTATION } = process.env;
  if (NODE_OPTIONS === undefined || SVC_MUTATION === undefined) return {};
  return { NODE_OPTIONS, SVC_MUTATION };
}
