import type { ComponentChild } from 'preact';

export type Fact = readonly [title: string, value: ComponentChild];

/** Facts with their titles; those without a value are left out. */
export const Facts = ({ facts, kind = '' }: { readonly facts: readonly Fact[]; readonly kind?: 'amounts' | '' }) => (
  <dl class={`facts ${kind}`}>
    {facts
      .filter(([, value]) => value !== null && value !== undefined && value !== '' && value !== false)
      .map(([title, value]) => [<dt key={`${title}:`}>{title}</dt>, <dd key={title}>{value}</dd>])}
  </dl>
);
