import { useRef, useState } from 'preact/hooks';

const MOVES: Readonly<Record<string, (index: number, last: number) => number>> = {
  ArrowLeft: (index) => Math.max(0, index - 1),
  ArrowRight: (index, last) => Math.min(last, index + 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Makes the bars of a chart one stop of the Tab key, among which the arrow keys go; `current` was pointed at last. */
export function useBarFocus(count: number) {
  const [current, setCurrent] = useState<number>();
  const chart = useRef<SVGSVGElement>(null);
  const stop = Math.min(current ?? 0, count - 1);
  const onKeyDown = (event: KeyboardEvent) => {
    const next = MOVES[event.key]?.(stop, count - 1);
    if (next === undefined) return;
    event.preventDefault();
    chart.current?.querySelectorAll<SVGGElement>('.bar')[next]?.focus();
  };
  const toBarProps = (index: number) => ({
    tabIndex: index === stop ? 0 : -1,
    onFocus: () => setCurrent(index),
    onPointerEnter: () => setCurrent(index),
  });
  return { chart, current, onKeyDown, toBarProps };
}
