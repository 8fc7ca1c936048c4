/** The server cannot open: one sentence for the person at the desk, who needs no stack. */
export class LocalServerError extends Error {}

export const unusableFolder = (directory: string, reason: string, cause?: unknown): LocalServerError =>
  new LocalServerError(
    `The data in ${directory} cannot be used (${reason}): start with "npm start -- --fresh" to empty it, or let LOCAL_DIR name another folder.`,
    { cause },
  );
