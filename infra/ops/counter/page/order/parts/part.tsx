import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';
import { type Text, translate } from '../../text.ts';

/** A part of the view with its heading, by which a screen reader finds it. */
export function Part({ title, children }: { readonly title: Text; readonly children: ComponentChildren }) {
  const id = useId();
  return (
    <section class="card" aria-labelledby={id}>
      <h2 id={id}>{translate(title)}</h2>
      {children}
    </section>
  );
}
