import type { ComponentChildren } from 'preact';
import { CallError } from '../call.ts';
import { translate } from '../text.ts';
import { UI_TEXTS } from './texts.ts';

type NoticeProps = { readonly kind: 'info' | 'success' | 'error'; readonly children: ComponentChildren };

/** A message in its place in the page; an error is read out at once, the others politely. */
export const Notice = ({ kind, children }: NoticeProps) => (
  <div class={`notice ${kind}`} role={kind === 'error' ? 'alert' : 'status'}>
    {children}
  </div>
);

/** Shows what a call has thrown; nothing while there is no error. */
export const ErrorNotice = ({ error }: { readonly error: unknown }) =>
  error === undefined ? null : <Notice kind="error">{explain(error)}</Notice>;

/** Returns what has gone wrong in the chosen language. */
function explain(error: unknown): string {
  if (error instanceof CallError) return translate(error.text);
  return translate(UI_TEXTS.failed, { reason: error instanceof Error ? error.message : String(error) });
}
