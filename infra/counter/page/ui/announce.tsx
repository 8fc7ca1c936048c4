import { signal } from '@preact/signals';

const announced = signal('');

/** Tells screen readers what has changed, politely: after what they are reading. */
export function announce(text: string): void {
  // The same text twice is two changes.
  announced.value = announced.value === text ? `${text}\u00a0` : text;
}

export const LiveRegion = () => (
  <div class="for-screen-readers" role="status" aria-live="polite">
    {announced.value}
  </div>
);
