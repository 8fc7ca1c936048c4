/** Makes a value when it is first asked for, and keeps it. After a failure the next call tries again. */
export function once<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    if (made) return made.value;
    const value = make();
    made = { value };
    if (value instanceof Promise) value.catch(() => (made = undefined));
    return value;
  };
}

/** Does the work once for everybody who asks while it is under way. */
export function singleFlight<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let flight: Promise<Result> | undefined;
  return () => {
    flight ??= work().finally(() => {
      flight = undefined;
    });
    return flight;
  };
}
