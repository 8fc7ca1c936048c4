/**
 * The keys with which a document is looked at and judged. They alone work while a form stands beside it, and no others are
 * taken from its frame, which draws what strangers have sent: none of them sends anything.
 */
const DOCUMENT_KEYS = ['ArrowLeft', 'ArrowRight', '+', '-', 'r', 's', 'v', 'x', '?', 'Escape'] as const;
export type DocumentKey = (typeof DOCUMENT_KEYS)[number];

export const findDocumentKey = (key: unknown): DocumentKey | undefined => DOCUMENT_KEYS.find((each) => each === key);
