/** The local server cannot start. The message is one sentence for the user, printed without a stack trace. */
export class LocalServerError extends Error {}

export const unusableFolder = (directory: string, reason: string, cause?: unknown): LocalServerError =>
  new LocalServerError(
    `The data in ${directory} cannot be used (${reason}): start with "npm start -- --fresh" to empty it, or let LOCAL_DIR name another folder.`,
    { cause },
  );
