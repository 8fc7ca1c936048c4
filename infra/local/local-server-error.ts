/** The local server cannot start. The message is one sentence for the user, printed without a stack trace. */
export class LocalServerError extends Error {}

/** The data could not be read or written, for a reason that may be a full disk: engines do not tell it from damage. */
export class FailedStorage extends LocalServerError {}

export const unusableFolder = (directory: string, reason: string, cause?: unknown): LocalServerError =>
  new LocalServerError(describeUnusable(directory, reason), { cause });

export const failedStorage = (directory: string, reason: string, cause: unknown): LocalServerError =>
  new FailedStorage(describeUnusable(directory, reason), { cause });

const describeUnusable = (directory: string, reason: string): string =>
  `The data in ${directory} cannot be used (${reason}): start with "npm start -- --fresh" to empty it, or let LOCAL_DIR name another folder.`;
