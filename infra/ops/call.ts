/** Results go to `stdout`; progress, questions and complaints go to `stderr`. */
export type CommandIo = {
  /**
   * Its `write` may return a promise, which rejects when the text could not be written. `isTTY`: a person reads the result,
   * and no program.
   */
  readonly stdout: { readonly isTTY?: boolean; write(text: string): unknown };
  readonly stderr: { readonly isTTY?: boolean; write(text: string): unknown };
  /** `isTTY`: what is typed comes from a terminal, which shows it unless `ask` hides it. */
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  /** True when a person can see progress and answer questions. */
  readonly isTerminal: boolean;
};

/** The options that every command takes, with its streams and who calls it. */
export type Call = CommandIo & {
  readonly isJson: boolean;
  readonly isLocal: boolean;
  /** The file that `--outputs` named. */
  readonly outputs?: string | undefined;
  /** Returns who runs the command, as the history of an order names them. */
  operator(): Promise<string>;
};

/** 0: done; 1: refused or failed; 2: called wrongly, and nothing was done; 130: Ctrl-C at a question. */
export type ExitCode = 0 | 1 | 2 | 130;

/** The result of a command. Only `cli.ts` prints it, so that `--json` prints one document and nothing else. */
export type CommandResult<Document = unknown> = {
  readonly document: Document;
  /** The same for a person; without it the document is printed. */
  readonly text?: string | undefined;
  /** A remark on the text, for stderr. */
  readonly remark?: string | undefined;
  /** The reason of exit code 1, for stderr; empty when the result itself tells it. */
  readonly failure?: string | undefined;
};
