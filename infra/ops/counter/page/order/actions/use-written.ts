import { useState } from 'preact/hooks';

/**
 * Keeps what the reader has written in the fields of a form. The others are as the order has them now, which a colleague or a
 * refused attempt may have changed since the form was opened.
 */
export function useWritten<Fields extends Readonly<Record<string, string>>>(present: Fields) {
  const [written, setWritten] = useState<Partial<Fields>>({});
  const fields: Fields = { ...present, ...written };
  const write = (key: keyof Fields, value: string) => setWritten((before) => ({ ...before, [key]: value }));
  return { fields, write };
}
