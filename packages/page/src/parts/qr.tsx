/**
 * A text as a QR code, drawn as one path.
 */
import type { JSX } from 'preact';
import encodeQR from 'qr';

export function Qr({ text, label }: { text: string; label: string }): JSX.Element {
  const rows = encodeQR(text, 'raw', { border: 2 });
  const path = rows
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      class="qr"
      viewBox={`0 0 ${rows.length} ${rows.length}`}
      role="img"
      aria-label={label}
      shape-rendering="crispEdges"
    >
      <rect width={rows.length} height={rows.length} fill="#fff" />
      <path d={path} fill="#111" />
    </svg>
  );
}
