/** Whether the screen is as narrow as a phone's, for drawings that a style cannot lay out anew. */
import { useEffect, useState } from 'preact/hooks';

/** As the style has it. */
const NARROW = '(max-width: 40rem)';

export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(() => matchMedia(NARROW).matches);
  useEffect(() => {
    const query = matchMedia(NARROW);
    const change = (): void => setNarrow(query.matches);
    query.addEventListener('change', change);
    return () => query.removeEventListener('change', change);
  }, []);
  return isNarrow;
}
