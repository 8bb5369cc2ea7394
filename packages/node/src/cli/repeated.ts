/** Collects an option that may be given several times. */
export function repeated(item: string, items: readonly string[] | undefined): string[] {
  return [...(items ?? []), item];
}
