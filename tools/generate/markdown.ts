/**
 * Small pieces of Markdown for generated pages.
 */
export interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** The first line of a generated page. */
export function mark(source: string): string {
  return `<!-- Generated from ${source}. Do not edit: run \`npm run generate\`. -->`;
}

export function page(path: string, title: string, parts: readonly string[]): Page {
  return { path, text: `${[`# ${title}`, mark('packages/node'), ...parts].join('\n\n')}\n` };
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

export function code(text: string): string {
  return `\`${text}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}
