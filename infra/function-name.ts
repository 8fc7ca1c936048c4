/** What a handler's function is called: `functions/orders/create.ts` is `orders-create`. */
export const functionName = (handler: string): string =>
  handler.replace(/^functions\/|\.ts$/g, '').replaceAll('/', '-');
