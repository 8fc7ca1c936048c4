/** True when a call failed before there was a connection, so that nothing of it can have arrived. */
export function neverConnected(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(neverConnected);
  if (!(error instanceof Error)) return false;
  const { syscall, code, cause } = error as NodeJS.ErrnoException;
  return (
    syscall === 'connect' || syscall === 'getaddrinfo' || code === 'UND_ERR_CONNECT_TIMEOUT' || neverConnected(cause)
  );
}
