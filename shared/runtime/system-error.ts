// A file that reached the largest size its user may write (EFBIG) has no room either.
const NO_ROOM: readonly string[] = ['ENOSPC', 'EDQUOT', 'EFBIG'];

/** Returns the operating system's code of an error, such as ENOENT, or the error as a text if it has none. */
export const toErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** True if a file had no room: on a full disk, under a quota or at a limit of its size. */
export const isWithoutRoom = (error: unknown): boolean => NO_ROOM.includes(toErrorCode(error));

/** True when a call failed before there was a connection, so that nothing of it can have arrived. */
export function neverConnected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(neverConnected);
  if (!(error instanceof Error)) return false;
  const { syscall, code, cause } = error as NodeJS.ErrnoException;
  return (
    syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT' || neverConnected(cause)
  );
}
