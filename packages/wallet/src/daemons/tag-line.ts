/** Names the wallet in a line that its daemon wrote: a line of the log gets a field, and other words become such a line. */
export function tagLine(wallet: string, line: string): string {
  const tag = `"wallet":${JSON.stringify(wallet)}`;
  if (/^\{".*\}$/.test(line)) return `{${tag},${line.slice(1)}`;
  return `{${tag},"message":${JSON.stringify(line)}}`;
}
