/** The house cannot open: one sentence for the person at the desk, who needs no stack. */
export class HouseFault extends Error {}

export const unusableFolder = (directory: string, reason: string, cause?: unknown): HouseFault =>
  new HouseFault(
    `The data in ${directory} cannot be used (${reason}): start with "npm start -- --fresh" to empty it, or let LOCAL_DIR name another folder.`,
    { cause },
  );
