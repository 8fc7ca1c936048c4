// Types for the mail parser of the local SES, which has none. Tests read mails with it, independently of the composer.
declare module 'mailparser' {
  type Address = { readonly address?: string; readonly name: string; readonly group?: readonly Address[] };
  type Addresses = { readonly value: readonly Address[]; readonly text: string };
  export type ParsedMail = {
    readonly headerLines: readonly { readonly key: string; readonly line: string }[];
    readonly headers: ReadonlyMap<string, unknown>;
    readonly from?: Addresses;
    readonly to?: Addresses;
    readonly subject?: string;
    readonly messageId?: string;
    readonly text?: string;
    readonly html?: string | false;
    readonly attachments: readonly {
      readonly filename?: string;
      readonly contentType: string;
      readonly contentDisposition: string;
      readonly content: Buffer;
    }[];
  };
  export function simpleParser(raw: Buffer): Promise<ParsedMail>;
}
