import type { Call } from '../command.ts';

type Place = Pick<Call, 'isLocal' | 'outputs'>;

/** Returns the line that runs another command, given by its words, where this call works. */
export const toCommandLine = (words: string, place: Place): string => `npm run ops -- ${words}${placeOptions(place)}`;

function placeOptions({ isLocal, outputs }: Place): string {
  if (isLocal) return ' --local';
  return outputs === undefined ? '' : ` --outputs ${quoteWord(outputs)}`;
}

/** Quotes a word for a POSIX shell if it needs that. */
export const quoteWord = (word: string): string =>
  /^[\w./@+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
