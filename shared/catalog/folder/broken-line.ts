/** Returns a sentence on why a line is no JSON: V8's reason, with the column or the text around the fault. */
export function describeBrokenLine(line: string, error: unknown): string {
  if (/^\s*[[{]\s*$/.test(line)) return 'A record must be whole on one line.';
  // V8 counts the lines of what it was given, which is this one alone.
  const reason = String(error instanceof Error ? error.message : error)
    .replace(/( in JSON)? at position \d+ \(line 1 column (\d+)\)$/, ' in column $2')
    .replace(/ is not valid JSON$/, '');
  return `The line is not valid JSON (${reason}).`;
}
