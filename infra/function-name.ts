/** Returns the function's name of a handler: `orders-create` for `functions/orders/create.ts`. */
export const functionName = (handler: string): string =>
  handler.replace(/^functions\/|\.ts$/g, '').replaceAll('/', '-');
