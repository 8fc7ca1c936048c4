import { useLayoutEffect, useRef, useState } from 'preact/hooks';

const FIRST_WIDTH = 320;

/** Follows the width of an element, so that what is drawn in it has its own size, and text stays as large as elsewhere. */
export function useWidth() {
  const element = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(FIRST_WIDTH);
  useLayoutEffect(() => {
    const { current } = element;
    if (!current) return undefined;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    setWidth(current.clientWidth);
    return () => observer.disconnect();
  }, []);
  return { element, width };
}
