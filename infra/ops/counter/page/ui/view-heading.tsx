import { useEffect, useLayoutEffect, useRef } from 'preact/hooks';

// The first view comes with the page, where the reader has the focus already.
let isFirst = true;

/** The heading of a view: names the document and takes the focus after a navigation. Each view has one. */
export function ViewHeading({ title }: { readonly title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Later, it would take the focus from what the reader's first key has led to.
  useLayoutEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  useEffect(() => {
    document.title = `${title} · Botica`;
  }, [title]);
  return (
    <h1 ref={heading} tabIndex={-1}>
      {title}
    </h1>
  );
}

/** Puts the focus on the heading of the view, from where its keys work. */
export const focusHeading = (): void => document.querySelector<HTMLElement>('main h1')?.focus();
