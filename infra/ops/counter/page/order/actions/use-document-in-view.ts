import { useLayoutEffect } from 'preact/hooks';

/** Brings the document that a dialog asks about into view, and the page back to where it was when the dialog closes. */
export function useDocumentInView(): void {
  useLayoutEffect(() => {
    const { scrollX, scrollY } = window;
    document.querySelector('.viewer')?.scrollIntoView({ block: 'nearest' });
    return () => window.scrollTo(scrollX, scrollY);
  }, []);
}
