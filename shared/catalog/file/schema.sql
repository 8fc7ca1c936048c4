-- One published version of the catalog. `format.ts` expects this `application_id` and `user_version`.
PRAGMA application_id = 0x626f7463;
PRAGMA user_version = 9;

-- Records as published, with their times settled; the records that they link to are filled in when they are read.
CREATE TABLE bases (
  id INTEGER PRIMARY KEY,
  content TEXT NOT NULL
) STRICT;

-- `gtin` is the barcode with the zeros of a GTIN-14; `detail` holds the fields that only the full product shows.
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  base INTEGER NOT NULL REFERENCES bases (id),
  gtin TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

-- Products that are no longer published, in full as last published, for the orders that hold them; no list reads them.
CREATE TABLE withdrawn (
  id INTEGER PRIMARY KEY,
  content TEXT NOT NULL
) STRICT;

-- Every other record as published; `key` is an id, a coupon's code in capitals, a date, a name or a key.
CREATE TABLE records (
  kind TEXT NOT NULL,
  key ANY NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- Arrays that product lists filter, order, search and count by; `columns.ts` says what each holds.
CREATE TABLE columns (
  name TEXT PRIMARY KEY,
  content BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- The times of records, which the next version keeps for records that have not changed.
CREATE TABLE stamps (
  file TEXT NOT NULL,
  id INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (file, id)
) STRICT, WITHOUT ROWID;
