/** The local server cannot start. The message is one sentence for the user, printed without a stack trace. */
export class LocalServerError extends Error {}

/** Returns the error for data that cannot be used. Who was told to empty it because of a full disk would lose every order. */
export function unusableFolder(directory: string, reason: string, cause?: unknown): LocalServerError {
  const message = /ENOSPC|EDQUOT|EFBIG|\bdisk\b/.test(reason)
    ? `The disk of ${directory} takes no data (${reason}): make room, and start again.`
    : `The data in ${directory} cannot be used (${reason}): start with "npm start -- --fresh" to empty it, or let LOCAL_DIR name another folder.`;
  return new LocalServerError(message, { cause });
}
