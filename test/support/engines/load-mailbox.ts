/** Loads the mailbox of a local SES now, as a test's mail would wait for it while the machine is busy. */
export async function loadMailbox(url: string): Promise<void> {
  await fetch(`${url}/health-check`);
}
