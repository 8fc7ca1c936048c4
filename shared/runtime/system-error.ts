// A file that reached the largest size its user may write (EFBIG) has no room either.
const NO_ROOM: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Returns the operating system's code of an error, such as ENOENT, or the error as a text if it has none. */
export const toErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** True if a file had no room: on a full disk, under a quota or at a limit of its size. */
export const isWithoutRoom = (error: unknown): boolean => NO_ROOM.includes(toErrorCode(error));
