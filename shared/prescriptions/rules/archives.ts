/*
 * An unpacker opens an archive that stands anywhere in a file: a zip by its end or any record of its directory; rar, 7z, cab
 * and NSIS by their signature (7-Zip's formats with `kFindSignature`, unrar's and libmspack's search in programs that unpack
 * themselves); a tar and the image of a disc at fixed offsets. Four bytes occur by chance in 0.07 % of all files of 3 MB, so
 * the fields beside a short signature are read too.
 */

/** True if an unpacker would open the file as an archive. */
export const opensAsArchive = (file: Buffer): boolean =>
  SIGNATURES.some((signature) => file.includes(signature)) || hasRecord(file) || isTar(file) || isDisc(file);

const SIGNATURES = [
  Buffer.from('Rar!\x1a\x07', 'latin1'), // versions 1.5 to 5
  Buffer.from('7z\xbc\xaf\x27\x1c', 'latin1'),
  Buffer.from('\xef\xbe\xad\xdeNullsoftInst', 'latin1'),
  Buffer.from('**ACE**'),
];

const [P, K, M, S] = [0x50, 0x4b, 0x4d, 0x53];
// The end of a zip's directory (APPNOTE 4.3.16) is the shortest one.
const SHORTEST_RECORD = 22;

// A loop over the bytes costs some 20 ms for 4 MB, whatever is in them; a search for each signature 150 ms if they abound.
function hasRecord(file: Buffer): boolean {
  for (let at = 0; at + SHORTEST_RECORD <= file.length; at++) {
    if (file[at] === P && file[at + 1] === K && isZipRecord(file, at)) return true;
    if (file[at] === M && file[at + 1] === S && isCabinet(file, at)) return true;
  }
  return false;
}

const ZIP = { entry: 0x04034b50, directory: 0x02014b50, end: 0x06054b50 } as const;
const ENTRY: EntryForm = { size: 30, method: 8, lengths: [26, 28] };
const DIRECTORY: EntryForm = { size: 46, method: 10, lengths: [28, 30, 32] };

function isZipRecord(file: Buffer, at: number): boolean {
  const signature = file.readUInt32LE(at);
  if (signature === ZIP.end) return isEndOfDirectory(file, at);
  if (signature === ZIP.entry) return isEntry(file, at, ENTRY);
  return signature === ZIP.directory && isEntry(file, at, DIRECTORY);
}

type EntryForm = { readonly size: number; readonly method: number; readonly lengths: readonly [number, ...number[]] };

/** True if a header of one file (APPNOTE 4.3.7, 4.3.12) has a name, lies in the file and uses a known compression. */
function isEntry(file: Buffer, at: number, { size, method, lengths }: EntryForm): boolean {
  if (at + size > file.length || !isCompression(file.readUInt16LE(at + method))) return false;
  if (file.readUInt16LE(at + lengths[0]) === 0) return false;
  return lengths.reduce((sum, place) => sum + file.readUInt16LE(at + place), at + size) <= file.length;
}

// APPNOTE 4.4.5.
const isCompression = (method: number): boolean => method <= 20 || (method >= 93 && method <= 99);

const SEE_ZIP64 = 0xffffffff;

/**
 * True if a directory fits before its end record. Disk numbers, counts, comment and offset do not matter, as unpackers take
 * the directory to lie right before its end, whatever stands before the archive.
 */
function isEndOfDirectory(file: Buffer, at: number): boolean {
  const size = file.readUInt32LE(at + 12);
  const offset = file.readUInt32LE(at + 16);
  if (size === SEE_ZIP64 || offset === SEE_ZIP64) return true;
  return size + offset <= at || (size <= at && size >= 46 && file.readUInt32LE(at - size) === ZIP.directory);
}

// "MSCF" (MS-CAB, 2.1: CFHEADER).
const CABINET = 0x4643534d;
// libmspack takes a cabinet that is cut off by as much.
const CABINET_SLACK_BYTES = 32;

function isCabinet(file: Buffer, at: number): boolean {
  if (file.readUInt32LE(at) !== CABINET) return false;
  const size = file.readUInt32LE(at + 8);
  const isWhole = file.readUInt32LE(at + 16) < size && at + size <= file.length + CABINET_SLACK_BYTES;
  return isWhole || file.readUInt32LE(at + 4) === 0;
}

const TAR_BLOCK_BYTES = 512;
const TAR_CHECKSUM = { start: 148, end: 156 } as const;

/** True if the file begins with a header of tar, which any text may be that has the right checksum (POSIX ustar). */
function isTar(file: Buffer): boolean {
  if (file.length < TAR_BLOCK_BYTES) return false;
  const { start, end } = TAR_CHECKSUM;
  const written = /^[ \0]*([0-7]+)[ \0]*$/.exec(file.toString('latin1', start, end))?.[1];
  if (written === undefined) return false;
  const rest = [...file.subarray(0, start), ...file.subarray(end, TAR_BLOCK_BYTES)];
  // The checksum counts as blanks. Old programs added the bytes up as signed ones.
  const sums = [rest, rest.map((byte) => (byte > 127 ? byte - 256 : byte))].map((bytes) =>
    bytes.reduce((sum, byte) => sum + byte, (end - start) * 32),
  );
  return sums.includes(Number.parseInt(written, 8));
}

// The identifier of the first volume descriptor: ISO 9660 (ECMA-119, 8.1.2) and UDF (ECMA-167, 2/9.1.2).
const DISC_IDENTIFIER_AT = 0x8001;

const isDisc = (file: Buffer): boolean =>
  /^(CD001|BEA01)/.test(file.toString('latin1', DISC_IDENTIFIER_AT, DISC_IDENTIFIER_AT + 5));
