import { signal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { CallError } from '../call.ts';

type NoticeProps = { readonly kind: 'info' | 'success' | 'warning' | 'error'; readonly children: ComponentChildren };

/** A message in its place in the page; an error is read out at once, the others politely. */
export const Notice = ({ kind, children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    {children}
  </div>
);

export const ErrorNotice = ({ error }: { readonly error: unknown }) =>
  error === undefined ? null : <Notice kind="error">{explain(error)}</Notice>;

function explain(error: unknown): string {
  if (error instanceof CallError) return error.message;
  return `Algo falló en la página: ${error instanceof Error ? error.message : String(error)}`;
}

const announced = signal('');

/** Tells screen readers what has changed, politely: after what they are reading. */
export function announce(text: string): void {
  // The same text twice is two changes.
  announced.value = announced.value === text ? `${text}\u00a0` : text;
}

/** The place of what is announced. Stands in the page once. */
export const LiveRegion = () => (
  <div class="for-screen-readers" role="status" aria-live="polite">
    {announced.value}
  </div>
);
