/** Returns an operating system's code such as ENOENT, or the error as a text. */
export const toErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : String(error);

/** True if a call failed before it was connected, so that nothing can have arrived. */
export function neverConnected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(neverConnected);
  if (!(error instanceof Error)) return false;
  const { syscall, code, cause } = error as NodeJS.ErrnoException;
  return (
    syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT' || neverConnected(cause)
  );
}
