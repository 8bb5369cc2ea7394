/**
 * Whether a client would rather have a page than JSON. Browsers name `text/html`; programs accept anything.
 */
const HEADER_CHARACTERS_MAX = 1_024;

export function prefersHtml(accept: string | undefined): boolean {
  if (accept === undefined || accept.length > HEADER_CHARACTERS_MAX) return false;
  const html = qualityOf(accept, 'text/html');
  return html > 0 && html >= qualityOf(accept, 'application/json');
}

function qualityOf(accept: string, media: string): number {
  for (const part of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = part.split(';').map((item) => item.trim());
    if (name !== media) continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const value = quality === undefined ? 1 : Number(quality.slice(2));
    return value >= 0 && value <= 1 ? value : 0;
  }
  return 0;
}
