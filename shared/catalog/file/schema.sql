-- One published version of the catalog. `application_id` and `user_version` are what `format.ts` expects.
PRAGMA application_id = 0x626f7463;
PRAGMA user_version = 3;

-- Records as published, with their times settled; the records that they link to are filled in when they are read.
CREATE TABLE bases (
  id INTEGER PRIMARY KEY,
  content TEXT NOT NULL
) STRICT;

-- `detail` holds the fields that only the full product shows.
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  base INTEGER NOT NULL REFERENCES bases (id),
  ean_key TEXT NOT NULL UNIQUE,
  content TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

-- Every other record as published; `key` is an id, a coupon's code in capitals, or a date.
CREATE TABLE records (
  kind TEXT NOT NULL,
  key ANY NOT NULL,
  content TEXT NOT NULL,
  PRIMARY KEY (kind, key)
) STRICT, WITHOUT ROWID;

-- What product lists are filtered, ordered and searched by: arrays with an element per product in the order of ids.
CREATE TABLE columns (
  name TEXT PRIMARY KEY,
  content BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What the next version needs to keep the times of records that did not change.
CREATE TABLE stamps (
  file TEXT NOT NULL,
  id INTEGER NOT NULL,
  fingerprint TEXT NOT NULL,
  created_at TEXT NOT NULL,
  updated_at TEXT NOT NULL,
  PRIMARY KEY (file, id)
) STRICT, WITHOUT ROWID;
