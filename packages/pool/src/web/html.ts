/**
 * HTML from templates: everything that is put into one is escaped, unless it is HTML of another template. Lists are
 * tables with a head.
 */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Value = string | number | bigint | Html | readonly Html[];

export function html(parts: TemplateStringsArray, ...values: readonly Value[]): Html {
  const text = parts.map((part, at) => `${part}${at < values.length ? textOf(values[at]) : ''}`);
  return new Html(text.join(''));
}

type Cell = string | Html;

export function list(head: readonly string[], rows: readonly (readonly Cell[])[]): Html {
  if (rows.length === 0) return html`<p>None yet.</p>`;
  const cells = (row: readonly Cell[]) => row.map((cell) => html`<td>${cell}</td>`);
  return html`<table><tr>${head.map((name) => html`<th>${name}</th>`)}</tr>
${rows.map((row) => html`<tr>${cells(row)}</tr>`)}</table>`;
}

function textOf(value: Value | undefined): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(({ text }) => text).join('');
  return escapeHtml(String(value));
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] as string);
}
