import type { ComponentChildren } from 'preact';

type FormerProps = { readonly isFormer: boolean; readonly children: ComponentChildren };

/** Content that keeps its place, dimmed and out of the pointer's reach, while the answer to another choice is waited for. */
export const Former = ({ isFormer, children }: FormerProps) => (
  <div class={isFormer ? 'loaded former' : 'loaded'} aria-busy={isFormer}>
    {children}
  </div>
);
